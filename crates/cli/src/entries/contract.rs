//! Contracts of functions: the inputs that a function may be called with, and the promises that it makes about its results.
//!
//! `parse(data[n], n <= 64, out, name: string <= 8)` is one on the command line. A comment above the function is another; see
//! [`crate::entries::annotations`].

use crate::entries::logic::{self, COMPARISONS};
use crate::entries::tokens::{closed_at, is_name, split, words, written};

/// An item of a contract, about what a function is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `place[count]`: a pointer to exactly that many elements. `place` alone, of a parameter that is a pointer, is one element; of a global
    /// variable or a member it says that its value is symbolic.
    Object {
        /// The pointer: a parameter, a global variable, or a member of what one of these points to.
        place: String,
        /// Number of elements; `None` is one element.
        count: Option<String>,
        /// It may be null, too.
        nullable: bool,
    },
    /// `place: string <= most`: a pointer to characters and a zero.
    Text {
        /// The pointer.
        place: String,
        /// Greatest number of characters in front of the zero.
        most: String,
        /// It may be null, too.
        nullable: bool,
    },
    /// `place = value`: no input.
    Fixed {
        /// The variable or member.
        place: String,
        /// An expression of C.
        value: String,
    },
    /// A condition that inputs fulfil.
    Assumed(String),
}

impl Item {
    /// The place that an item is about.
    pub fn place(&self) -> Option<&str> {
        match self {
            Item::Object { place, .. } | Item::Text { place, .. } | Item::Fixed { place, .. } => Some(place),
            Item::Assumed(_) => None,
        }
    }

    /// The item as a user writes it.
    pub fn written(&self) -> String {
        let maybe = |nullable: &bool| if *nullable { "?" } else { "" };
        match self {
            Item::Object { place, count: Some(count), nullable } => {
                format!("{place}[{count}]{}", maybe(nullable))
            }
            Item::Object { place, count: None, nullable } => format!("{place}{}", maybe(nullable)),
            Item::Text { place, most, nullable } => format!("{place}{}: string <= {most}", maybe(nullable)),
            Item::Fixed { place, value } => format!("{place} = {value}"),
            Item::Assumed(condition) => condition.clone(),
        }
    }
}

/// A contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// The function.
    pub function: String,
    /// Items about its inputs, in the order of the text.
    pub given: Vec<Item>,
    /// Conditions that hold when it returns, each with the line of its text in the source, if it has one.
    pub ensures: Vec<(String, Option<u32>)>,
    /// The places that it may write, of what its parameters point to; `None` is all of them.
    pub assigns: Option<Vec<Assigned>>,
}

/// Bytes that a function may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The pointer to them.
    pub pointer: String,
    /// The first element and the last one; `None` is the first element alone.
    pub range: Option<(String, String)>,
}

/// The function and the items of `function(item, ...)`; `None` where there are no brackets, and the text is a name.
///
/// # Errors
/// A sentence about a part that is not understood.
pub fn parsed(text: &str) -> Result<Option<Contract>, String> {
    let all = words(text)?;
    let Some(open) = all.iter().position(|word| word == "(") else { return Ok(None) };
    // Names of namespaces stand in front of a function's.
    let is_name_there = |(n, word): (usize, &String)| if n % 3 == 0 { is_name(word) } else { word == ":" };
    if open % 3 != 1 || !all[..open].iter().enumerate().all(is_name_there) {
        return Ok(None);
    }
    let function = all[..open].concat();
    split(&all, &[])?;
    if closed_at(&all, open) + 1 != all.len() {
        return Err(format!("`{text}` goes on behind the items of `{function}`"));
    }
    let inner = &all[open + 1..all.len() - 1];
    let mut contract = Contract { function, ..Contract::default() };
    if !inner.is_empty() {
        for part in split(inner, &[","])?.0 {
            contract.given.push(item(part)?);
        }
    }
    Ok(Some(contract))
}

