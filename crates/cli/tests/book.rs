//! The book: its commands print what its pages say, its pages about commands are those of the command line, no link of the documentation is dead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::{cleave, succeeded};
use crate::support::pages::{Page, root};

const BOOK: &str = "docs/book/src";

/// The most lines of a page.
const MOST_LINES: usize = 150;

macro_rules! pages {
    ($($name:ident: $page:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            let page = Page::read($page, None);
            for (reason, commands) in &page.left_out {
                println!("{}: {commands} commands are not run: {reason}", $page);
            }
            page.check();
        })*
        const PAGES: &[&str] = &[$($page),*];
    };
}

pages!(
    readme: "README.md",
    tutorial_install: "docs/book/src/tutorial/install.md",
    tutorial_first_bug: "docs/book/src/tutorial/first-bug.md",
    tutorial_understand: "docs/book/src/tutorial/understand.md",
    tutorial_proof: "docs/book/src/tutorial/proof.md",
    tutorial_suite: "docs/book/src/tutorial/suite.md",
    tutorial_report: "docs/book/src/tutorial/report.md",
    tutorial_own: "docs/book/src/tutorial/own.md",
    tutorial_function: "docs/book/src/tutorial/function.md",
    tutorial_limits: "docs/book/src/tutorial/limits.md",
    tutorial_ci: "docs/book/src/tutorial/ci.md",
    how_to_build: "docs/book/src/howto/build.md",
    how_to_cmake: "docs/book/src/howto/cmake.md",
    how_to_klee: "docs/book/src/howto/klee.md",
    how_to_fuzz: "docs/book/src/howto/fuzz.md",
    how_to_server: "docs/book/src/howto/server.md",
    how_to_threads: "docs/book/src/howto/threads.md",
    how_to_processes: "docs/book/src/howto/processes.md",
    how_to_bits32: "docs/book/src/howto/bits32.md",
    how_to_cxx: "docs/book/src/howto/cxx.md",
    how_to_rust: "docs/book/src/howto/rust.md",
    how_to_proofs: "docs/book/src/howto/proofs.md",
    how_to_function: "docs/book/src/howto/function.md",
    how_to_compare: "docs/book/src/howto/compare.md",
    how_to_since: "docs/book/src/howto/since.md",
    how_to_structures: "docs/book/src/howto/structures.md",
    how_to_allocators: "docs/book/src/howto/allocators.md",
    how_to_failing: "docs/book/src/howto/failing.md",
    how_to_suppress: "docs/book/src/howto/suppress.md",
    how_to_seeds: "docs/book/src/howto/seeds.md",
    how_to_explain: "docs/book/src/howto/explain.md",
    how_to_replay: "docs/book/src/howto/replay.md",
    how_to_gdb: "docs/book/src/howto/gdb.md",
    how_to_report: "docs/book/src/howto/report.md",
    how_to_export: "docs/book/src/howto/export.md",
    how_to_slow: "docs/book/src/howto/slow.md",
    how_to_cluster: "docs/book/src/howto/cluster.md",
    how_to_mpi: "docs/book/src/howto/mpi.md",
    reference_inputs: "docs/book/src/reference/inputs.md",
    explanation_classes: "docs/book/src/explanation/classes.md",
    explanation_modes: "docs/book/src/explanation/modes.md",
);

