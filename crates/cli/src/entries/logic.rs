//! Conditions of contracts as expressions of C: a small part of ACSL, the language of Frama-C's contracts, in which each expression of C
//! means itself.

use crate::entries::tokens::{closed_at, split, words, written};

/// The name of a function's result in the C that is made.
pub const RESULT: &str = "cleave_result";

/// A condition in C, and the expressions whose values before the call it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// The expression.
    pub text: String,
    /// `\old(E)`: expressions that stand in it as [`old_name`] of their number.
    pub old: Vec<String>,
}

/// Name of the variable with the value of an expression before the call.
pub fn old_name(number: usize) -> String {
    format!("cleave_old_{number}")
}

/// The condition of a text, with `old` values numbered from `first`.
///
/// # Errors
/// A sentence about a part that is neither C nor known of ACSL.
pub fn condition(text: &str, first: usize) -> Result<Condition, String> {
    let words = words(text)?;
    let mut maker = Maker { first, old: Vec::new() };
    let text = maker.condition(&words)?;
    Ok(Condition { text, old: maker.old })
}

/// Conjuncts of a condition, as texts: each is an assumption of its own, without a branch between them.
///
/// # Errors
/// As [`condition`].
pub fn conjuncts(text: &str) -> Result<Vec<String>, String> {
    let all = words(text)?;
    let looser = split(&all, &["?", "||", "==>", "<==>", ";"])?.1;
    if !looser.is_empty() {
        return Ok(vec![text.trim().to_string()]);
    }
    Ok(split(&all, &["&&"])?.0.into_iter().map(written).collect())
}

/// The comparisons of a condition in which one follows another: `0 <= i` and `i < n`. Empty where there are fewer than two.
///
/// # Errors
/// A sentence about brackets that do not fit.
pub fn chained(words: &[String]) -> Result<Vec<Vec<String>>, String> {
    let (parts, operators) = split(words, &COMPARISONS)?;
    // C's own order of operators: `a & 1 == 0` is no comparison of `a & 1`.
    if operators.len() < 2 || !split(words, &["&", "|", "^"])?.1.is_empty() {
        return Ok(Vec::new());
    }
    let pair = |(n, operator): (usize, &&str)| [parts[n], &[operator.to_string()], parts[n + 1]].concat();
    Ok(operators.iter().enumerate().map(pair).collect())
}

/// Comparisons, which may follow one another: `0 <= i < n`.
pub const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

struct Maker {
    first: usize,
    old: Vec<String>,
}

impl Maker {
    fn condition(&mut self, words: &[String]) -> Result<String, String> {
        if let Some(quantifier) = words.first().filter(|word| *word == "\\forall" || *word == "\\exists") {
            return self.quantified(quantifier, &words[1..]);
        }
        if let Some([condition, rest]) = in_two(words, "?")? {
            let [yes, no] =
                branches(rest)?.ok_or_else(|| format!("`{}` has a `?` without its `:`", written(words)))?;
            let [condition, yes, no] =
                [self.condition(condition)?, self.condition(yes)?, self.condition(no)?];
            return Ok(format!("({condition} ? {yes} : {no})"));
        }
        if let Some([left, right]) = in_two(words, "<==>")? {
            return Ok(format!("(!{} == !{})", self.grouped(left)?, self.grouped(right)?));
        }
        if let Some([left, right]) = in_two(words, "==>")? {
            return self.joined(&[&negated(left), right], "||");
        }
        for operator in ["||", "&&"] {
            let (parts, operators) = split(words, &[operator])?;
            if !operators.is_empty() {
                return self.joined(&parts, operator);
            }
        }
        self.compared(words)
    }

    fn grouped(&mut self, words: &[String]) -> Result<String, String> {
        Ok(format!("({})", self.condition(words)?))
    }

    /// Parts that are all to hold, or one of them. Without an access of memory there is nothing that one part has to guard from
    /// another, so both are evaluated, and no path is spent on a branch.
    fn joined(&mut self, parts: &[&[String]], operator: &str) -> Result<String, String> {
        if parts.iter().any(|part| part.is_empty()) {
            return Err(format!("a `{operator}` has nothing on one of its sides"));
        }
        let total = parts.iter().all(|part| !may_fail(part));
        let parts = parts.iter().map(|part| self.condition(part)).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<_> = parts.iter().map(|part| format!("!!({part})")).collect();
        let operator = if total { &operator[..1] } else { operator };
        Ok(format!("({})", parts.join(&format!(" {operator} "))))
    }

