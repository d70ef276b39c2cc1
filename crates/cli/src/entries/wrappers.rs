//! Functions in front of those that have contracts: calls inside of the program check what a contract requires and promises, or the contract
//! stands in the place of the code.

use std::fmt::Write as _;

use crate::entries::annotations;
use crate::entries::contract::{Assigned, Contract, Item};
use crate::entries::harness::{self, DECLARATIONS, quoted};
use crate::entries::logic::{self, RESULT};
use crate::entries::signature::Signature;
use crate::entries::tokens::is_name;

/// A wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// Its C, behind the function's source.
    pub text: String,
    /// `NAME:REPLACEMENT`, as for `--function-alias`.
    pub alias: String,
}

/// Declarations in front of all wrappers of a source.
pub fn head() -> String {
    [DECLARATIONS, "void klee_silent_exit(int status);\n"].concat()
}

/// A function that checks the contract around each call.
///
/// # Errors
/// A sentence about a clause that does not fit.
pub fn checking(signature: &Signature, contract: &Contract) -> Result<Wrapper, String> {
    let (before, after) = harness::promises(signature, contract)?;
    let mut body = required(signature, contract)?;
    body.push_str(&before);
    body.push_str(&harness::call(signature, &signature.name, RESULT));
    body.push_str(&after);
    Ok(wrapped(signature, "checked", &body))
}

/// A function that does what the contract says in place of the code: it checks what is required, gives what may be written unknown values, and
/// returns an unknown result, as far as the promises let them be.
///
/// # Errors
/// A sentence about a clause that does not fit.
pub fn in_place(signature: &Signature, contract: &Contract) -> Result<Wrapper, String> {
    let name = &signature.name;
    let assigned = contract.assigns.as_ref().ok_or_else(|| {
        format!("the contract of `{name}` does not say what it writes; add `assigns \\nothing;` or places")
    })?;
    let mut body = required(signature, contract)?;
    let mut conditions = String::new();
    let mut kept = 0;
    for (text, _) in &contract.ensures {
        let condition = harness::kept_condition(text, &mut kept, &mut body)?;
        let _ = writeln!(conditions, "\tif (!({condition}))\n\t\tklee_silent_exit(0);");
    }
    for Assigned { pointer, range } in assigned {
        let (first, count) = match range {
            None => ("0".to_string(), "1".to_string()),
            Some((first, last)) => {
                let (first, last) = (logic::condition(first, 0)?.text, logic::condition(last, 0)?.text);
                (first.clone(), format!("({last}) - ({first}) + 1"))
            }
        };
        let told = quoted(&format!("{name}: {pointer}"));
        let _ = writeln!(
            body,
            "\tfor (long long cleave_k = {first}; cleave_k < ({first}) + ({count}); cleave_k++)\n\
             \t\tklee_make_symbolic((void *)&{pointer}[cleave_k], sizeof *{pointer}, {told});"
        );
    }
    if signature.result.is_some() {
        let call = format!("{name}({})", names(signature));
        let told = quoted(&format!("{name}: result"));
        let _ = writeln!(
            body,
            "\t__typeof__({call}) {RESULT};\n\tklee_make_symbolic(&{RESULT}, sizeof {RESULT}, {told});"
        );
    }
    body.push_str(&conditions);
    Ok(wrapped(signature, "contract", &body))
}

fn names(signature: &Signature) -> String {
    let names: Vec<_> = signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    names.join(", ")
}

fn wrapped(signature: &Signature, kind: &str, body: &str) -> Wrapper {
    let name = &signature.name;
    let replacement = format!("cleave_{kind}_{name}");
    // The type of the function itself serves for its declaration, whatever its parameters are.
    let parameters: Vec<_> = signature
        .parameters
        .iter()
        .map(|parameter| harness::declared(&parameter.ty, &parameter.name))
        .collect();
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    let result = match signature.result {
        None => "void".to_string(),
        Some(_) => {
            let values: Vec<_> = signature
                .parameters
                .iter()
                .map(|parameter| format!("*(__typeof__({}) *)0", parameter.ty))
                .collect();
            format!("__typeof__({name}({}))", values.join(", "))
        }
    };
    let end = if signature.result.is_some() { format!("\treturn {RESULT};\n") } else { String::new() };
    let text = format!("{result} {replacement}({parameters})\n{{\n{body}{end}}}\n");
    Wrapper { text, alias: format!("{name}:{replacement}") }
}