fn item(words: &[String]) -> Result<Item, String> {
    let whole = written(words);
    let words = &dereferenced(words)[..];
    let length = place_length(words);
    let (place, mut rest) = (written(&words[..length]), &words[length..]);
    if length == 0 || words.is_empty() {
        return assumed(&whole);
    }
    let mut count = None;
    if rest.first().is_some_and(|word| word == "[") {
        let end = closed_at(rest, 0);
        count = Some(written(&rest[1..end]));
        rest = &rest[end + 1..];
    }
    let nullable = rest.first().is_some_and(|word| word == "?") && rest.get(1).is_none_or(|next| next == ":");
    if nullable {
        rest = &rest[1..];
    }
    let says = |n: usize| rest.get(n).map(String::as_str);
    match (says(0), says(1), says(2)) {
        (None, ..) if count.as_deref() == Some("") => {
            Err(format!("`{whole}` does not say how many elements there are"))
        }
        (None, ..) => Ok(Item::Object { place, count, nullable }),
        (Some(":"), Some("string"), None) => {
            Err(format!("`{whole}` does not say how long the string is at most; write `{whole} <= 16`"))
        }
        (Some(":"), Some("string"), Some("<=")) if rest.len() > 3 && count.is_none() => {
            Ok(Item::Text { place, most: written(&rest[3..]), nullable })
        }
        (Some("="), Some(_), _) if count.is_none() && !nullable => {
            Ok(Item::Fixed { place, value: written(&rest[1..]) })
        }
        _ => assumed(&whole),
    }
}

/// The words of an item with `p[0]` for the place `*p` or `(*p)` that it begins with.
fn dereferenced(words: &[String]) -> Vec<String> {
    let (pointer, rest) = match words {
        [open, star, pointer, close, rest @ ..] if open == "(" && star == "*" && close == ")" => {
            (pointer, rest)
        }
        [star, pointer, rest @ ..] if star == "*" && rest.first().is_none_or(|next| next != "[") => {
            (pointer, rest)
        }
        _ => return words.to_vec(),
    };
    let first = [pointer.as_str(), "[", "0", "]"].map(String::from);
    let all = [&first[..], rest].concat();
    // Anything else is a condition.
    if is_name(pointer) && place_length(&all) >= first.len() { all } else { words.to_vec() }
}

fn assumed(text: &str) -> Result<Item, String> {
    let words_of_text = words(text)?;
    if let [star, pointer, bracket, ..] = &words_of_text[..]
        && star == "*"
        && is_name(pointer)
        && bracket == "["
        && closed_at(&words_of_text, 2) + 1 == words_of_text.len()
    {
        let rest = written(&words_of_text[2..]);
        return Err(format!(
            "`{text}` is no condition; for the elements that `*{pointer}` points to write `{pointer}[0]{rest}`"
        ));
    }
    logic::condition(text, 0)?;
    if !split(&words(text)?, &["="])?.1.is_empty() {
        return Err(format!(
            "`{text}` gives no place a value and is no condition; write == for a comparison"
        ));
    }
    Ok(Item::Assumed(text.to_string()))
}

/// Number of words of the place that begins here: `a`, `a->b`, `a.b->c`, and `a[0]` where something is said about this element.
fn place_length(words: &[String]) -> usize {
    if !words.first().is_some_and(|word| is_name(word)) {
        return 0;
    }
    let mut length = 1;
    loop {
        match &words[length..] {
            [dot, member, ..] if (dot == "->" || dot == ".") && is_name(member) => length += 2,
            [open, number, close, next, rest @ ..]
                if open == "["
                    && close == "]"
                    && number.starts_with(|c: char| c.is_ascii_digit())
                    && (["[", "->", ".", ":", "="].contains(&next.as_str())
                        || next == "?" && rest.first().is_some_and(|word| word == ":")) =>
            {
                length += 3;
            }
            _ => return length,
        }
    }
}

/// A greatest value of an expression, as far as assumptions bound the places in it: the expression with their bounds. Places without a
/// bound come back as well.
///
/// # Errors
/// A sentence about a text that is no expression.
pub fn bounded(expression: &str, given: &[Item]) -> Result<(String, Vec<String>), String> {
    let all = words(expression)?;
    let (mut out, mut unbounded) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < all.len() {
        let is_value =
            |word: &String| is_name(word) || word == ")" || word == "]" || word.starts_with(char::is_numeric);
        let follows_value = at > 0 && is_value(&all[at - 1]);
        let length = match &all[at..] {
            // What a pointer points to is a place, too.
            [star, pointer, ..] if star == "*" && !follows_value && is_name(pointer) => 2,
            rest => place_length(rest),
        };
        let is_call = all.get(at + length).is_some_and(|next| next == "(");
        if length == 0 || is_call || all[at] == "sizeof" {
            out.push(all[at].clone());
            at += 1;
            continue;
        }
        let place = written(&all[at..at + length]);
        match bound_of(&place, given)? {
            Some(bound) => out.push(format!("({bound})")),
            None => {
                out.push(place.clone());
                unbounded.push(place);
            }
        }
        at += length;
    }
    Ok((out.join(" "), unbounded))
}

