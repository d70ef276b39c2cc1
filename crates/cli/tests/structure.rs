//! The files of a crate form no circle: where one names another, or calls a method whose block stands there, that one does not lead
//! back. Only a parent names its children, and they it. A table has the circles of calls that stay. A folder holds few files, and the
//! file above says what each holds. No file of tests is forgotten.

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
    for (name, all) in crates() {
        let mut left: BTreeMap<&Module, BTreeSet<Module>> =
            all.iter().map(|(module, text)| (module, named(module, text, &all))).collect();
        assert!(left.len() < 3 || left.values().any(|names| !names.is_empty()), "{name} is not understood");
        // A module that names none of those that are left is in no circle.
        loop {
            let still: BTreeSet<Module> = left.keys().map(|&module| module.clone()).collect();
            let before = left.len();
            left.retain(|_, names| names.iter().any(|name| still.contains(name)));
            if left.len() == before {
                break;
            }
        }
        assert!(left.is_empty(), "{name}: a circle among {left:#?}");
    }
}

/// All crates by name, with their files.
fn crates() -> BTreeMap<String, BTreeMap<Module, String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let mut files = BTreeMap::new();
        collect(&entry.path().join("src"), &Module::new(), &mut files);
        all.insert(entry.file_name().into_string().unwrap(), files);
    }
    all
}

/// Names of methods that types of the standard library have, too. A call tells nothing by them, except `self.NAME(` where the type
/// has a block.
const NAMES_OF_STD: [&str; 46] = [
    "all", "and", "any", "args", "bytes", "clamp", "cmp", "collect", "concat", "contains", "copied", "count",
    "entry", "eq", "find", "finish", "is_empty", "is_nan", "kill", "lines", "map", "mode", "mul", "name",
    "ne", "not", "or", "output", "parse", "position", "push", "range", "read", "reduce", "remove", "resize",
    "set", "split", "start", "sub", "sum", "take", "trunc", "wait", "write", "xor",
];

/// A method of a type whose inherent blocks stand in several files.
struct Method {
    of: String,
    file: Module,
    /// True if another crate has a function of this name: a call tells nothing where the file does not name the type.
    elsewhere: bool,
}

fn in_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The word with which a text begins.
fn word(text: &str) -> &str {
    &text[..text.find(|c| !in_a_word(c)).unwrap_or(text.len())]
}

/// Where a word stands in a text.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let whole = move |at: &usize| !text[..*at].ends_with(in_a_word) && word(&text[*at..]) == name;
    text.match_indices(name).map(|(at, _)| at).filter(whole)
}

/// The names behind each `fn` of a text.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    places(text, "fn").map(|at| word(text[at + 2..].trim_start())).filter(|name| !name.is_empty())
}

/// The type of an inherent block, from the text between `impl` and `{`; `None` for a block of a trait.
fn inherent_type(header: &str) -> Option<String> {
    let (mut depth, mut plain) = (0, String::new());
    for c in header.replace("->", "").chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let mut words = plain.split_whitespace();
    let name = words.next()?.rsplit("::").next()?.to_string();
    (words.next() != Some("for")).then_some(name)
}

/// The inherent methods of a file, each as its type and its name.
fn inherent_methods(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for at in places(text, "impl").filter(|at| *at == 0 || text[..*at].ends_with('\n')) {
        let block = &text[at + 4..];
        let block = &block[..block.find("\n}").unwrap_or(block.len())];
        let Some((header, body)) = block.split_once('{') else { continue };
        let Some(of) = inherent_type(header) else { continue };
        found.extend(functions(body).map(|name| (of.clone(), name)));
    }
    found
}

/// The methods of a crate whose names tell their files: each is declared once, for a type with inherent blocks in several files.
/// Where a trait has a method of that name, a call does not tell. `others` are the names of functions in other crates.
fn methods<'a>(all: &'a BTreeMap<Module, String>, others: &BTreeSet<&str>) -> BTreeMap<&'a str, Method> {
    let mut declared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: BTreeMap<String, BTreeSet<&Module>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (file, text) in all {
        functions(text).for_each(|name| *declared.entry(name).or_default() += 1);
        for (of, name) in inherent_methods(text) {
            files.entry(of.clone()).or_default().insert(file);
            found.insert(name, Method { of, file: file.clone(), elsewhere: others.contains(name) });
        }
    }
    found.retain(|name, method| declared[name] == 1 && files[&method.of].len() > 1);
    found
}

