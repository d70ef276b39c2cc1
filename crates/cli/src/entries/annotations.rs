//! Contracts in comments above a function: `//@ requires n <= 64;` or `/*@ ... */`, in a small part of ACSL.

use crate::entries::contract::{Assigned, Contract, Item};
use crate::entries::logic;
use crate::entries::tokens::{closed_at, split, words, written};

/// A clause, and the line on which it begins.
type Clause = (String, u32);

/// The contract in the comments right above the byte `offset` of a source; `None` if there is none.
///
/// # Errors
/// A sentence about a clause that is not understood, with its line.
pub fn above(source: &str, offset: usize, function: &str) -> Result<Option<Contract>, String> {
    let clauses = clauses(source, offset);
    let mut contract = Contract { function: function.into(), ..Contract::default() };
    for (clause, line) in &clauses {
        add(&mut contract, clause, *line).map_err(|why| format!("the contract in line {line}: {why}"))?;
    }
    Ok((!clauses.is_empty()).then_some(contract))
}

/// The places behind comments with contracts, as bytes of the source. Of lines that follow one another it is the end of each.
pub fn ends(source: &str) -> Vec<usize> {
    let lines = source
        .match_indices("//@")
        .map(|(at, _)| source[at..].find('\n').map_or(source.len(), |end| at + end));
    let blocks = source.match_indices("/*@").filter_map(|(at, _)| Some(at + source[at..].find("*/")? + 2));
    let mut all: Vec<usize> = lines.chain(blocks).collect();
    all.sort_unstable();
    all
}

/// The clauses in the comments above an offset, in their order.
fn clauses(source: &str, offset: usize) -> Vec<Clause> {
    let mut comments: Vec<(usize, String)> = Vec::new();
    let mut rest = source.get(..offset).unwrap_or_default().trim_end();
    loop {
        let line = rest.rfind('\n').map_or(0, |end| end + 1);
        let last = rest[line..].trim_start();
        let at = rest.len() - last.len();
        if last.starts_with("//") {
            if let Some(text) = last.strip_prefix("//@") {
                comments.push((at, text.into()));
            }
            rest = rest[..at].trim_end();
        } else if rest.ends_with("*/")
            && let Some(start) = rest.rfind("/*")
        {
            if let Some(text) = rest[start..].strip_prefix("/*@") {
                // A star at the start of a line, and an `@`, are decoration.
                let plain = text.trim_end_matches("*/").trim_end_matches('@');
                let lines = plain.split('\n').map(|line| {
                    let bare = line.trim_start().trim_start_matches('@');
                    if bare.starts_with("* ") { &bare[1..] } else { bare }
                });
                comments.push((start, lines.collect::<Vec<_>>().join("\n")));
            }
            rest = rest[..start].trim_end();
        } else {
            break;
        }
    }
    let mut all = Vec::new();
    for (at, text) in comments.iter().rev() {
        let mut line = 1 + source[..*at].matches('\n').count() as u32;
        let mut open = String::new();
        let mut quantified = false;
        for piece in text.split_inclusive(';') {
            // The `;` behind the variables of a quantifier ends no clause.
            let blank = piece.len() - piece.trim_start().len();
            if open.trim().is_empty() {
                open.clear();
                line += piece[..blank].matches('\n').count() as u32;
            }
            open.push_str(piece);
            let tail = piece.rsplit(['(', '&', '>', '|', '=']).next().unwrap_or_default();
            quantified = ["\\forall", "\\exists"].iter().any(|word| tail.contains(word));
            if !quantified {
                let clause = open.trim().trim_end_matches(';').trim().to_string();
                let lines = open[open.len() - open.trim_start().len()..].matches('\n').count() as u32;
                if !clause.is_empty() {
                    all.push((clause, line));
                }
                line += lines;
                open.clear();
            }
        }
        if quantified && !open.trim().is_empty() {
            all.push((open.trim().to_string(), line));
        }
    }
    all
}

fn add(contract: &mut Contract, clause: &str, line: u32) -> Result<(), String> {
    let (keyword, rest) = clause.split_once(char::is_whitespace).unwrap_or((clause, ""));
    match keyword {
        "requires" => {
            for conjunct in logic::conjuncts(rest)? {
                contract.given.push(required(&conjunct)?);
            }
            Ok(())
        }
        "ensures" => {
            for conjunct in logic::conjuncts(rest)? {
                logic::condition(&conjunct, 0)?;
                contract.ensures.push((conjunct, Some(line)));
            }
            Ok(())
        }
        "assigns" => {
            let assigned = contract.assigns.get_or_insert_default();
            let all = words(rest)?;
            for part in split(&all, &[","])?.0 {
                assigned.extend(written_places(part)?);
            }
            Ok(())
        }
        _ => Err(format!("`{keyword}` is none of `requires`, `ensures` and `assigns`, which are known here")),
    }
}

/// A conjunct of `requires`: an item where it says that memory is valid, or an assumption.
fn required(text: &str) -> Result<Item, String> {
    let all = words(text)?;
    let (sides, operators) = split(&all, &["||"])?;
    if operators.len() == 1 {
        let is_null = |side: &[String]| {
            side.len() == 3 && side[1] == "==" && (side[2] == "\\null" || side[2] == "NULL")
        };
        for [null, valid] in [[sides[0], sides[1]], [sides[1], sides[0]]] {
            if is_null(null)
                && let Some(item) = valid_memory(valid)?
            {
                return Ok(match item {
                    Item::Object { place, count, .. } if place == null[0] => {
                        Item::Object { place, count, nullable: true }
                    }
                    other => other,
                });
            }
        }
    }
    if let Some(item) = valid_memory(&all)? {
        return Ok(item);
    }
    logic::condition(text, 0)?;
    Ok(Item::Assumed(text.into()))
}