    /// `a <= b < c` is `a <= b && b < c`.
    fn compared(&mut self, words: &[String]) -> Result<String, String> {
        let pairs = chained(words)?;
        if pairs.is_empty() {
            return self.plain(words);
        }
        let pairs: Vec<&[String]> = pairs.iter().map(Vec::as_slice).collect();
        self.joined(&pairs, "&&")
    }

    /// C, with the words of ACSL in it replaced.
    fn plain(&mut self, words: &[String]) -> Result<String, String> {
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let opens = words.get(at + 1).is_some_and(|next| next == "(");
            let word = word.as_str();
            match word {
                "\\result" => out.push(RESULT.into()),
                "\\null" => out.push("((void *)0)".into()),
                "\\true" => out.push("1".into()),
                "\\false" => out.push("0".into()),
                "\\old" | "\\at" if opens => {
                    let end = closed_at(words, at + 1);
                    let inner = &words[at + 2..end];
                    let (parts, _) = split(inner, &[","])?;
                    if word == "\\at"
                        && !parts.get(1).is_some_and(|label| **label == ["Pre"] || **label == ["Old"])
                    {
                        return Err(format!("`{}` is no value before the call", written(&words[at..=end])));
                    }
                    let value = self.plain(if word == "\\at" { parts[0] } else { inner })?;
                    out.push(old_name(self.first + self.old.len()));
                    self.old.push(value);
                    at = end;
                }
                "(" | "[" => {
                    let end = closed_at(words, at);
                    let (parts, _) = split(&words[at + 1..end], &[","])?;
                    let parts =
                        parts.into_iter().map(|part| self.condition(part)).collect::<Result<Vec<_>, _>>()?;
                    out.push(format!("{word}{}{}", parts.join(", "), words[end]));
                    at = end;
                }
                _ if word.starts_with('\\') => {
                    return Err(format!(
                        "`{word}` is not known here; write the condition in C, or leave it out"
                    ));
                }
                _ => out.push(word.into()),
            }
            at += 1;
        }
        Ok(written_c(&out))
    }

    /// `integer i; 0 <= i < n ==> E` behind the quantifier; of `\exists` with `&&`.
    fn quantified(&mut self, quantifier: &str, words: &[String]) -> Result<String, String> {
        let all = quantifier == "\\forall";
        let form = || {
            let operator = if all { "==>" } else { "&&" };
            format!(
                "`{quantifier}` is understood as `{quantifier} integer i; A <= i < B {operator} CONDITION`"
            )
        };
        let (parts, _) = split(words, &[";"])?;
        let [binder, body] = parts[..] else { return Err(form()) };
        let name = binder.last().filter(|_| binder.len() >= 2).ok_or_else(form)?;
        let (range, body) = if all {
            in_two(body, "==>")?.map(|[range, body]| (range.to_vec(), body.to_vec()))
        } else {
            let (parts, _) = split(body, &["&&"])?;
            (parts.len() > 1).then(|| (parts[0].to_vec(), body[parts[0].len() + 1..].to_vec()))
        }
        .ok_or_else(form)?;
        let (bounds, operators) = split(&range, &COMPARISONS)?;
        let ([low, middle, high], [first, second]) = (&bounds[..], &operators[..]) else {
            return Err(form());
        };
        if *middle != std::slice::from_ref(name) || !first.starts_with('<') || !second.starts_with('<') {
            return Err(form());
        }
        let (low, high) = (self.plain(low)?, self.plain(high)?);
        let start = if *first == "<" { format!("({low}) + 1") } else { low };
        let body = self.condition(&body)?;
        let (neutral, join) = if all { (1, "&=") } else { (0, "|=") };
        Ok(format!(
            "({{ int cleave_all = {neutral}; for (long long {name} = {start}; {name} {second} ({high}); {name}++) \
             cleave_all {join} !!({body}); cleave_all; }})"
        ))
    }
}

/// Words whose evaluation can fail, so that a condition in front of them counts: accesses, and arithmetic that can overflow.
const MAY_FAIL: [&str; 11] = ["*", "->", "[", "/", "%", "(", "+", "-", "<<", ">>", "\\exists"];

/// Returns true if the evaluation of a condition can fail. A negative number cannot.
fn may_fail(words: &[String]) -> bool {
    let is_operand = |word: &String| {
        word == ")" || word == "]" || word.starts_with(|c: char| c.is_alphanumeric() || "_\\\"'".contains(c))
    };
    let is_sign = |n: usize| {
        words[n] == "-"
            && words.get(n + 1).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()))
            && !n.checked_sub(1).is_some_and(|before| is_operand(&words[before]))
    };
    words.iter().enumerate().any(|(n, word)| MAY_FAIL.contains(&word.as_str()) && !is_sign(n))
}