/// The greatest value of a place that an assumption names, as C.
fn bound_of(place: &str, given: &[Item]) -> Result<Option<String>, String> {
    for item in given {
        let text = match item {
            Item::Assumed(text) => text,
            Item::Fixed { place: fixed, value } if fixed == place => return Ok(Some(value.clone())),
            _ => continue,
        };
        for conjunct in logic::conjuncts(text)? {
            let all = words(&conjunct)?;
            let (parts, operators) = split(&all, &COMPARISONS)?;
            for (n, operator) in operators.iter().enumerate() {
                let (left, right) = (written(parts[n]), written(parts[n + 1]));
                match *operator {
                    "<=" | "==" if left == place => return Ok(Some(right)),
                    "<" if left == place => return Ok(Some(format!("{right} - 1"))),
                    ">=" | "==" if right == place => return Ok(Some(left)),
                    ">" if right == place => return Ok(Some(format!("{left} - 1"))),
                    _ => {}
                }
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Vec<Item> {
        parsed(text).unwrap().unwrap().given
    }

    #[test]
    fn items_say_sizes_texts_values_and_conditions() {
        let all = given(
            "f(data[2 * n], 0 < n <= 64, out?, name?: string <= 8, flags = A | 1, s->buf[s->len], x && y, p ? a : b)",
        );
        let object = |place: &str, count: Option<&str>, nullable| Item::Object {
            place: place.into(),
            count: count.map(Into::into),
            nullable,
        };
        assert_eq!(
            all,
            [
                object("data", Some("2 * n"), false),
                Item::Assumed("0 < n <= 64".into()),
                object("out", None, true),
                Item::Text { place: "name".into(), most: "8".into(), nullable: true },
                Item::Fixed { place: "flags".into(), value: "A | 1".into() },
                object("s->buf", Some("s->len"), false),
                Item::Assumed("x && y".into()),
                Item::Assumed("p ? a : b".into()),
            ]
        );
        assert_eq!(given("f()"), []);
        assert_eq!(
            given("f((*p)[n], p[1]?: string <= 3, a[2] = 5, *q = p[0] + 1, d[4]?, d[3] == 0, *n <= 4)"),
            [
                object("p[0]", Some("n"), false),
                Item::Text { place: "p[1]".into(), most: "3".into(), nullable: true },
                Item::Fixed { place: "a[2]".into(), value: "5".into() },
                Item::Fixed { place: "q[0]".into(), value: "p[0] + 1".into() },
                object("d", Some("4"), true),
                Item::Assumed("d[3] == 0".into()),
                Item::Assumed("*n <= 4".into()),
            ]
        );
        for item in given("f(data[n], out?, name: string <= 8, flags = 1)") {
            assert_eq!(given(&format!("f({})", item.written())), [item]);
        }
    }

    #[test]
    fn a_name_is_no_contract_and_nonsense_is_told() {
        assert_eq!(parsed("parse_header"), Ok(None));
        assert_eq!(parsed("text::parse"), Ok(None));
        assert_eq!(parsed("a::b::parse(n)").unwrap().unwrap().function, "a::b::parse");
        assert_eq!(parsed("operator+(n)"), Ok(None));
        let told = |text: &str| parsed(text).unwrap_err();
        assert!(told("f(data[])").contains("how many elements"));
        assert!(told("f(name: string)").contains("how long"));
        assert!(told("f(a + b = 3)").contains("write =="));
        assert!(told("f(*p[n])").contains("write `p[0][n]`"));
        assert!(
            told("f(a[n)").contains("closes nothing")
                && told("f(a[n]").contains("lacks a `)`")
                && told("f(a) + 1").contains("goes on")
        );
    }

    #[test]
    fn bounds_come_from_assumptions() {
        let of = |expression: &str, items: &str| bounded(expression, &given(&format!("f({items})"))).unwrap();
        assert_eq!(of("2 * n + 1", "0 <= n < 10"), ("2 * (10 - 1) + 1".into(), vec![]));
        assert_eq!(of("s->len", "16 >= s->len && 1"), ("(16)".into(), vec![]));
        assert_eq!(of("n + m", "n == 3"), ("(3) + m".into(), vec!["m".into()]));
        assert_eq!(of("2 * *n", "*n <= 4"), ("2 * (4)".into(), vec![]));
        assert_eq!(of("8", ""), ("8".into(), vec![]));
    }
}