/// The methods of other files that a file calls, `.name(`, or names, `Type::name`.
fn called<'a>(file: &Module, text: &'a str, methods: &BTreeMap<&str, Method>) -> BTreeSet<&'a str> {
    let own: BTreeSet<String> = inherent_methods(text).into_iter().map(|(of, _)| of).collect();
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(['.', ':']) {
        let name = word(&text[at + 1..]);
        let Some(method) = methods.get(name).filter(|method| method.file != *file) else { continue };
        let (before, behind) = (&text[..at], &text[at + 1 + name.len()..]);
        let receiver = before.trim_end_matches(':').rsplit(|c| !in_a_word(c)).next().unwrap();
        let is_known = if text[at..].starts_with(':') {
            before.ends_with(':') && [&method.of, "Self"].contains(&receiver)
        } else if NAMES_OF_STD.contains(&name) {
            receiver == "self" && own.contains(&method.of)
        } else {
            !method.elsewhere || places(text, &method.of).next().is_some()
        };
        if is_known && (text[at..].starts_with(':') || behind.starts_with(['(', ':'])) {
            found.insert(name);
        }
    }
    found
}

/// The files of a crate, each with those that it names or whose methods it calls.
fn graph(all: &BTreeMap<Module, String>, others: &BTreeSet<&str>) -> BTreeMap<Module, BTreeSet<Module>> {
    let methods = methods(all, others);
    let leads_to = |(file, text): (&Module, &String)| {
        let mut to = named(file, text, all);
        to.extend(called(file, text, &methods).into_iter().map(|name| methods[name].file.clone()));
        (file.clone(), to)
    };
    all.iter().map(leads_to).collect()
}

