//! Words of a program for a mutator: constants that its own code compares with, and texts in its constant data.

use std::collections::BTreeSet;

use cleave_program::code::{Function, Op, Operand, Program};

/// Maximum number of words: mutators choose each with the same chance.
const MOST: usize = 1024;
/// Maximum length of a text, in bytes; longer ones are messages.
const LONGEST: usize = 32;

/// The words of `program`, constants first, each once.
pub(crate) fn words(program: &Program) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |word: Vec<u8>| {
        if !word.is_empty() && words.len() < MOST && known.insert(word.clone()) {
            words.push(word);
        }
    };
    for function in program.functions.iter().filter(|f| !f.library) {
        for op in &function.code {
            for (value, bits) in compared(function, op) {
                number(value, bits).into_iter().for_each(&mut add);
            }
        }
    }
    for global in program.globals.iter().filter(|g| g.constant && !g.library) {
        let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
        let texts = global.init.split(|byte| !is_text(byte));
        texts.filter(|text| text.len() <= LONGEST).for_each(|text| add(text.to_vec()));
    }
    words
}

/// The constants that an op compares with, and their bits.
fn compared(function: &Function, op: &Op) -> Vec<(u64, u8)> {
    let constant = |o: &Operand| function.constants.get(o.as_constant()? as usize).copied();
    match op {
        Op::Cmp { w, a, b, .. } | Op::CmpBranch { w, a, b, .. } => {
            [a, b].into_iter().filter_map(constant).map(|value| (value, *w)).collect()
        }
        Op::Switch { w, table, .. } => {
            let cases = function.switches.get(*table as usize).map_or(&[][..], |table| &table.cases);
            cases.iter().map(|&(value, _)| (value, *w)).collect()
        }
        _ => Vec::new(),
    }
}

/// A number as it may stand in an input: as one byte if it fits, otherwise in both orders of bytes.
fn number(value: u64, bits: u8) -> Vec<Vec<u8>> {
    let bytes = usize::from(bits.div_ceil(8)).min(8);
    let little = value.to_le_bytes()[..bytes].to_vec();
    if value < 256 {
        return vec![vec![value as u8]];
    }
    let big = little.iter().rev().copied().collect();
    vec![little, big]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = r#"
target triple = "x86_64-unknown-linux-musl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@table = constant [12 x i8] c"GET\00POST\00\01x\00"
define i32 @main(i32 %n, ptr %v) {
  %a = icmp ugt i32 %n, 305419896
  br i1 %a, label %big, label %small
big:
  switch i32 %n, label %small [ i32 91, label %end
                                i32 258, label %end ]
small:
  %place = getelementptr i8, ptr @table, i32 %n
  %letter = load i8, ptr %place
  %result = zext i8 %letter to i32
  ret i32 %result
end:
  ret i32 0
}
"#;

    #[test]
    fn constants_of_comparisons_and_switches_and_texts_are_words() {
        let words = words(&cleave_program::load(PROGRAM.as_bytes()).unwrap());
        for word in
            [&b"["[..], b"GET", b"POST", b"x", &[2, 1, 0, 0], &[0, 0, 1, 2], &[0x12, 0x34, 0x56, 0x78]]
        {
            assert!(words.iter().any(|known| known == word), "{word:?} in {words:?}");
        }
    }
}
