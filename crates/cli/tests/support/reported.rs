//! Reports of a run, read from its files.

use std::path::Path;

use crate::support::Program;

/// The `.err` files of a run: the name of each and its text.
pub fn texts(run: &Path) -> impl Iterator<Item = (String, String)> {
    std::fs::read_dir(run.join("tests")).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        name.ends_with(".err").then(|| (name, std::fs::read_to_string(&path).unwrap()))
    })
}

/// The `.err` files of a run: the kind from the name, the line from the text.
pub fn reported(program: &Program, run: &Path) -> impl Iterator<Item = (String, u64)> {
    texts(run).filter_map(|(name, text)| {
        let kind = name.strip_suffix(".err").and_then(|n| n.split_once('.'))?.1;
        let field = |key: &str| text.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default();
        assert!(program.source.ends_with(field("File: ")), "{name}: {text}");
        Some((kind.to_string(), field("Line: ").parse().unwrap()))
    })
}
