//! Coverage as Cobertura's XML, which GitLab, Jenkins and Azure Pipelines show.

use std::collections::BTreeMap;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::coverage_counts::{Counted, FileCounts, FunctionCount};
use super::xml::{Document, document, element, empty, text};
use super::{Format, Wanted};
use crate::failure::Failure;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "cobertura",
    about: "Cobertura's XML: the same coverage, for GitLab, Jenkins and Azure Pipelines",
    file: "coverage.xml",
    make,
};

/// Number that is covered, and number of all.
type Share = (usize, usize);

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let counted = Counted::of(wanted)?;
    let named = counted
        .files
        .iter()
        .map(|(name, file)| (counted.places.below(name).unwrap_or_else(|| counted.places.whole(name)), file));
    let mut folders: BTreeMap<String, Vec<(String, &FileCounts)>> = BTreeMap::new();
    for (name, file) in named {
        let folder = name.rsplit_once('/').map_or(".", |(folder, _)| folder).to_string();
        folders.entry(folder).or_default().push((name, file));
    }
    let here = counted.places.here().display().to_string();
    let (lines, sides) = shares(counted.files.values());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let attributes = [
        ("line-rate", rate(lines)),
        ("branch-rate", rate(sides)),
        ("lines-covered", lines.0.to_string()),
        ("lines-valid", lines.1.to_string()),
        ("branches-covered", sides.0.to_string()),
        ("branches-valid", sides.1.to_string()),
        ("complexity", "0".into()),
        ("version", concat!("cleave ", env!("CARGO_PKG_VERSION")).into()),
        ("timestamp", now.as_millis().to_string()),
    ];
    document(|d| {
        element(d, "coverage", &borrowed(&attributes), |d| {
            element(d, "sources", &[], |d| element(d, "source", &[], |d| text(d, &here)))?;
            element(d, "packages", &[], |d| {
                folders.iter().try_for_each(|(folder, files)| package(d, folder, files))
            })
        })
    })
}

fn borrowed<'a>(attributes: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// The shares of lines and of sides.
fn shares<'a>(files: impl IntoIterator<Item = &'a FileCounts>) -> (Share, Share) {
    files.into_iter().fold(((0, 0), (0, 0)), |(lines, sides), file| {
        let (l, s) = (file.executed(), file.sides());
        ((lines.0 + l.0, lines.1 + l.1), (sides.0 + s.0, sides.1 + s.1))
    })
}

/// Rate of a share; if there is nothing to cover, all is covered.
fn rate((covered, all): Share) -> String {
    if all == 0 { "1.0".into() } else { format!("{:.4}", covered as f64 / all as f64) }
}

fn package(d: &mut Document, folder: &str, files: &[(String, &FileCounts)]) -> io::Result<()> {
    let (lines, sides) = shares(files.iter().map(|(_, file)| *file));
    let name = folder.trim_matches('/').replace('/', ".");
    let attributes = [
        ("name", name),
        ("line-rate", rate(lines)),
        ("branch-rate", rate(sides)),
        ("complexity", "0".into()),
    ];
    element(d, "package", &borrowed(&attributes), |d| {
        element(d, "classes", &[], |d| files.iter().try_for_each(|(name, file)| class(d, name, file)))
    })
}

fn class(d: &mut Document, name: &str, file: &FileCounts) -> io::Result<()> {
    let attributes = [
        ("name", name.rsplit('/').next().unwrap_or(name).to_string()),
        ("filename", name.to_string()),
        ("line-rate", rate(file.executed())),
        ("branch-rate", rate(file.sides())),
        ("complexity", "0".into()),
    ];
    element(d, "class", &borrowed(&attributes), |d| {
        element(d, "methods", &[], |d| file.functions.iter().try_for_each(|f| method(d, f, file)))?;
        element(d, "lines", &[], |d| file.lines.keys().try_for_each(|number| line(d, *number, file)))
    })
}

fn method(d: &mut Document, function: &FunctionCount, file: &FileCounts) -> io::Result<()> {
    let executed = function.lines.iter().filter(|line| file.lines.get(line).is_some_and(|n| *n > 0)).count();
    let sides = || function.lines.iter().filter_map(|line| file.branches.get(line)).flatten().flatten();
    let attributes = [
        ("name", function.name.clone()),
        ("signature", "()".into()),
        ("line-rate", rate((executed, function.lines.len()))),
        ("branch-rate", rate((sides().filter(|n| **n > 0).count(), sides().count()))),
        ("complexity", "0".into()),
    ];
    element(d, "method", &borrowed(&attributes), |d| {
        element(d, "lines", &[], |d| function.lines.iter().try_for_each(|number| line(d, *number, file)))
    })
}

fn line(d: &mut Document, number: u32, file: &FileCounts) -> io::Result<()> {
    let (number, hits) = (number, file.lines.get(&number).copied().unwrap_or(0));
    let mut attributes = vec![("number", number.to_string()), ("hits", hits.to_string())];
    let Some(branches) = file.branches.get(&number) else {
        attributes.push(("branch", "false".into()));
        return empty(d, "line", &borrowed(&attributes));
    };
    let taken = |sides: &Vec<u64>| (sides.iter().filter(|n| **n > 0).count(), sides.len());
    let all = branches.iter().map(taken).fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1));
    attributes.push(("branch", "true".into()));
    attributes.push(("condition-coverage", format!("{} ({}/{})", percent(all), all.0, all.1)));
    element(d, "line", &borrowed(&attributes), |d| {
        element(d, "conditions", &[], |d| {
            branches.iter().enumerate().try_for_each(|(i, sides)| {
                let kind = if sides.len() == 2 { "jump" } else { "switch" };
                let (i, coverage) = (i.to_string(), percent(taken(sides)));
                empty(d, "condition", &[("number", &i), ("type", kind), ("coverage", &coverage)])
            })
        })
    })
}

fn percent((covered, all): Share) -> String {
    format!("{}%", (covered * 100).checked_div(all).unwrap_or(100))
}
