//! Words of C, for texts that are no whole programs: contracts, and conditions in them.

/// Words of more than one character that are one operator, longest first.
const OPERATORS: [&str; 25] = [
    "<==>", "==>", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "..",
];

/// The words of a text: names (with a leading backslash where ACSL has one), numbers, literals and operators. Comments of C do not belong
/// into it.
///
/// # Errors
/// A sentence about a literal without an end.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(&first) = chars.get(at) {
        let rest = &chars[at..];
        let length = match first {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            '"' | '\'' => literal(rest).ok_or_else(|| format!("`{text}` has a literal without an end"))?,
            '\\' => 1 + prefix(&rest[1..], is_of_name),
            c if c.is_ascii_digit() => number(rest),
            c if is_of_name(c) => prefix(rest, is_of_name),
            _ => {
                let fits = |operator: &&&str| rest.iter().copied().take(operator.len()).eq(operator.chars());
                OPERATORS.iter().find(fits).map_or(1, |operator| operator.len())
            }
        };
        all.push(rest[..length].iter().collect());
        at += length;
    }
    Ok(all)
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn prefix(chars: &[char], belongs: impl Fn(char) -> bool) -> usize {
    chars.iter().take_while(|&&c| belongs(c)).count()
}

/// A number with its point, exponent and suffix. `0..n` is no number with a point.
fn number(chars: &[char]) -> usize {
    let whole = prefix(chars, is_of_name);
    match (chars.get(whole), chars.get(whole + 1)) {
        (Some('.'), Some('.')) => whole,
        (Some('.'), _) => whole + 1 + prefix(&chars[whole + 1..], is_of_name),
        _ => whole,
    }
}

fn literal(chars: &[char]) -> Option<usize> {
    let quote = chars[0];
    let mut at = 1;
    while *chars.get(at)? != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

/// Returns true if a word is a name of C.
pub fn is_name(word: &str) -> bool {
    word.chars().all(is_of_name) && word.chars().next().is_some_and(|c| !c.is_ascii_digit())
}

/// Parts of a text between the given operators, without those in brackets, and the operators between them.
///
/// # Errors
/// A sentence about brackets that do not fit.
pub fn split<'w>(words: &'w [String], at: &[&str]) -> Result<(Vec<&'w [String]>, Vec<&'w str>), String> {
    let (mut parts, mut between, mut start) = (Vec::new(), Vec::new(), 0);
    let mut open = Vec::new();
    for (n, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" | "[" | "{" => open.push(closing(word)),
            ")" | "]" | "}" if open.pop() != Some(word.as_str()) => {
                return Err(format!("`{}` has a `{word}` that closes nothing", written(words)));
            }
            operator if open.is_empty() && at.contains(&operator) => {
                parts.push(&words[start..n]);
                between.push(operator);
                start = n + 1;
            }
            _ => {}
        }
    }
    if let Some(missing) = open.pop() {
        return Err(format!("`{}` lacks a `{missing}`", written(words)));
    }
    parts.push(&words[start..]);
    Ok((parts, between))
}

fn closing(bracket: &str) -> &'static str {
    match bracket {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// Number of the word that closes the bracket at `open`. Brackets are known to fit.
pub fn closed_at(words: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (n, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n;
        }
    }
    words.len().saturating_sub(1)
}

/// Words that stand behind an operand without a blank.
const TIGHT: [&str; 13] = ["(", ")", "[", "]", "{", "}", ".", "..", ",", "->", "++", "--", ";"];

/// Words as a text. Blanks stand where a person puts them.
pub fn written(words: &[String]) -> String {
    let mut text = String::new();
    let mut after_operand = false;
    for (n, word) in words.iter().enumerate() {
        let is_operand =
            is_name(word) || word.starts_with(|c: char| c.is_ascii_digit() || "\\\"'".contains(c));
        let binary = !is_operand && after_operand && !TIGHT.contains(&word.as_str());
        let after_name = n > 0 && is_operand && (is_name(&words[n - 1]) || words[n - 1].starts_with('\\'));
        if binary || after_name {
            text.push(' ');
        }
        text.push_str(word);
        if binary || word == "," || word == ";" {
            text.push(' ');
        }
        after_operand = is_operand || matches!(word.as_str(), ")" | "]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_from_its_words() {
        for text in [
            "n <= 64",
            "\\valid(data + (0..n - 1))",
            "a->b.c[3] == 'x' && f(p, \"a\\\"b\") != 0x1f",
            "\\forall integer i; 0 <= i < n ==> p[i] == 1.5e3",
            "(unsigned char)c <==> !x",
            "-1 < *p",
            "\\valid(a + (0..n - 1)) && b > 0",
        ] {
            assert_eq!(written(&words(text).unwrap()), text);
        }
    }

    #[test]
    fn brackets_that_do_not_fit_are_told() {
        let told = |text: &str| split(&words(text).unwrap(), &[","]).map(|_| ()).unwrap_err();
        assert_eq!(told("f(a"), "`f(a` lacks a `)`");
        assert_eq!(told("a]"), "`a]` has a `]` that closes nothing");
        assert!(words("'a").is_err());
        let of = words("f(a, b), c[d, e], g").unwrap();
        assert_eq!(split(&of, &[","]).unwrap().0.len(), 3);
    }
}
