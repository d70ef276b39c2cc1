//! The files of a crate form no circle: where one names another, that one does not lead back. Only a parent names its
//! children, and they it. A folder holds few files, and the file above says what each holds. No file of tests is forgotten.

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

/// The file that a path leads to: the longest part of it that is one, or where that one has the next name from (`pub use`).
fn file_of(mut path: Module, all: &BTreeMap<Module, String>) -> Module {
    let given = path.clone();
    while !all.contains_key(&path) {
        path.pop();
    }
    let Some(name) = given.get(path.len()) else { return path };
    let shown = exports(&path, &all[&path])
        .into_iter()
        .find(|export| export.last() == Some(name) && *export != given);
    shown.map_or(path, |export| file_of(export, all))
}

/// The paths that a file shows to others by `pub use`, from the crate's root.
fn exports(module: &Module, text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    for line in ["\npub use ", "\npub(crate) use "] {
        for (at, _) in text.match_indices(line) {
            let path = &text[at + line.len()..];
            match path.strip_prefix("crate::") {
                Some(path) => paths(path, &Module::new(), &mut found),
                None if path.starts_with("super::") || path.starts_with("cleave_") => continue,
                None => paths(path, module, &mut found),
            };
        }
    }
    found
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
    found.into_iter().map(|path| file_of(path, all)).filter(|other| !other.starts_with(module)).collect()
}

#[test]
fn a_path_leads_to_its_file_also_across_folders() {
    let module =
        |path: &str| path.split("::").filter(|name| !name.is_empty()).map(String::from).collect::<Module>();
    let files = [
        ("", "mod kernel;\npub use kernel::state::{Kernel, KernelSpec};\n"),
        ("kernel", "mod state;\npub(crate) use state::Call;\n"),
        ("kernel::state", "use crate::calls::table::call;\n"),
        ("calls", "mod table;\n"),
        ("calls::table", "use crate::{Kernel, kernel::Call};\n"),
    ];
    let all: BTreeMap<Module, String> = files.map(|(path, text)| (module(path), text.to_string())).into();
    for (path, file) in [
        ("Kernel", "kernel::state"),
        ("kernel::Call", "kernel::state"),
        ("kernel::state::Call::new", "kernel::state"),
        ("calls::table::call", "calls::table"),
        ("calls", "calls"),
        ("calls::none", "calls"),
    ] {
        assert_eq!(file_of(module(path), &all), module(file), "{path}");
    }
    let table = module("calls::table");
    assert_eq!(named(&table, &all[&table], &all), BTreeSet::from([module("kernel::state")]));
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

/// The files of a folder that a reader takes in at once.
const MOST_FILES: usize = 15;

/// The crates whose folders have maps: the file above has a line about each file, behind its `mod`.
const MAPPED: [&str; 9] =
    ["campaign", "cli", "engine", "explore", "expr", "linux", "program", "replay", "solver"];

/// Calls `look` with each folder of sources, by its path below the crates, and its files.
fn each_folder(look: &mut dyn FnMut(&str, &[std::path::PathBuf])) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut left: Vec<_> =
        std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    while let Some(folder) = left.pop() {
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        left.extend(folders);
        let files: Vec<_> =
            files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "rs")).collect();
        look(folder.strip_prefix(crates).unwrap().to_str().unwrap(), &files);
    }
}

#[test]
fn a_folder_holds_few_files() {
    let mut large = BTreeMap::new();
    each_folder(&mut |folder, files| {
        if files.len() > MOST_FILES {
            large.insert(folder.to_string(), files.len());
        }
    });
    assert!(large.is_empty(), "more than {MOST_FILES} files: {large:#?}");
}

#[test]
fn the_file_above_says_what_each_file_holds() {
    let (mut seen, mut silent) = (0, Vec::new());
    each_folder(&mut |folder, files| {
        if !MAPPED.contains(&folder.split('/').next().unwrap()) {
            return;
        }
        for file in files {
            let text = std::fs::read_to_string(file).unwrap();
            let text = text.find("#[cfg(test)]\nmod ").map_or(&*text, |end| &text[..end]);
            for line in text.lines() {
                let declared = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
                let Some((_, behind)) = declared.strip_prefix("mod ").and_then(|rest| rest.split_once(';'))
                else {
                    continue;
                };
                seen += 1;
                if behind.trim_start_matches([' ', '/']).is_empty() {
                    silent.push(format!("{}: {line}", file.display()));
                }
            }
        }
    });
    assert!(seen > 200, "{seen} modules");
    assert!(silent.is_empty(), "a line about the file is missing behind its `mod`: {silent:#?}");
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
