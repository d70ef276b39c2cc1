//! An explanation as text.

use cleave_expr::{ByteSet, byte_text, ranges_of};

use super::Explanation;
use super::bytes::{Byte, Role, groups};
use super::loops::Node;
use super::names::InputNames;
use super::path::{Decision, Step};
use crate::process::number_words::{counted, verb_of};
use crate::programs::sources::Sources;
use cleave_region::Test;

/// Lines of a path that are shown, at its start and at its end, unless all are asked for.
const FIRST_LINES: usize = 200;
const LAST_LINES: usize = 60;
/// Decisions of one line that are shown, the first and the last ones, unless all are asked for.
const FIRST_DECISIONS: usize = 5;
const LAST_DECISIONS: usize = 2;
/// Ranges of values of a byte that are shown.
const MOST_RANGES: usize = 6;

/// Extent of the text that is shown.
pub struct Shown<'a> {
    /// The sources.
    pub sources: &'a Sources,
    /// Nothing is folded away but loops.
    pub all: bool,
}

/// The lines of the text.
pub fn text(explanation: &Explanation, shown: &Shown<'_>) -> Vec<String> {
    let end = explanation.end.as_ref();
    let end = end.map_or_else(|| "the path is too long to be followed to its end".into(), |end| end.text());
    let mut lines = vec![end.clone(), String::new()];
    let mut path = Path { shown, lines: Vec::new(), place: (None, String::new()), source: None };
    path.nodes(&explanation.steps, 1, 1);
    lines.extend(folded(path.lines, shown.all));
    lines.push(format!("  end: {end}"));
    lines.push(String::new());
    lines.extend(input(explanation));
    lines
}

/// Leaves out the middle of many lines, with a note in its place.
fn folded(mut lines: Vec<String>, all: bool) -> Vec<String> {
    let out = lines.len().saturating_sub(FIRST_LINES + LAST_LINES);
    if all || out == 0 {
        return lines;
    }
    let (left_out, are) = (counted(out as u64, "line"), verb_of(out as u64, "is", "are"));
    let note = format!("    ... {left_out} {are} left out here; --all shows all ...");
    lines.splice(FIRST_LINES..FIRST_LINES + out, [note]);
    lines
}

struct Path<'a> {
    shown: &'a Shown<'a>,
    lines: Vec<String>,
    /// The function and file of the last step.
    place: (Option<String>, String),
    /// The last file's text.
    source: Option<Vec<String>>,
}

impl Path<'_> {
    /// Adds the lines of nodes in a loop of `turns` turns.
    fn nodes(&mut self, nodes: &[Node<Step>], turns: u64, indent: usize) {
        for node in nodes {
            match node {
                Node::One(step, times) => {
                    let times = if *times == turns { None } else { Some(*times) };
                    self.step(step, times, indent);
                }
                Node::Loop(body, times) => {
                    let place = self.place.clone();
                    let space = "  ".repeat(indent);
                    self.lines.push(format!("{space}{}, {times} times:", span(body)));
                    self.nodes(body, *times, indent + 1);
                    self.place = if self.place == place { place } else { (None, "?".into()) };
                }
            }
        }
    }

    fn step(&mut self, step: &Step, times: Option<u64>, indent: usize) {
        let space = "  ".repeat(indent);
        let place = (step.function.clone(), step.file.clone());
        if place != self.place {
            let function = step.function.as_deref().unwrap_or("before main, or behind it");
            let file = if step.file.is_empty() { String::new() } else { format!(" ({})", step.file) };
            self.lines.push(format!("{space}{function}{file}"));
            if self.place.1 != step.file {
                self.source = self.shown.sources.lines(&step.file);
            }
            self.place = place;
        }
        if step.line > 0 {
            let text = self.source.as_ref().and_then(|lines| lines.get(step.line as usize - 1));
            let times = times.map_or_else(String::new, |times| format!("    [{times} times]"));
            self.lines.push(format!(
                "{space}{:>6}  {}{times}",
                step.line,
                text.map_or("", |text| text.trim())
            ));
        }
        let out = step.decisions.len().saturating_sub(FIRST_DECISIONS + LAST_DECISIONS);
        for (i, decision) in step.decisions.iter().enumerate() {
            if self.shown.all || out < 2 || i < FIRST_DECISIONS || i >= FIRST_DECISIONS + out {
                self.lines.push(format!("{space}{:>8}  {}", "->", decided(decision)));
            } else if i == FIRST_DECISIONS {
                self.lines.push(format!("{space}{:>8}  ... {out} more conditions; --all shows them", "->"));
            }
        }
    }
}