/// `\valid(p)`, `\valid(p + (0 .. n-1))`, `\valid_read(...)`.
fn valid_memory(words: &[String]) -> Result<Option<Item>, String> {
    let is_valid = words.len() > 3
        && (words[0] == "\\valid" || words[0] == "\\valid_read")
        && words[1] == "("
        && closed_at(words, 1) + 1 == words.len();
    if !is_valid {
        return Ok(None);
    }
    let inner = &words[2..words.len() - 1];
    let told = || format!("`{}` is understood as `\\valid(p)` or `\\valid(p + (0..n-1))`", written(words));
    let Some(Assigned { pointer, range }) = place_of(inner)? else {
        return Ok(Some(Item::Object { place: written(inner), count: None, nullable: false }));
    };
    let Some((first, last)) = range else {
        return Ok(Some(Item::Object { place: pointer, count: None, nullable: false }));
    };
    if first != "0" {
        return Err(told());
    }
    let count = match last.strip_suffix("- 1") {
        Some(count) => count.trim().to_string(),
        None => last.parse::<u64>().map_or_else(|_| format!("{last} + 1"), |last| (last + 1).to_string()),
    };
    Ok(Some(Item::Object { place: pointer, count: Some(count), nullable: false }))
}

/// `p + (a .. b)`; `None` for another form.
fn place_of(words: &[String]) -> Result<Option<Assigned>, String> {
    let (parts, operators) = split(words, &["+"])?;
    let ([pointer, range], ["+"]) = (&parts[..], &operators[..]) else { return Ok(None) };
    if range.first().is_none_or(|word| word != "(") || closed_at(range, 0) + 1 != range.len() {
        return Ok(None);
    }
    bounds(&range[1..range.len() - 1])
        .map(|range| range.map(|range| Assigned { pointer: written(pointer), range: Some(range) }))
}

fn bounds(words: &[String]) -> Result<Option<(String, String)>, String> {
    let (parts, _) = split(words, &[".."])?;
    Ok(match parts[..] {
        [first, last] => Some((written(first), written(last))),
        _ => None,
    })
}

/// Places of an `assigns`: `\nothing`, `*p`, `p[i]`, `p[a..b]`, `p->m` (all of `*p`), `*(p + (a..b))`.
fn written_places(words: &[String]) -> Result<Option<Assigned>, String> {
    let told = || {
        format!(
            "`assigns {}` is understood as `\\nothing`, `*p`, `p[i]`, `p[a..b]` or `*(p + (a..b))`",
            written(words)
        )
    };
    match words {
        [nothing] if nothing == "\\nothing" => Ok(None),
        [star, pointer @ ..] if star == "*" && pointer.len() == 1 => {
            Ok(Some(Assigned { pointer: pointer[0].clone(), range: None }))
        }
        [star, open, inner @ .., _] if star == "*" && open == "(" => {
            place_of(inner)?.map(Some).ok_or_else(told)
        }
        [pointer, open, inner @ .., close] if open == "[" && close == "]" => {
            let range = match bounds(inner)? {
                Some(range) => range,
                None => (written(inner), written(inner)),
            };
            Ok(Some(Assigned { pointer: pointer.clone(), range: Some(range) }))
        }
        [pointer, arrow, ..] if arrow == "->" => Ok(Some(Assigned { pointer: pointer.clone(), range: None })),
        _ => Err(told()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Result<Option<Contract>, String> {
        above(source, source.find("int f").unwrap(), "f")
    }

    #[test]
    fn clauses_are_read_from_both_kinds_of_comments() {
        let contract = of("int g;\n\n//@ requires \\valid_read(data + (0..n-1)) && n <= 64;\n// plain\n/*@ requires out == \\null || \\valid(out);\n  @ assigns *out, data[0..n - 1];\n  @ ensures \\forall integer i; 0 <= i < n ==> data[i] == 0;\n  @ ensures \\result >= -1; */\nint f(void) {}").unwrap().unwrap();
        let given: Vec<_> = contract.given.iter().map(Item::written).collect();
        assert_eq!(given, ["data[n]", "n <= 64", "out?"]);
        assert_eq!(
            contract.ensures,
            [
                ("\\forall integer i; 0 <= i < n ==> data[i] == 0".to_string(), Some(7)),
                ("\\result >= -1".to_string(), Some(8))
            ]
        );
        let assigned = |pointer: &str, range: Option<(&str, &str)>| Assigned {
            pointer: pointer.into(),
            range: range.map(|(first, last)| (first.into(), last.into())),
        };
        assert_eq!(
            contract.assigns,
            Some(vec![assigned("out", None), assigned("data", Some(("0", "n - 1")))])
        );
    }

    #[test]
    fn plain_comments_are_no_contract() {
        assert_eq!(of("/* requires x; */\n// ensures y;\nint f(void);"), Ok(None));
        assert_eq!(of("//@ requires x;\nint g;\nint f(void);"), Ok(None));
    }

    #[test]
    fn nothing_may_be_assigned() {
        let contract = of("//@ assigns \\nothing;\nint f(void);").unwrap().unwrap();
        assert_eq!(contract.assigns, Some(vec![]));
    }

    #[test]
    fn unknown_clauses_are_told_with_their_line() {
        let told = of("\n//@ requires x;\n//@ decreases n;\nint f(void);").unwrap_err();
        assert!(told.contains("line 3") && told.contains("`decreases`"), "{told}");
        assert!(of("//@ assigns p + 1;\nint f(void);").unwrap_err().contains("is understood as"));
    }
}