/// All pages of documentation, from the repository's root.
fn documentation() -> Vec<PathBuf> {
    let (mut found, mut left) =
        (Vec::new(), ["docs", "examples", "programs"].map(|name| root().join(name)).to_vec());
    let mut look = |folder: &Path, deeper: bool| {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && deeper {
                left.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
        left.pop()
    };
    let mut next = look(&root(), false);
    while let Some(folder) = next {
        next = look(&folder, true);
    }
    found.sort();
    found
}

/// The name that a heading has in links, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The anchors of a page, and the targets of its links with their lines. Blocks and code are left out.
fn anchors_and_links(text: &str) -> (BTreeSet<String>, Vec<(usize, String)>) {
    let (mut anchors, mut links, mut inside) = (BTreeSet::new(), Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        inside ^= line.trim_start().starts_with("```");
        if inside || line.starts_with("    ") {
            continue;
        }
        if line.starts_with('#') {
            anchors.insert(anchor(line.trim_start_matches('#')));
        }
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        for part in plain.split("](").skip(1) {
            links.push((at + 1, part.split([')', ' ']).next().unwrap_or_default().to_string()));
        }
    }
    (anchors, links)
}

#[test]
fn no_link_of_the_documentation_is_dead() {
    let pages: BTreeMap<PathBuf, _> = documentation()
        .into_iter()
        .map(|page| (page.clone(), anchors_and_links(&std::fs::read_to_string(page).unwrap())))
        .collect();
    let (mut seen, mut dead) = (0, Vec::new());
    for (page, (_, links)) in &pages {
        for (line, link) in links.iter().filter(|(_, link)| !link.contains("://")) {
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                Ok(page.clone())
            } else {
                page.parent().unwrap().join(file).canonicalize()
            };
            let there = target.is_ok_and(|target| {
                anchor.is_empty() || pages.get(&target).is_some_and(|(anchors, _)| anchors.contains(anchor))
            });
            if !there {
                dead.push(format!("{}:{line}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(seen > 200, "{seen} links");
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn a_link_is_looked_for_as_readers_see_it() {
    let (anchors, links) =
        anchors_and_links("# A b: `c`?\n[x](y.md#z) `[no](link)`\n```text\n[no](block)\n```\n");
    assert_eq!(anchors.into_iter().collect::<Vec<_>>(), ["a-b-c"]);
    assert_eq!(links, [(2, "y.md#z".to_string())]);
}

#[test]
fn the_summary_names_each_page_and_no_page_is_long() {
    let book = root().join(BOOK);
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let named: Vec<PathBuf> =
        anchors_and_links(&summary).1.into_iter().map(|(_, link)| book.join(link)).collect();
    let mut commands = (0, 0);
    for page in documentation().iter().filter(|page| page.starts_with(&book) && !page.ends_with("SUMMARY.md"))
    {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap();
        assert!(named.contains(page), "{BOOK}/SUMMARY.md does not name {name}");
        let text = std::fs::read_to_string(page).unwrap();
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{name} has {lines} lines");
        let read = Page::read(name, None);
        assert!(read.commands() == 0 || PAGES.contains(&name), "no test runs the commands of {name}");
        commands.0 += read.commands();
        commands.1 += read.left_out.iter().map(|(_, count)| count).sum::<usize>();
    }
    println!("{} commands are run, {} are not", commands.0, commands.1);
    assert!(commands.0 > 2 * commands.1, "{} commands are run, {} are not", commands.0, commands.1);
}

/// A text of the help, on one line of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|").replace('<', "&lt;")
}

/// A row about an option or an argument.
fn row(arg: &Value, option: bool) -> String {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let names = |value: &Value| value.as_array().into_iter().flatten().map(words).collect::<Vec<_>>();
    let mut shown =
        if option { format!("--{}", words(&arg["name"])) } else { names(&arg["values"]).join(" ") };
    if option && arg["has_value"] == true {
        write!(shown, " {}", names(&arg["values"]).join(" ")).unwrap();
    }
    let mut help = cell(&words(&arg["help"]));
    for value in arg["named_values"].as_array().into_iter().flatten() {
        write!(help, "<br>`{}`: {}", words(&value["name"]), cell(&words(&value["help"]))).unwrap();
    }
    format!("| `{}` | {help} |\n", shown.trim().replace('|', "\\|"))
}

/// The page of a command.
fn described(command: &Value, name: &str) -> String {
    let text = |name: &str| command[name].as_str().unwrap_or_default().trim().to_string();
    let mut page =
        format!("# cleave {name}\n\n{}.\n", text("about").trim_end_matches('.').replace('<', "&lt;"));
    let places = command["places"].as_array().unwrap();
    if !places.is_empty() {
        page += "\n| argument | meaning |\n|---|---|\n";
        page.extend(places.iter().map(|place| row(place, false)));
    }
    let mut groups: Vec<(&str, Vec<&Value>)> = Vec::new();
    for option in command["options"].as_array().unwrap() {
        let heading = option["heading"].as_str().unwrap_or("Options");
        match groups.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, group)) => group.push(option),
            None => groups.push((heading, vec![option])),
        }
    }
    let of_run = groups.iter().any(|(heading, _)| heading.contains("see `cleave run`"));
    for (heading, group) in groups {
        if of_run && heading != "Options" {
            let names: Vec<String> =
                group.iter().map(|option| format!("`--{}`", option["name"].as_str().unwrap())).collect();
            write!(page, "\nThe same as of [`cleave run`](run.md): {}.\n", names.join(", ")).unwrap();
            continue;
        }
        write!(page, "\n| {} | meaning |\n|---|---|\n", heading.to_lowercase().replace("options", "option"))
            .unwrap();
        page.extend(group.into_iter().map(|option| row(option, true)));
    }
    if !text("behind").is_empty() {
        write!(page, "\n```text\n{}\n```\n", text("behind").replace("\ncleave ", "\n  cleave ")).unwrap();
    }
    page
}

/// The pages about commands, by their names, and the lines of the summary that name them.
fn command_pages() -> (BTreeMap<String, String>, String) {
    let listed = succeeded(&cleave(["options"]));
    let mut commands: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    commands.sort_by_key(|command| command["command"].to_string());
    let (mut pages, mut lines) = (BTreeMap::new(), String::new());
    for command in commands.iter().filter(|command| command["hidden"] == false) {
        let words = command["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        let name = words.collect::<Vec<_>>().join(" ");
        let file = name.replace(' ', "-").replace('+', "x") + ".md";
        writeln!(lines, "  - [cleave {name}](reference/commands/{file})").unwrap();
        pages.insert(file, described(command, &name));
    }
    (pages, lines)
}

#[test]
fn the_pages_about_commands_are_those_of_the_command_line() {
    let (pages, lines) = command_pages();
    assert!(pages.len() > 20, "{} commands", pages.len());
    let (folder, summary) =
        (root().join(BOOK).join("reference/commands"), root().join(BOOK).join("SUMMARY.md"));
    let there = std::fs::read_to_string(&summary).unwrap();
    let (before, behind) =
        there.split_once("  - [cleave ").map_or((&*there, ""), |(before, rest)| (before, rest));
    let behind = behind.split_inclusive('\n').skip_while(|line| line.contains("](reference/commands/"));
    let named = format!("{before}{lines}{}", behind.collect::<String>());
    if std::env::var_os("CLEAVE_WRITE_DOCS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in &pages {
            std::fs::write(folder.join(name), text).unwrap();
        }
        std::fs::write(&summary, &named).unwrap();
    }
    let advice = "set CLEAVE_WRITE_DOCS=1 to have this test write it";
    assert!(
        named == std::fs::read_to_string(&summary).unwrap(),
        "{BOOK}/SUMMARY.md is out of date; {advice}"
    );
    let mut files: BTreeSet<String> = pages.keys().cloned().collect();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(files.remove(&name), "there is no command {name}; {advice}");
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(text == pages[&name], "{BOOK}/reference/commands/{name} is out of date; {advice}");
    }
    assert!(files.is_empty(), "without a page: {files:?}; {advice}");
}