/// The circles of a graph: the largest sets of several files in which each leads to each.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<&Module>> {
    let reached = |from| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(file) = left.pop() {
            left.extend(graph[file].iter().filter(|next| seen.insert(*next)));
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        graph.keys().map(|file| (file, reached(file))).collect();
    let back = |file: &&Module, other: &&Module| reached[*other].contains(*file);
    let circle =
        |file| reached[file].iter().copied().filter(|other| back(&file, other)).collect::<BTreeSet<_>>();
    graph.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

/// A made-up crate: files by path, with their texts.
fn made_up(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
    let module = |path: &str| path.split("::").map(String::from).collect();
    files.iter().map(|(path, text)| (module(path), text.to_string())).collect()
}

/// The number of files in circles of a made-up crate, beside a crate that has these functions.
fn files_in_circles(files: &[(&str, &str)], others: &[&str]) -> usize {
    let graph = graph(&made_up(files), &others.iter().copied().collect());
    circles(&graph).iter().map(BTreeSet::len).sum()
}

#[test]
fn files_that_call_one_anothers_methods_are_a_circle() {
    let store =
        "pub struct Store;\n\nimpl Store {\n    fn open(&self) {\n        self.check_bugs();\n    }\n}\n";
    let bugs = "impl Store {\n    fn check_bugs(&self) {\n        Self::scan(self);\n    }\n}\n";
    let scan = "impl<'a> Store {\n    fn scan(&self) {\n        let f: fn(&Store) = Store::open;\n    }\n}\n";
    assert_eq!(files_in_circles(&[("store", store), ("bugs", bugs), ("scan", scan)], &[]), 3);
    // Without the way back there is none.
    let ends = "impl<'a> Store {\n    fn scan(&self) {}\n}\n";
    assert_eq!(files_in_circles(&[("store", store), ("bugs", bugs), ("scan", ends)], &[]), 0);
    // A path back closes a circle, too. So does the path of a child to its parent that calls it.
    let child = "use crate::store::Store;\n\nimpl Store {\n    fn check_bugs(&self) {}\n}\n";
    assert_eq!(files_in_circles(&[("store", store), ("view", child)], &[]), 2);
    assert_eq!(files_in_circles(&[("store", store), ("store::view", child)], &[]), 2);
}

#[test]
fn a_name_that_does_not_tell_its_file_makes_no_circle() {
    let store = |call: &str| {
        format!("struct Store;\n\nimpl Store {{\n    fn open(&self) {{\n        {call};\n    }}\n}}\n")
    };
    let view = |name: &str| format!("use crate::store;\n\nimpl Store {{\n    fn {name}(&self) {{}}\n}}\n");
    let both = |call: &str, name: &str, more: &str| {
        let files = [("store", &*store(call)), ("view", &*view(name)), ("more", more)];
        files_in_circles(&files, &["decode"])
    };
    assert_eq!(both("self.view.size()", "size", ""), 2);
    assert_eq!(both("self.size", "size", ""), 0, "a field");
    // A trait of the crate has a method of that name, declared or implemented.
    assert_eq!(both("self.view.size()", "size", "trait Sized {\n    fn size(&self);\n}\n"), 0);
    assert_eq!(both("self.view.size()", "size", "impl Sized for More {\n    fn size(&self) {}\n}\n"), 0);
    // A type of std has one.
    assert_eq!(both("self.view.map(f)", "map", ""), 0);
    assert_eq!(both("self.map(f)", "map", ""), 2);
    // A type of another crate has one: it counts where the file names the type.
    assert_eq!(both("self.view.decode()", "decode", ""), 2);
    let view = "use crate::row;\n\nimpl Store {\n    fn decode(&self) {}\n}\n";
    let beside = |row: &str| {
        files_in_circles(
            &[("store", "impl Store {\n    fn open(&self) {}\n}\n"), ("row", row), ("view", view)],
            &["decode"],
        )
    };
    assert_eq!(beside("fn row(text: Text) {\n    text.decode();\n}\n"), 0);
    assert_eq!(beside("fn row(store: Store) {\n    store.decode();\n}\n"), 2);
    // A block of a trait is no inherent one.
    assert_eq!(inherent_type("<S: Fn() -> u8> Iterator for Store<S> "), None);
    assert_eq!(inherent_type("<S: Fn() -> u8> paths::Store<S> where S: Space "), Some("Store".into()));
}

/// Circles of calls that stay: a crate, the number of files in its circles, and why they lead to one another. A mend makes the number
/// smaller here.
const CIRCLES: [(&str, usize, &str); 2] = [
    (
        "diagram",
        3,
        "the diagram of a condition needs those of its words and bits, which need the conditions in them",
    ),
    (
        "expr",
        4,
        "a constructor of terms simplifies, and a simplification constructs; the text of a condition has numbers, which have conditions",
    ),
];

#[test]
fn calls_form_no_circle_but_those_of_the_table() {
    let all = crates();
    let mut wrong = String::new();
    let mut seen = 0;
    for (name, files) in &all {
        let others = all.iter().filter(|(other, _)| *other != name).flat_map(|(_, files)| files.values());
        let graph = graph(files, &others.flat_map(|text| functions(text)).collect());
        let circles = circles(&graph);
        seen += graph.values().map(BTreeSet::len).sum::<usize>();
        let found: usize = circles.iter().map(BTreeSet::len).sum();
        let stays = CIRCLES.iter().find(|(of, ..)| of == name).map_or(0, |(_, files, _)| *files);
        if found == stays {
            continue;
        }
        wrong += &format!("\n{name} has {found} files in circles, and {stays} in the table:");
        for circle in &circles {
            for file in circle {
                let to = graph[*file].iter().filter(|to| circle.contains(to)).map(|to| to.join("::"));
                wrong += &format!("\n  {} -> {}", file.join("::"), to.collect::<Vec<_>>().join(", "));
            }
        }
    }
    assert!(seen > 1000, "{seen} edges");
    assert!(wrong.is_empty(), "{wrong}");
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
