//! Conditions as C text have the same values as the terms: the test compiles the text with a C compiler.

use std::fmt::Write as _;
use std::process::Command;

use cleave_expr::{BinaryOp, LEFT_OUT, Names, Term, Terms};

struct Arrays;

impl Names for Arrays {
    fn byte(&self, object: u32, offset: u32) -> String {
        format!("b{object}[{offset}]")
    }

    fn word(&self, object: u32, offset: u32, len: u32) -> String {
        let kind = ["unsigned short", "int", "long"][len.ilog2() as usize - 1];
        format!("*({kind} *)&b{object}[{offset}]")
    }
}

/// Pseudo-random numbers, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const WIDTHS: [u8; 6] = [8, 16, 24, 32, 48, 64];
const BYTES: u32 = 8;

/// A random term of a width.
fn term(terms: &mut Terms, dice: &mut Dice, width: u8, depth: u32) -> Term {
    use BinaryOp::*;
    if depth == 0 || dice.below(8) == 0 {
        return leaf(terms, dice, width);
    }
    let mut part = |terms: &mut Terms, width: u8| term(terms, dice, width, depth - 1);
    let (a, b) = (part(terms, width), part(terms, width));
    let choice = dice.below(24);
    let few = terms.constant_of(width, dice.below(u64::from(width)).into());
    let divisor = terms.constant_of(width, 2 + u128::from(dice.below(120)));
    match choice {
        0..=1 => terms.binary(Add, a, b),
        2 => {
            let c = terms.constant_of(width, u128::MAX - u128::from(dice.below(300)));
            terms.binary(Add, a, c)
        }
        3 => terms.binary(Sub, a, b),
        4 => terms.binary(Mul, a, b),
        5 => terms.binary(UDiv, a, divisor),
        6 => terms.binary(SDiv, a, divisor),
        7 => terms.binary(URem, a, divisor),
        8 => terms.binary(SRem, a, divisor),
        9 => terms.binary(And, a, b),
        10 => terms.binary(Or, a, b),
        11 => terms.binary(Xor, a, b),
        12 => terms.binary(Shl, a, few),
        13 => terms.binary(LShr, a, few),
        14 => terms.binary(AShr, a, few),
        15 => terms.not(a),
        16..=17 => {
            let c = condition(terms, dice, depth - 1);
            terms.ite(c, a, b)
        }
        18 if width < 64 => {
            let wide = term(terms, dice, 64, depth - 1);
            let low = dice.below(u64::from(64 - width)) as u32;
            terms.extract(wide, low, width)
        }
        19 if width > 8 => {
            let narrow = term(terms, dice, 8, depth - 1);
            terms.sext(narrow, width)
        }
        20 if width > 16 => {
            let narrow = term(terms, dice, 16, depth - 1);
            terms.sext(narrow, width)
        }
        21 if width > 32 => {
            let narrow = term(terms, dice, 32, depth - 1);
            if dice.below(2) == 0 { terms.sext(narrow, width) } else { terms.zext(narrow, width) }
        }
        22 if width > 8 => {
            let (high, low) = (term(terms, dice, width - 8, depth - 1), term(terms, dice, 8, depth - 1));
            terms.binary(Concat, high, low)
        }
        23 => {
            let c = condition(terms, dice, depth - 1);
            if dice.below(2) == 0 { terms.zext(c, width) } else { terms.sext(c, width) }
        }
        _ => terms.binary(Sub, b, a),
    }
}

fn leaf(terms: &mut Terms, dice: &mut Dice, width: u8) -> Term {
    if dice.below(4) == 0 {
        let value = if dice.below(2) == 0 { dice.below(200) } else { u64::MAX - dice.below(200) };
        return terms.constant_of(width, value.into());
    }
    let bytes = u32::from(width / 8);
    let (object, first) = (dice.below(2) as u32, dice.below(u64::from(BYTES - bytes + 1)) as u32);
    if width > 8 && dice.below(2) == 0 {
        let byte = terms.byte(object, first);
        return terms.zext(byte, width);
    }
    let mut word = terms.byte(object, first);
    for i in 1..bytes {
        let high = terms.byte(object, first + i);
        word = terms.binary(BinaryOp::Concat, high, word);
    }
    word
}

/// A random condition.
fn condition(terms: &mut Terms, dice: &mut Dice, depth: u32) -> Term {
    use BinaryOp::*;
    if depth > 0 && dice.below(3) == 0 {
        let (a, b) = (condition(terms, dice, depth - 1), condition(terms, dice, depth - 1));
        return match dice.below(5) {
            0 => terms.and(a, b),
            1 => terms.or(a, b),
            2 => terms.xor(a, b),
            3 => terms.eq(a, b),
            _ => terms.not(a),
        };
    }
    let width = WIDTHS[dice.below(WIDTHS.len() as u64) as usize];
    if dice.below(8) == 0 {
        let word = term(terms, dice, width, depth);
        let low = dice.below(u64::from(width)) as u32;
        return terms.extract(word, low, 1);
    }
    let (a, b) = (term(terms, dice, width, depth), term(terms, dice, width, depth));
    let op = [Eq, Ult, Slt][dice.below(3) as usize];
    let t = terms.binary(op, a, b);
    if dice.below(2) == 0 { terms.not(t) } else { t }
}