/// Returns true if the evaluation of a text as a condition can fail.
///
/// # Errors
/// As [`condition`].
pub fn can_fail(text: &str) -> Result<bool, String> {
    Ok(may_fail(&words(text)?))
}

fn negated(words: &[String]) -> Vec<String> {
    [&["!".to_string(), "(".into()], words, &[")".into()]].concat()
}

/// The branches of a `?`, of which the first may have branches itself.
fn branches(words: &[String]) -> Result<Option<[&[String]; 2]>, String> {
    let (parts, operators) = split(words, &["?", ":"])?;
    let (mut open, mut at) = (0, 0);
    for (part, operator) in parts.iter().zip(operators) {
        at += part.len();
        match operator {
            "?" => open += 1,
            _ if open == 0 => return Ok(Some([&words[..at], &words[at + 1..]])),
            _ => open -= 1,
        }
        at += 1;
    }
    Ok(None)
}

/// Both sides of the first such operator.
fn in_two<'w>(words: &'w [String], operator: &str) -> Result<Option<[&'w [String]; 2]>, String> {
    let (parts, operators) = split(words, &[operator])?;
    Ok((!operators.is_empty()).then(|| [parts[0], &words[parts[0].len() + 1..]]))
}

/// Pieces of C as one text: those that are names stay apart.
fn written_c(pieces: &[String]) -> String {
    pieces.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(text: &str) -> String {
        condition(text, 0).unwrap().text
    }

    #[test]
    fn comparisons_that_follow_one_another_are_pairs() {
        assert_eq!(c("n <= 64"), "n <= 64");
        assert_eq!(c("0 <= i < n"), "(!!(0 <= i) & !!(i < n))");
        assert_eq!(c("a & 1 == 0"), "a & 1 == 0");
    }

    #[test]
    fn what_guards_an_access_stays_in_front_of_it() {
        assert_eq!(c("a == 1 || b == 2"), "(!!(a == 1) | !!(b == 2))");
        assert_eq!(c("p && p->x"), "(!!(p) && !!(p -> x))");
        assert_eq!(c("p ==> *p == 1"), "(!!(! (p)) || !!(* p == 1))");
        assert_eq!(c("n < 9 ==> n + m < 20"), "(!!(! (n < 9)) || !!(n + m < 20))");
        assert_eq!(c("-1 <= n < 9"), "(!!(- 1 <= n) & !!(n < 9))");
    }

    #[test]
    fn words_of_acsl_become_c() {
        assert_eq!(c("\\result == -1 <==> \\false"), "(!(cleave_result == - 1) == !(0))");
        let old = condition("*p == \\old(*p) + \\at(q[1], Pre)", 3).unwrap();
        assert_eq!(old.text, "* p == cleave_old_3 + cleave_old_4");
        assert_eq!(old.old, ["* p", "q [1]"]);
        assert!(
            c("\\forall integer i; 0 <= i < n ==> p[i] == 0").contains("for (long long i = 0; i < (n); i++)")
        );
        assert!(c("\\exists integer i; 0 < i <= n && p[i] == 0").contains("i = (0) + 1; i <= (n)"));
        assert_eq!(c("a ? 1 : b || d ? 2 : 3"), "(a ? 1 : ((!!(b) | !!(d)) ? 2 : 3))");
        assert_eq!(c("a ? b ? 1 : 2 : 3"), "(a ? (b ? 1 : 2) : 3)");
        assert_eq!(c("x ? a < b < c : d"), "(x ? (!!(a < b) & !!(b < c)) : d)");
    }

    #[test]
    fn unknown_words_are_told() {
        let told = |text: &str| condition(text, 0).unwrap_err();
        assert!(told("\\fresh(p)").contains("`\\fresh`"));
        assert!(told("\\at(x, Here)").contains("no value before the call"));
        assert!(told("\\forall integer i; p[i]").contains("is understood as"));
        assert!(told("a && ").contains("nothing on one of its sides"));
        assert!(told("a ? b").contains("without its `:`"));
    }

    #[test]
    fn a_conjunction_is_several_conditions() {
        assert_eq!(conjuncts("a < b && c").unwrap(), ["a < b", "c"]);
        assert_eq!(conjuncts("a && b || c").unwrap(), ["a && b || c"]);
    }
}
