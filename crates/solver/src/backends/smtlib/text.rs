//! Writes queries as SMT-LIB 2 and reads the answers of solvers. The module above calls it.
//!
//! Every term is a bit-vector, conditions too: those have one bit.

use std::fmt::Write;
use std::time::Duration;

use cleave_expr::{BinaryOp, ByteId, ByteSet, Node, TableId, Term, Terms};
use cleave_never::never;
use rustc_hash::FxHashSet;

use crate::backends::backend::{Conflict, Query};

/// A query as a file for any solver, with its answer and the time of the answer.
pub(super) fn file(
    terms: &Terms,
    query: &Query<'_>,
    bytes: &[ByteId],
    (status, took): (&str, Duration),
) -> String {
    let mut out =
        format!("; {status} after {} us\n(set-logic QF_BV)\n(set-info :status {status})\n", took.as_micros());
    question(&mut out, terms, query, bytes);
    out.push_str("(exit)\n");
    out
}

/// A query, from a `(reset)` to the `(check-sat)`, with a time limit in milliseconds; `limit` is the solver's option
/// for it.
pub(super) fn script(
    terms: &Terms,
    query: &Query<'_>,
    bytes: &[ByteId],
    limit: &str,
    milliseconds: u128,
) -> String {
    let mut out = format!(
        "(reset)\n(set-option :print-success false)\n(set-option :produce-models true)\n\
         (set-option :produce-unsat-cores true)\n(set-option {limit} {milliseconds})\n(set-logic QF_BV)\n"
    );
    question(&mut out, terms, query, bytes);
    out
}

/// The assertions of a query, and the `(check-sat)`.
fn question(out: &mut String, terms: &Terms, query: &Query<'_>, bytes: &[ByteId]) {
    for byte in bytes {
        line(out, format_args!("(declare-const b{} (_ BitVec 8))", byte.0));
    }
    let mut defined = FxHashSet::default();
    for &condition in query.conditions {
        define(out, terms, &mut defined, condition);
    }
    for (i, (byte, set)) in query.domains.iter().enumerate() {
        line(out, format_args!("(assert (! {} :named d{i}))", is_in(*byte, set)));
    }
    for (i, condition) in query.conditions.iter().enumerate() {
        line(out, format_args!("(assert (! (= t{} #b1) :named c{i}))", condition.index()));
    }
    out.push_str("(check-sat)\n");
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{text}");
}

/// The condition that a byte is in one of the set's intervals.
fn is_in(byte: ByteId, set: &ByteSet) -> String {
    let mut any = String::from("(or false");
    let mut next = 0u16;
    while next < 256 {
        let first = next;
        while next < 256 && set.contains(next as u8) {
            next += 1;
        }
        if next > first {
            let last = next - 1;
            let b = byte.0;
            line(&mut any, format_args!(" (and (bvule (_ bv{first} 8) b{b}) (bvule b{b} (_ bv{last} 8)))"));
        }
        next += 1;
    }
    any.push(')');
    any
}

/// Defines a term after its operands.
fn define(out: &mut String, terms: &Terms, defined: &mut FxHashSet<Term>, term: Term) {
    let mut stack = vec![term];
    while let Some(&top) = stack.last() {
        let before = stack.len();
        if !defined.contains(&top) {
            stack.extend(terms.children(top).filter(|c| !defined.contains(c)));
        }
        if stack.len() > before {
            continue;
        }
        stack.pop();
        if defined.insert(top) {
            let (name, width) = (top.index(), terms.width(top));
            line(out, format_args!("(define-fun t{name} () (_ BitVec {width}) {})", meaning(terms, top)));
        }
    }
}