fn decided(decision: &Decision) -> String {
    let assumed = if decision.assumed { "assumed: " } else { "" };
    let inside = decision.inside.as_ref().map_or_else(String::new, |name| format!("   [in {name}]"));
    format!("{assumed}{}{inside}", decision.holds)
}

/// The lines that a loop is made of.
fn span(body: &[Node<Step>]) -> String {
    let (mut todo, mut lines): (Vec<&Node<Step>>, Vec<(&str, u32)>) = (body.iter().collect(), Vec::new());
    while let Some(node) = todo.pop() {
        match node {
            Node::One(step, _) if step.line > 0 => lines.push((&step.file, step.line)),
            Node::One(..) => {}
            Node::Loop(body, _) => todo.extend(body),
        }
    }
    let (low, high) = (lines.iter().map(|l| l.1).min(), lines.iter().map(|l| l.1).max());
    match (low, high) {
        (Some(low), Some(high)) if lines.iter().all(|l| l.0 == lines[0].0) => {
            if low == high {
                format!("line {low}")
            } else {
                format!("lines {low}..{high}")
            }
        }
        _ => "a loop over several files".into(),
    }
}

fn input(explanation: &Explanation) -> Vec<String> {
    let mut lines = Vec::new();
    let bug = explanation.smallest.is_some();
    let same = if bug { "the bug is the same at the same place" } else { "the path is the same" };
    if explanation.test.objects.is_empty() {
        return vec!["  the path reads no input".into()];
    }
    lines
        .push(format!("  input; the values of a byte with which {same}, the other bytes being as they are:"));
    for (i, object) in explanation.test.objects.iter().enumerate() {
        lines.push(format!("    {} = \"{}\"", explanation.names.object(i), object.bytes.escape_ascii()));
        let bytes = explanation.roles.objects.get(i).map(Vec::as_slice).unwrap_or_default();
        for (from, to, byte) in groups(bytes, &object.bytes) {
            let at = if from == to { format!("[{from}]") } else { format!("[{from}..{to}]") };
            let present = object.bytes.get(from).copied().unwrap_or_default();
            lines.push(format!("      {at:<10} {}", described(byte, present)));
        }
    }
    let free = explanation.roles.objects.iter().flatten().any(|byte| byte.role == Role::Free);
    if free && !explanation.roles.free_together {
        lines.push(
            "    A free byte may be anything while the others are as they are; of several at once that is not said.".into(),
        );
    } else if free {
        lines.push("    All free bytes may be anything at once.".into());
    }
    if let Some((smallest, names)) = &explanation.smallest {
        let how =
            if smallest.done { "no byte of it can be taken away" } else { "the search was ended early" };
        lines.push(format!(
            "  smallest input found into this bug ({how}): {}",
            assignments(&smallest.test, names)
        ));
    }
    lines
}

/// The objects of a test, `NAME="BYTES"` each, without the zeros at their ends.
pub fn assignments(test: &Test, names: &InputNames) -> String {
    let one = |(i, object): (usize, &cleave_region::Object)| {
        let len = object.bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        format!("{}=\"{}\"", names.object(i), object.bytes[..len].escape_ascii())
    };
    test.objects.iter().enumerate().map(one).collect::<Vec<_>>().join("  ")
}

/// Describes the role of a byte in words.
pub fn described(byte: &Byte, present: u8) -> String {
    let otherwise = byte.otherwise.as_ref();
    let otherwise =
        otherwise.map_or_else(String::new, |(value, end)| format!("; with {}: {end}", byte_text(*value)));
    match &byte.role {
        Role::Free => "free".into(),
        Role::Needs(set) if set.len() == 1 => format!("fixed: {}{otherwise}", byte_text(present)),
        Role::Needs(set) => format!("constrained: {}{otherwise}", set_text(set)),
        Role::NeedsSome(set) => {
            format!("constrained: {}, and perhaps others that were not tried{otherwise}", set_text(set))
        }
        Role::Unknown(set, why) => format!("unknown: {} at least; {why}", set_text(set)),
    }
}

/// Values as ranges.
fn set_text(set: &ByteSet) -> String {
    let ranges = ranges_of(set);
    let one = |&(low, high): &(u8, u8)| {
        if low == high { byte_text(low) } else { format!("{}..{}", byte_text(low), byte_text(high)) }
    };
    let mut text = ranges.iter().take(MOST_RANGES).map(one).collect::<Vec<_>>().join(", ");
    if ranges.len() > MOST_RANGES {
        text.push_str(&format!(", ... ({} values)", set.len()));
    }
    text
}