#[test]
fn the_text_means_what_the_condition_means() {
    let (mut terms, mut dice) = (Terms::new(), Dice(17));
    let mut tests: Vec<Vec<u8>> = vec![vec![0; 16], vec![255; 16]];
    tests.extend((0..30).map(|_| {
        let any = |dice: &mut Dice| [0, 1, 127, 128, 255, dice.below(256) as u8][dice.below(6) as usize];
        (0..16).map(|_| any(&mut dice)).collect()
    }));
    // Each test is one array of 16 bytes, 8 for each object.
    let mut source = String::from("#include <stdio.h>\nunsigned char b0[8], b1[8];\n");
    let mut asked: Vec<(Term, String)> = Vec::new();
    while asked.len() < 1500 {
        let depth = 1 + dice.below(4) as u32;
        let cond = condition(&mut terms, &mut dice, depth);
        let text = terms.c_text(cond, &Arrays, 500);
        if terms.constant64(cond).is_none() && !text.contains(LEFT_OUT) {
            writeln!(source, "static int f{}(void) {{ return !!({text}); }}", asked.len()).unwrap();
            asked.push((cond, text));
        }
    }
    source += "int main(void) {\n  unsigned char in[16];\n  while (fread(in, 16, 1, stdin)) {\n";
    source += "    __builtin_memcpy(b0, in, 8); __builtin_memcpy(b1, in + 8, 8);\n";
    for i in 0..asked.len() {
        writeln!(source, "    putchar('0' + f{i}());").unwrap();
    }
    source += "    putchar('\\n');\n  }\n  return 0;\n}\n";
    let folder = std::env::temp_dir().join(format!("cleave-c-text-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, program, input) = (folder.join("t.c"), folder.join("t"), folder.join("in"));
    std::fs::write(&file, source).unwrap();
    std::fs::write(&input, tests.concat()).unwrap();
    let compiled = Command::new("clang-19")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-o"])
        .args([&program, &file])
        .output()
        .expect("clang-19 is needed: scripts/setup.sh installs it");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let said = Command::new(&program).stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(said.lines().count(), tests.len());
    for (test, line) in tests.iter().zip(said.lines()) {
        let nothing = terms.witness(&[]);
        let ids: Vec<_> = (0..16).map(|i| terms.byte_id(i / 8, i % 8)).collect();
        let witness = terms.patched(&nothing, ids.into_iter().zip(test.iter().copied()));
        for ((cond, text), said) in asked.iter().zip(line.bytes()) {
            assert_eq!(
                terms.holds(*cond, &witness),
                said == b'1',
                "{text}\n{}\n{test:?}",
                terms.text(*cond, 20)
            );
        }
    }
}

#[test]
fn conditions_read_as_people_write_them() {
    let mut terms = Terms::new();
    let [x, y] = [terms.byte(0, 0), terms.byte(0, 1)];
    let constant = |terms: &mut Terms, v: u8| terms.constant_of(8, v.into());
    let [a, z, high] = [b'a', b'z', 0x80].map(|v| constant(&mut terms, v));
    let said = |terms: &mut Terms, cond: Term| terms.c_text(cond, &Arrays, 20);
    let is_a = terms.eq(x, a);
    assert_eq!(said(&mut terms, is_a), "b0[0] == 'a'");
    let not_a = terms.not(is_a);
    assert_eq!(said(&mut terms, not_a), "b0[0] != 'a'");
    let negative = terms.ule(high, x);
    assert_eq!(said(&mut terms, negative), "b0[0] >= 0x80");
    let (least, most) = (terms.ule(a, x), terms.ule(x, z));
    let letter = terms.and(least, most);
    assert_eq!(said(&mut terms, letter), "b0[0] >= 'a' && b0[0] <= 'z'");
    let less = terms.ult(x, y);
    assert_eq!(said(&mut terms, less), "b0[0] < b0[1]");
    let wide = [x, y].map(|t| terms.zext(t, 32));
    let sum = terms.add(wide[0], wide[1]);
    let hundred = terms.constant_of(32, 100);
    let small = terms.slt(sum, hundred);
    let text = said(&mut terms, small);
    assert!(["b0[0] + b0[1] < 100", "b0[1] + b0[0] < 100"].contains(&&*text), "{text}");
    // Long conditions are cut off.
    let mut long = small;
    for i in 0..100 {
        let byte = terms.byte(1, i);
        let other = terms.eq(byte, y);
        long = terms.and(long, other);
    }
    let text = said(&mut terms, long);
    assert!(text.contains(LEFT_OUT) && text.len() < 500, "{text}");
}