/// The meaning of a term in the names of its operands.
fn meaning(terms: &Terms, term: Term) -> String {
    let width = terms.width(term);
    let t = |term: Term| format!("t{}", term.index());
    let wider = |term: Term| width - terms.width(term);
    match terms.node(term) {
        Node::Const(_) | Node::WideConst(_) => match terms.constant(term) {
            Some(value) => format!("(_ bv{value} {width})"),
            None => {
                never!("a constant without a value");
                // No solver takes this: the query has no answer.
                "()".into()
            }
        },
        Node::Byte(id) => format!("b{}", id.0),
        Node::Not(a) => format!("(bvnot {})", t(a)),
        Node::Ite(c, a, b) => format!("(ite (= {} #b1) {} {})", t(c), t(a), t(b)),
        Node::Extract(a, low) => {
            format!("((_ extract {} {low}) {})", low + u32::from(width) - 1, t(a))
        }
        Node::Zext(a) => format!("((_ zero_extend {}) {})", wider(a), t(a)),
        Node::Sext(a) => format!("((_ sign_extend {}) {})", wider(a), t(a)),
        Node::Table(id, index) => table(terms, id, index),
        Node::Float(op, ..) => {
            never!("a floating-point `{}` in a script", op.name());
            // No solver takes this: the query has no answer.
            "()".into()
        }
        Node::Binary(op, a, b) => {
            let (name, truth) = operator(op);
            match truth {
                true => format!("(ite ({name} {} {}) #b1 #b0)", t(a), t(b)),
                false => format!("({name} {} {})", t(a), t(b)),
            }
        }
    }
}

/// The name of an operator, and true if its result is a truth value and no bit-vector.
fn operator(op: BinaryOp) -> (&'static str, bool) {
    match op {
        BinaryOp::Add => ("bvadd", false),
        BinaryOp::Sub => ("bvsub", false),
        BinaryOp::Mul => ("bvmul", false),
        BinaryOp::UDiv => ("bvudiv", false),
        BinaryOp::SDiv => ("bvsdiv", false),
        BinaryOp::URem => ("bvurem", false),
        BinaryOp::SRem => ("bvsrem", false),
        BinaryOp::And => ("bvand", false),
        BinaryOp::Or => ("bvor", false),
        BinaryOp::Xor => ("bvxor", false),
        BinaryOp::Shl => ("bvshl", false),
        BinaryOp::LShr => ("bvlshr", false),
        BinaryOp::AShr => ("bvashr", false),
        BinaryOp::Eq => ("=", true),
        BinaryOp::Ult => ("bvult", true),
        BinaryOp::Slt => ("bvslt", true),
        BinaryOp::Concat => ("concat", false),
    }
}

/// A table as a tree of comparisons of its index; zero behind its end.
fn table(terms: &Terms, id: TableId, index: Term) -> String {
    let (entries, width) = (terms.table_entries(id).iter().collect::<Vec<u64>>(), terms.table_width(id));
    let bits = terms.width(index);
    let reached = if bits < 32 { 1usize << bits } else { usize::MAX };
    let used = &entries[..entries.len().min(reached)];
    let mut out = String::new();
    if used.len() < reached {
        // The number of entries fits the index, as there are more indices than entries.
        let _ = write!(out, "(ite (bvult t{} (_ bv{} {bits})) ", index.index(), used.len());
        branch(&mut out, used, 0, (index, bits, width));
        let _ = write!(out, " (_ bv0 {width}))");
    } else {
        branch(&mut out, used, 0, (index, bits, width));
    }
    out
}

/// The entries of a table from the index `first` on.
fn branch(out: &mut String, entries: &[u64], first: usize, (index, bits, width): (Term, u8, u8)) {
    let value = entries.first().copied().unwrap_or_default();
    if entries.iter().all(|&entry| entry == value) {
        let _ = write!(out, "(_ bv{value} {width})");
        return;
    }
    let (low, high) = entries.split_at(entries.len() / 2);
    let middle = first + low.len();
    let _ = write!(out, "(ite (bvult t{} (_ bv{middle} {bits})) ", index.index());
    branch(out, low, first, (index, bits, width));
    out.push(' ');
    branch(out, high, middle, (index, bits, width));
    out.push(')');
}