/// Statements that check what a contract requires, each as a bug at the call.
fn required(signature: &Signature, contract: &Contract) -> Result<String, String> {
    let mut text = String::new();
    let breach = |what: &str| {
        let source = quoted(&signature.source.display().to_string());
        format!(
            "cleave_breach({}, {source}, 1, {});",
            quoted(&format!("requires {what}")),
            quoted(&signature.name)
        )
    };
    let mut given: Vec<&Item> = contract.given.iter().collect();
    // Conditions bound the sizes of memory.
    given.sort_by_key(|item| !matches!(item, Item::Assumed(_)));
    for item in given {
        match item {
            Item::Assumed(condition) => {
                let c = logic::condition(condition, 0)?.text;
                let _ = writeln!(text, "\tif (!({c}))\n\t\t{}", breach(condition));
            }
            Item::Object { place, count, nullable } => {
                let is_parameter = signature.parameters.iter().any(|parameter| parameter.name == *place);
                if !is_parameter && (count.is_none() || is_name(place)) {
                    continue; // the value of a variable or a member may be any
                }
                let count = count
                    .as_ref()
                    .map_or(Ok("1".into()), |count| logic::condition(count, 0).map(|c| c.text))?;
                if !nullable {
                    let _ = writeln!(text, "\tif (!{place})\n\t\t{}", breach(&format!("\\valid({place})")));
                }
                // The first byte and the last one are read: what is between them lies in the same object.
                let last =
                    format!("((const volatile unsigned char *){place})[({count}) * sizeof *{place} - 1]");
                let _ = writeln!(
                    text,
                    "\tif ({place} && ({count}) > 0) {{\n\t\t(void)*(const volatile unsigned char *){place};\n\t\t(void){last};\n\t}}"
                );
            }
            Item::Text { place, nullable, .. } => {
                if !nullable {
                    let _ = writeln!(text, "\tif (!{place})\n\t\t{}", breach(&format!("\\valid({place})")));
                }
            }
            Item::Fixed { place, value } => {
                let c = logic::condition(value, 0)?.text;
                let _ =
                    writeln!(text, "\tif ({place} != ({c}))\n\t\t{}", breach(&format!("{place} == {value}")));
            }
        }
    }
    Ok(text)
}

/// The text behind plain comments; `None` where another contract follows first.
fn code_behind(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("//@") || rest.starts_with("/*@") {
            return None;
        } else if rest.starts_with("//") {
            rest.find('\n')?
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else {
            return Some(rest);
        };
        rest = rest[end..].trim_start();
    }
}

/// Of each contract in a comment the names that may be that of its function, in the order of the contracts: macros may stand in front of a
/// definition.
pub fn annotated(source: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for end in annotations::ends(source) {
        let Some(rest) = code_behind(&source[end..]) else { continue };
        let Some(body) = rest.find('{') else { continue };
        // A declaration ends with `)` and `;`. Declarations of parameters may stand in front of a body instead.
        let is_declaration = rest[..body].find(';').is_some_and(|end| rest[..end].trim_end().ends_with(')'));
        let names = if is_declaration { Vec::new() } else { called(&rest[..body]) };
        if !names.is_empty() && !all.contains(&names) {
            all.push(names);
        }
    }
    all
}

/// Names in front of a `(`.
fn called(head: &str) -> Vec<String> {
    let before =
        |open: usize| head[..open].trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    let names = head.match_indices('(').filter_map(|(open, _)| before(open));
    names.filter(|name| is_name(name)).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_belongs_to_the_definition_behind_it() {
        let source = "//@ ensures 1;\nAPI(int)\nf(int a)\n{ }\n//@ ensures 1;\nint declared(void);\n\
                      //@ ensures 1;\nint old(a, b)\n\tint a;\n\tchar *b;\n{ }\n/*@ ensures 1; */\nint last(void) { }\n";
        assert_eq!(annotated(source), [vec!["API", "f"], vec!["old"], vec!["last"]]);
    }
}
