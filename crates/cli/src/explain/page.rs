//! An explanation as the report shows it: short.

use serde::Serialize;

use super::Explanation;
use super::bytes::groups;
use super::loops::Node;
use super::path::Step;
use super::text::{assignments, described};

/// Steps that are shown, at the start and at the end.
const FIRST_STEPS: usize = 40;
const LAST_STEPS: usize = 20;
/// Conditions of a step that are shown.
const MOST_CONDITIONS: usize = 6;

/// Part of a bug's explanation that the report shows.
#[derive(Serialize)]
pub struct Short {
    /// The lines at which something is decided.
    steps: Vec<ShortStep>,
    /// Number of such lines left out after the first [`FIRST_STEPS`].
    left_out: usize,
    /// Objects: name, bytes, parts.
    input: Vec<(String, String, Vec<Part>)>,
    free_together: bool,
    /// The smallest input into the bug, and true if the search for it was ended early.
    smallest: Option<(String, bool)>,
}

#[derive(Serialize)]
struct ShortStep {
    function: String,
    file: String,
    line: u32,
    times: u64,
    conditions: Vec<String>,
    more: usize,
}

#[derive(Serialize)]
struct Part {
    at: String,
    is: &'static str,
    text: String,
}

/// Makes it short.
pub fn short(explanation: &Explanation) -> Short {
    let mut steps = Vec::new();
    collect(&explanation.steps, &mut steps);
    let left_out = steps.len().saturating_sub(FIRST_STEPS + LAST_STEPS);
    if left_out > 0 {
        steps.drain(FIRST_STEPS..FIRST_STEPS + left_out);
    }
    let mut input = Vec::new();
    for (i, object) in explanation.test.objects.iter().enumerate() {
        let bytes = explanation.roles.objects.get(i).map(Vec::as_slice).unwrap_or_default();
        let parts = groups(bytes, &object.bytes).into_iter().map(|(from, to, byte)| Part {
            at: if from == to { from.to_string() } else { format!("{from}..{to}") },
            is: byte.role.name(),
            text: described(byte, object.bytes.get(from).copied().unwrap_or_default()),
        });
        input.push((explanation.names.object(i), object.bytes.escape_ascii().to_string(), parts.collect()));
    }
    let smallest = explanation.smallest.as_ref();
    Short {
        steps,
        left_out,
        input,
        free_together: explanation.roles.free_together,
        smallest: smallest.map(|(found, names)| (assignments(&found.test, names), !found.done)),
    }
}

fn collect(nodes: &[Node<Step>], into: &mut Vec<ShortStep>) {
    for node in nodes {
        match node {
            Node::Loop(body, _) => collect(body, into),
            Node::One(step, times) if !step.decisions.is_empty() => {
                let text = |d: &super::path::Decision| {
                    let inside = d.inside.as_ref().map_or_else(String::new, |f| format!(" [in {f}]"));
                    format!("{}{}{inside}", if d.assumed { "assumed: " } else { "" }, d.holds)
                };
                into.push(ShortStep {
                    function: step.function.clone().unwrap_or_default(),
                    file: step.file.clone(),
                    line: step.line,
                    times: *times,
                    conditions: step.decisions.iter().take(MOST_CONDITIONS).map(text).collect(),
                    more: step.decisions.len().saturating_sub(MOST_CONDITIONS),
                });
            }
            Node::One(..) => {}
        }
    }
}
