//! An explanation as JSON.

use cleave_expr::ranges_of;
use serde_json::{Value, json};

use super::Explanation;
use super::bytes::{Role, groups};
use super::loops::Node;
use super::names::InputNames;
use super::path::Step;
use crate::programs::sources::Sources;
use cleave_region::Test;

/// All of it; without `sources` the path is left out.
pub fn json(explanation: &Explanation, sources: Option<&Sources>) -> Value {
    let mut value = json!({
        "end": explanation.end,
        "input": input(explanation),
        "free_together": explanation.roles.free_together,
        "smallest": explanation.smallest.as_ref().map(|(smallest, names)| {
            json!({"input": objects(&smallest.test, names), "done": smallest.done})
        }),
    });
    if let Some(sources) = sources {
        let mut lines = Lines { sources, file: String::new(), lines: None };
        value["steps"] = explanation.steps.iter().map(|node| lines.node(node)).collect();
    }
    value
}

fn objects(test: &Test, names: &InputNames) -> Value {
    let one = |(i, object): (usize, &cleave_region::Object)| json!({"object": object.name, "name": names.object(i), "bytes": object.bytes});
    test.objects.iter().enumerate().map(one).collect()
}

fn input(explanation: &Explanation) -> Value {
    let mut objects = objects(&explanation.test, &explanation.names);
    for (i, object) in explanation.test.objects.iter().enumerate() {
        let bytes = explanation.roles.objects.get(i).map(Vec::as_slice).unwrap_or_default();
        let parts = groups(bytes, &object.bytes).into_iter().map(|(from, to, byte)| {
            let why = if let Role::Unknown(_, why) = byte.role { Some(why) } else { None };
            let otherwise = byte.otherwise.as_ref();
            json!({
                "from": from,
                "to": to,
                "is": byte.role.name(),
                "values": ranges_of(&byte.role.values()),
                "values_are_all": matches!(byte.role, Role::Free | Role::Needs(_)),
                "why": why,
                "otherwise": otherwise.map(|(value, end)| json!({"value": value, "end": end})),
            })
        });
        objects[i]["parts"] = parts.collect();
    }
    objects
}

/// Source lines, of which those of one file mostly follow one another.
struct Lines<'a> {
    sources: &'a Sources,
    file: String,
    lines: Option<Vec<String>>,
}

impl Lines<'_> {
    fn node(&mut self, node: &Node<Step>) -> Value {
        match node {
            Node::Loop(body, times) => {
                let body: Value = body.iter().map(|node| self.node(node)).collect();
                json!({"times": times, "loop": body})
            }
            Node::One(step, times) => {
                if step.file != self.file {
                    self.file.clone_from(&step.file);
                    self.lines = self.sources.lines(&step.file);
                }
                let source =
                    self.lines.as_ref().and_then(|lines| lines.get((step.line as usize).wrapping_sub(1)));
                let decisions = step.decisions.iter().map(|decision| {
                    json!({"condition": decision.holds, "assumed": decision.assumed, "inside": decision.inside})
                });
                json!({
                    "function": step.function,
                    "file": step.file,
                    "line": step.line,
                    "source": source,
                    "times": times,
                    "decisions": decisions.collect::<Value>(),
                })
            }
        }
    }
}