/// The command that asks for the values of bytes, at least one.
pub(super) fn ask_values(bytes: &[ByteId]) -> String {
    let names: Vec<String> = bytes.iter().map(|byte| format!("b{}", byte.0)).collect();
    format!("(get-value ({}))\n", names.join(" "))
}

/// Returns true if all parentheses are closed.
pub(super) fn is_balanced(answer: &str) -> bool {
    let count = |c| answer.matches(c).count();
    count('(') == count(')')
}

/// The words of an answer, without parentheses.
fn words(answer: &str) -> impl Iterator<Item = &str> {
    answer.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|word| !word.is_empty())
}

/// The values that a solver gave: `((b0 #x41) (b3 #b00000000) (b7 (_ bv10 8)))`.
pub(super) fn values(answer: &str, bytes: &[ByteId]) -> Result<Vec<(ByteId, u8)>, String> {
    let wrong = || format!("gave values that make no sense: `{answer}`");
    let mut words = words(answer);
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if words.next() != Some(&format!("b{}", byte.0)) {
            return Err(wrong());
        }
        let value = words.next().ok_or_else(wrong)?;
        let value = match (value.strip_prefix("#x"), value.strip_prefix("#b"), value) {
            (Some(digits), ..) => u8::from_str_radix(digits, 16).ok(),
            (_, Some(digits), _) => u8::from_str_radix(digits, 2).ok(),
            (_, _, "_") => {
                let decimal = words.next().and_then(|word| word.strip_prefix("bv")?.parse().ok());
                // The width.
                words.next().and(decimal)
            }
            _ => None,
        };
        out.push((byte, value.ok_or_else(wrong)?));
    }
    Ok(out)
}

/// The part of a query that a solver names: `(c0 d2)`.
pub(super) fn core(answer: &str, query: &Query<'_>) -> Result<Conflict, String> {
    let mut conflict = Conflict::default();
    for word in words(answer) {
        let wrong = || format!("gave a core that makes no sense: `{answer}`");
        let number = |text: &str| text.parse::<usize>().ok();
        let condition = word.strip_prefix('c').and_then(number).and_then(|i| query.conditions.get(i));
        let domain = word.strip_prefix('d').and_then(number).and_then(|i| query.domains.get(i));
        match (condition, domain) {
            (Some(&condition), _) => conflict.conditions.push(condition),
            (_, Some(&domain)) => conflict.domains.push(domain),
            (None, None) => return Err(wrong()),
        }
    }
    Ok(conflict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_in_every_form_and_nonsense_is_refused() {
        let bytes = [ByteId(0), ByteId(12), ByteId(3)];
        let read = values("((b0 #x41) (b12 #b00000011)\n (b3 (_ bv200 8)))", &bytes);
        assert_eq!(read, Ok(vec![(bytes[0], 0x41), (bytes[1], 3), (bytes[2], 200)]));
        for wrong in
            ["", "()", "((b0 #x41))", "((b1 #x41) (b12 #x00) (b3 #x00))", "((b0 #x141) (b12 #x00) (b3 #x00))"]
        {
            assert!(values(wrong, &bytes).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_answer_is_whole_when_its_parentheses_are() {
        assert!(is_balanced("sat") && is_balanced("(c0 d1)") && !is_balanced("((b0 #x00)"));
    }

    #[test]
    fn a_table_ends_in_zeros_where_its_index_goes_on() {
        let mut terms = Terms::new();
        let index = terms.byte(0, 0);
        let id = terms.intern_table(8, &[7, 7, 9]);
        let i = index.index();
        assert_eq!(
            table(&terms, id, index),
            format!(
                "(ite (bvult t{i} (_ bv3 8)) (ite (bvult t{i} (_ bv1 8)) (_ bv7 8) \
                 (ite (bvult t{i} (_ bv2 8)) (_ bv7 8) (_ bv9 8))) (_ bv0 8))"
            )
        );
    }
}
