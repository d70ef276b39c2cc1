//! The files of a crate form no circle: where one names another, that one does not lead back. Only a parent names its
//! children, and they it. And no file of tests is forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module, by the names on the way to it from the crate's root.
type Module = Vec<String>;

/// Collects the files of a crate, as modules, with their texts.
fn collect(folder: &Path, module: &Module, into: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let below = || module.iter().cloned().chain([name.clone()]).collect::<Module>();
        if path.is_dir() {
            collect(&path, &below(), into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let own = if ["lib", "main", "mod"].contains(&name.as_str()) { module.clone() } else { below() };
            into.insert(own, code(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// A text without comments and without its module of tests.
fn code(text: &str) -> String {
    let text = text.find("#[cfg(test)]\nmod ").map_or(text, |end| &text[..end]);
    let lines = text.lines().map(|line| line.find("//").map_or(line, |comment| &line[..comment]));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names of a path that begins here, `a::b`, or of several, `a::{b, c::d}`, behind `before`.
fn paths(text: &str, before: &Module, into: &mut Vec<Module>) -> usize {
    let mut path = before.clone();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        let rest = &rest[blank..];
        if rest.starts_with('{') {
            at += blank + 1;
            loop {
                at += paths(&text[at..], &path, into);
                let rest = &text[at..];
                let blank = rest.len() - rest.trim_start().len();
                at += blank + 1;
                if !text[at - 1..].starts_with(',') {
                    return at;
                }
            }
        }
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        path.push(rest[..name].to_string());
        at += blank + name;
        if text[at..].starts_with(" as ") {
            let alias = &text[at + 4..];
            at += 4 + alias.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(alias.len());
        }
        if text[at..].starts_with('*') {
            at += 1;
        }
        if !text[at..].starts_with("::") {
            into.push(path);
            return at;
        }
        at += 2;
    }
}

/// The modules that a module names by `crate::` or `super::`.
fn named(module: &Module, text: &str, all: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let mut found = Vec::new();
    let ends_a_word =
        |at: usize| text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_:$".contains(c));
    for (at, _) in text.match_indices("crate::").filter(|(at, _)| !ends_a_word(*at)) {
        paths(&text[at + 7..], &Module::new(), &mut found);
    }
    for (at, _) in text.match_indices("super::").filter(|(at, _)| !ends_a_word(*at)) {
        let (mut base, mut at) = (module.clone(), at);
        while text[at..].starts_with("super::") {
            base.pop();
            at += 7;
        }
        paths(&text[at..], &base, &mut found);
    }
    let file = |mut path: Module| {
        while !all.contains_key(&path) {
            path.pop();
        }
        path
    };
    found.into_iter().map(file).filter(|other| !other.starts_with(module)).collect()
}

#[test]
fn the_files_of_a_crate_form_no_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let mut all = BTreeMap::new();
        collect(&folder.join("src"), &Module::new(), &mut all);
        let mut left: BTreeMap<&Module, BTreeSet<Module>> =
            all.iter().map(|(module, text)| (module, named(module, text, &all))).collect();
        assert!(
            left.len() < 3 || left.values().any(|names| !names.is_empty()),
            "{folder:?} is not understood"
        );
        // A module that names none of those that are left is in no circle.
        loop {
            let still: BTreeSet<Module> = left.keys().map(|&module| module.clone()).collect();
            let before = left.len();
            left.retain(|_, names| names.iter().any(|name| still.contains(name)));
            if left.len() == before {
                break;
            }
        }
        assert!(left.is_empty(), "{}: a circle among {left:#?}", folder.display());
    }
}

/// Cargo finds no test by itself where a manifest says `autotests = false`: a file that `tests/all.rs` does not name is never run.
#[test]
fn every_file_of_tests_is_part_of_a_binary() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if !manifest.contains("\nautotests = false\n") {
            continue;
        }
        let all = std::fs::read_to_string(folder.join("tests/all.rs")).unwrap();
        for entry in std::fs::read_dir(folder.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let module = if path.is_dir() && path.join("mod.rs").is_file()
                || path.extension().is_some_and(|e| e == "rs")
            {
                path.file_stem().unwrap().to_str().unwrap()
            } else {
                continue;
            };
            let own = manifest.contains(&format!("\npath = \"tests/{module}.rs\"\n"));
            let part = all.lines().any(|line| line == format!("mod {module};"));
            assert!(own || part, "{}: `mod {module};` is missing in tests/all.rs", path.display());
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} files of tests");
}
