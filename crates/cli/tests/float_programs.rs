//! Programs that calculate with floating-point numbers: those of programs/floats end as their headers say, random ones as
//! the native program does, to the last bit.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use cleave_report::KTest;

use crate::support::dice::Dice;
use crate::support::{Program, built, cleave, corpus, each, succeeded};

/// Explores an executable; what was said.
fn explore(executable: &Path, run: &Path, options: &[&str]) -> String {
    let mut command = cleave();
    command.args(["run", "--workers=1", "--tests=all", "--output-dir"]).arg(run).args(options);
    let output = succeeded(command.arg(executable));
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Each test replays as foretold; tests of bugs end their programs natively too.
fn replay(executable: &Path, run: &Path, name: &str) {
    let mut command = cleave();
    let output = succeeded(command.arg("replay").arg(executable).arg(run));
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(" as foretold") && !text.contains("differ"), "{name}: {text}");
}

/// The words of a header line, quotes kept together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn judge(program: &Program) {
    for line in program.header("expect") {
        let scratch = tempfile::tempdir().unwrap();
        let (executable, run) = (scratch.path().join("program"), scratch.path().join("run"));
        let words = words(line);
        let count = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)).unwrap_or("0").to_string();
        let defines = words.iter().filter(|w| w.starts_with("-D"));
        let mut compile = cleave();
        built(compile.args(["cc", "-O0"]).args(defines).arg("-o").arg(&executable).arg(&program.source));
        // The longest question takes some seconds, on a busy machine more.
        let text = explore(&executable, &run, &["--solver-timeout=60000"]);
        let name = format!("{} {line}", program.source.display());
        let wanted = format!(
            ": {} completed, {} failed, 0 unsupported; 0 cut, 0 unknown",
            count("paths="),
            count("failed=")
        );
        assert!(text.contains(&wanted), "{name}: {text}");
        replay(&executable, &run, &name);
    }
}

#[test]
fn programs_on_numbers_end_as_their_headers_say_and_replay() {
    each(&corpus("floats"), judge);
}

/// A random expression of the variables so far.
fn expression(dice: &mut Dice, variables: usize, depth: u32) -> String {
    if depth == 0 || dice.below(4) == 0 {
        return match dice.below(4) {
            0 => format!("(T){}", ["0.5", "3", "-1.25", "1e10", "0.1", "7e-3", "0"][dice.below(7)]),
            _ => format!("v{}", dice.below(variables)),
        };
    }
    let a = expression(dice, variables, depth - 1);
    let b = expression(dice, variables, depth - 1);
    let v = format!("v{}", dice.below(variables));
    match dice.below(30) {
        0..=2 => format!("({a} + {b})"),
        3..=4 => format!("({a} - {b})"),
        5..=7 => format!("({a} * {b})"),
        8 => format!("({a} / {b})"),
        9 => format!("(T)({})({a})", ["float", "double", "long double"][dice.below(3)]),
        // Not of a constant: out of range that would be undefined for the compiler.
        10 => {
            let integer = ["int", "unsigned", "long", "unsigned long", "short", "unsigned char", "__int128"]
                [dice.below(7)];
            format!("(T)({integer}){v}")
        }
        11 => format!("M({})({a})", ["floor", "ceil", "trunc", "round", "rint", "nearbyint"][dice.below(6)]),
        12 => format!("M(fabs)(-({a}))"),
        13..=14 => format!("({a} < {b} ? {a} : {b})"),
        15..=16 => format!("M(fmod)({a}, {b})"),
        17 => format!("M(fmod)({a}, {})", ["1", "3", "0.1f", "64", "-10", "0.25f"][dice.below(6)]),
        18 => format!("M(remainder)({a}, {b})"),
        19 => format!("fused({a}, {b}, {v})"),
        20 => format!("M(sqrt)({a})"),
        21 => format!("M({})({a}, {b})", ["fmin", "fmax", "copysign", "fdim"][dice.below(4)]),
        22 => format!("(T)({}({a}))", ["isnan", "isinf", "fpclassify", "signbit", "isnormal"][dice.below(5)]),
        23 => format!("(T)M({})({v})", ["lrint", "llrint", "lround", "llround"][dice.below(4)]),
        24 => format!("turned({a}, {})", dice.below(32)),
        25..=26 => format!("(T){}", unsigned(dice, 2)),
        27 => {
            let to = ["double", "float", "long double"][dice.below(3)];
            format!("(T)({to}){}", unsigned(dice, 1))
        }
        28 => {
            let (vector, integers) = [("longs", "doubles"), ("ints", "floats")][dice.below(2)];
            let (x, y) = (unsigned(dice, 1), unsigned(dice, 1));
            format!("(T)__builtin_convertvector((({vector}){{{x}, {y}}}), {integers})[{}]", dice.below(2))
        }
        _ => format!("M(ldexp)({a}, {})", dice.below(9) as i32 - 4),
    }
}

/// A random expression of unsigned integers, which are zero often: how the compiler turns one into a number depends on what it knows
/// of its sign.
fn unsigned(dice: &mut Dice, depth: u32) -> String {
    if depth == 0 || dice.below(5) == 0 {
        return match dice.below(5) {
            0 => ["0", "1", "7", "0x8000000000000000", "0xffffffff"][dice.below(5)].to_string() + "ul",
            n => format!("w{}", n % 2),
        };
    }
    let (a, b) = (unsigned(dice, depth - 1), unsigned(dice, depth - 1));
    let bits = 1 + dice.below(63);
    match dice.below(18) {
        0..=1 => format!("({a} + {b})"),
        2..=3 => format!("({a} - {b})"),
        4 => format!("({a} * {b})"),
        5 => format!("({a} & {b})"),
        6 => format!("({a} | {b})"),
        7 => format!("({a} ^ {b})"),
        8 => format!("({a} >> {bits})"),
        9 => format!("((unsigned long)((long){a} >> {bits}))"),
        10 => format!("({a} << {bits})"),
        11 => format!("({a} / ({b} | 1))"),
        12 => format!("({a} % ({b} | 1))"),
        13 => format!("({a} % {bits})"),
        14 => format!("({a} < {b} ? {a} : {b})"),
        15 => format!("((unsigned long)__builtin_popcountl({a}))"),
        16 => {
            let narrow = ["unsigned", "unsigned char", "int", "short"][dice.below(4)];
            format!("((unsigned long)({narrow}){a})")
        }
        _ => format!("({a} ? {b} : w0)"),
    }
}

/// Text before each function: its kind of numbers, and operations that C has no names for. The payload of a NaN from a fused
/// product is not specified. Bits are turned in the upper part of the significand.
fn prelude(number: usize, kind: &str, suffix: &str) -> String {
    // An empty word cannot be joined to another.
    let name = if suffix.is_empty() { "name".to_string() } else { format!("name##{suffix}") };
    format!(
        "#undef T\n#undef M\n#undef fused\n#undef turned\n#define T {kind}\n#define M(name) {name}\n\
         #define fused fused{number}\n#define turned turned{number}\n\
         static T fused(T a, T b, T c) {{ T r = M(fma)(a, b, c); return r != r ? 1 : r; }}\n\
         static T turned(T a, int bit) {{\n  unsigned w;\n  char *p = (char *)&a + (sizeof a == 16 ? 4 : sizeof a - 4);\n  \
         memcpy(&w, p, 4);\n  w ^= (1u << bit) & (sizeof a == 16 ? 0x7fffffff : ~0u);\n  memcpy(p, &w, 4);\n  return a;\n}}\n"
    )
}

/// A function of four bytes that gives a number.
fn function(number: usize, dice: &mut Dice) -> String {
    let (kind, suffix) = [("float", "f"), ("double", ""), ("long double", "l")][dice.below(3)];
    let mut text = prelude(number, kind, suffix);
    let _ = writeln!(
        text,
        "__attribute__((noinline)) static void p{number}(const signed char *b) {{\n  T v0 = b[0], v1 = (T)b[1] / 8;"
    );
    text.push_str("  unsigned long w0 = (long)(b[0] >> 6), w1 = (unsigned char)b[3] % 3;\n");
    if dice.below(3) == 0 {
        let _ =
            writeln!(text, "  if (b[2] & 1) w0 = {}; else w1 = {};", unsigned(dice, 2), unsigned(dice, 2));
    }
    let mut variables = 2;
    if kind != "long double" && dice.below(3) == 0 {
        // Any pattern: those two bytes are the upper ones.
        text.push_str("  T v2 = 0;\n  memcpy((char *)&v2 + sizeof v2 - 2, b + 2, 2);\n");
        variables = 3;
    }
    for _ in 0..1 + dice.below(3) {
        let e = expression(dice, variables, 2);
        let _ = writeln!(text, "  T v{variables} = {e};");
        variables += 1;
    }
    for _ in 0..1 + dice.below(2) {
        let (a, b) = (expression(dice, variables, 1), expression(dice, variables, 1));
        let sign = ["<", "<=", ">", "==", "!="][dice.below(5)];
        let last = variables - 1;
        let _ = writeln!(text, "  if ({a} {sign} {b}) v{last} = v{last} - 1;");
    }
    let last = variables - 1;
    let _ = writeln!(text, "  say((unsigned char *)&v{last}, sizeof(T) == 16 ? 10 : sizeof(T));\n}}");
    text
}

/// Number of programs in one file.
const TOGETHER: usize = 100;

/// Number of random inputs for each program.
const INPUTS: usize = 6;

/// A file of random programs: the input `k` says which of them runs, in its rounding mode, on the input `b`. At the end the
/// input `c` tells inputs of one path apart, so that each has a test.
fn file(dice: &mut Dice) -> String {
    let mut text = String::from(
        "#include <fenv.h>\n#include <klee/klee.h>\n#include <math.h>\n#include <string.h>\n#include <unistd.h>\n\
         typedef unsigned long longs __attribute__((vector_size(16)));\n\
         typedef unsigned ints __attribute__((vector_size(8)));\n\
         typedef double doubles __attribute__((vector_size(16)));\n\
         typedef float floats __attribute__((vector_size(8)));\n\
         static void say(const unsigned char *p, unsigned long n) { write(1, p, n); }\n",
    );
    for number in 0..TOGETHER {
        text.push_str(&function(number, dice));
    }
    text.push_str("int main(void) {\n  unsigned char k, c;\n  signed char b[4];\n");
    text.push_str(
        "  klee_make_symbolic(&k, 1, \"k\");\n  klee_make_symbolic(&c, 1, \"c\");\n  \
         klee_make_symbolic(b, 4, \"b\");\n  switch (k) {\n",
    );
    for number in 0..TOGETHER {
        let mode =
            ["", "fesetround(FE_DOWNWARD); ", "fesetround(FE_UPWARD); ", "fesetround(FE_TOWARDZERO); "];
        let mode = mode[if number % 3 == 0 { 0 } else { dice.below(4) }];
        let _ = writeln!(text, "  case {number}: {mode}p{number}(b); break;");
    }
    let _ = writeln!(
        text,
        "  }}\n  for (int i = 1; i < {INPUTS}; i++)\n    if (c == i) return i;\n  return 0;\n}}"
    );
    text
}

/// Random inputs of each program, as files in `folder`.
fn write_seeds(dice: &mut Dice, folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    for number in 0..TOGETHER {
        for i in 0..INPUTS {
            let b = (dice.bits() as u32).to_le_bytes().to_vec();
            let objects = vec![
                ("k".to_string(), vec![number as u8]),
                ("c".to_string(), vec![i as u8]),
                ("b".to_string(), b),
            ];
            let test = KTest { args: vec![b"random".to_vec()], objects, ..KTest::default() };
            std::fs::write(folder.join(format!("{number}-{i}.ktest")), test.to_bytes().unwrap()).unwrap();
        }
    }
}

/// Number of programs that have a test, and number of tests.
fn judged(run: &Path) -> (usize, usize) {
    let (mut programs, mut tests) = (BTreeSet::new(), 0);
    for entry in std::fs::read_dir(run.join("tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ktest") {
            let test = KTest::parse(&std::fs::read(path).unwrap()).unwrap();
            programs.extend(test.object("k").filter(|k| usize::from(k[0]) < TOGETHER).map(|k| k[0]));
            tests += 1;
        }
    }
    (programs.len(), tests)
}

/// Number of programs (`CLEAVE_FLOAT_PROGRAMS` in the environment asks for more), and the seconds for the search for more
/// paths of a hundred of them: each makes hundreds of tests, which are replayed.
fn count() -> (usize, u32) {
    let asked = std::env::var("CLEAVE_FLOAT_PROGRAMS").ok().and_then(|v| v.parse().ok());
    (asked.unwrap_or(200), 5)
}

/// The number of the first hundred; `CLEAVE_FLOAT_SEED` in the environment asks for others.
fn first() -> u64 {
    std::env::var("CLEAVE_FLOAT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(1)
}

/// Each program runs on some random inputs, with all numbers as terms; then other paths of all of them are looked for.
/// Questions that are too hard for the solver stay open.
#[test]
fn random_programs_on_numbers_give_the_bits_that_they_give_natively() {
    let (programs, seconds) = count();
    for seed in (first()..).take(programs.div_ceil(TOGETHER)) {
        let mut dice = Dice(seed);
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str| scratch.path().join(name);
        let (source, executable, run, seeds) =
            (place("random.c"), place("random"), place("run"), place("seeds"));
        std::fs::write(&source, file(&mut dice)).unwrap();
        write_seeds(&mut dice, &seeds);
        succeeded(cleave().args(["cc", "-O0", "-w", "-o"]).arg(&executable).arg(&source));
        let said = explore(&executable, &run, &["--only-seeds", "--seed", seeds.to_str().unwrap()]);
        assert!(said.contains("0 failed, 0 unsupported"), "seed {seed}: {said}");
        let (count, first_tests) = judged(&run);
        assert_eq!(count, TOGETHER, "seed {seed}: a program has no test: {said}");
        let limit = format!("--max-time={seconds}s");
        let mut resume = cleave();
        let output =
            succeeded(resume.args(["resume", "--workers=1", "--solver-timeout=500", &limit]).arg(&run));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("0 failed, 0 unsupported"), "seed {seed}: {said}");
        replay(&executable, &run, &format!("seed {seed}"));
        let (_, tests) = judged(&run);
        println!("seed {seed}: {count} programs, {tests} tests, {} of them by search", tests - first_tests);
    }
}

/// Flags of a conversion as a format has them.
const FLAGS: [(char, u32); 5] = [('#', 3), ('0', 16), ('-', 13), (' ', 0), ('+', 11)];

/// A number of 80 bits, by mantissa and by sign and exponent: of all sizes, some near a digit's end, some that are no numbers.
fn printed_number(dice: &mut Dice) -> (u64, u16) {
    let (mantissa, choice) = (dice.bits(), dice.bits());
    let mantissa = match choice % 8 {
        0 => mantissa,
        1 => 1 << 63,
        2 => u64::MAX,
        3 => 0,
        // As a double has them, and as a small decimal fraction's.
        4 | 5 => mantissa >> 11 << 11 | 1 << 63,
        _ => 1 << 63 | choice >> 40 << 54,
    };
    let exponent = match choice / 8 % 8 {
        0 => choice >> 32 & 0x7fff,
        1 => 0x7fff,
        2 => 0,
        3 => 16383 - 1074 + (choice >> 32) % 2098,
        4 => 16383 + (choice >> 32) % 64,
        _ => 16383 - 16 + (choice >> 32) % 32,
    };
    (mantissa, exponent as u16 | (choice >> 63 << 15) as u16)
}

#[test]
fn numbers_are_printed_as_the_native_library_prints_them() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, executable) = (scratch.path().join("print.c"), scratch.path().join("print"));
    std::fs::write(&source, PRINTS).unwrap();
    succeeded(cleave().args(["cc", "-O1", "-o"]).arg(&executable).arg(&source));
    let cases = std::env::var("CLEAVE_PRINTED_NUMBERS").map_or(20_000, |n| n.parse().unwrap());
    let mut dice = Dice(38);
    let (mut asked, mut expected) = (String::new(), String::new());
    for _ in 0..cases {
        let (mantissa, sign_exponent) = printed_number(&mut dice);
        let mut names: Vec<(char, u32)> = FLAGS.into_iter().filter(|_| dice.below(4) == 0).collect();
        let shown: String = names.iter().map(|&(name, _)| if name == ' ' { '_' } else { name }).collect();
        // A number that stands on the left has no zeros in front, and nothing stands in front of a sign.
        if shown.contains('-') {
            names.retain(|&(name, _)| name != '0');
        }
        let width = [0, 0, 7, 20, 300][dice.below(5)];
        let precision = [-1, -1, 0, 1, 3, 9, 17, 25, 70, 600][dice.below(10)];
        let letter = b"aefgAEFG"[dice.below(8)];
        let flags = names.iter().fold(0, |all, (_, bit)| all | 1 << bit);
        let how = cleave_linux::Conversion { flags, width, precision, letter };
        let text = cleave_linux::number_text(mantissa, sign_exponent, how).concat();
        let letter = char::from(letter);
        writeln!(asked, "{mantissa} {sign_exponent} .{shown} {width} {precision} {letter}").unwrap();
        writeln!(expected, "{}", String::from_utf8(text).unwrap()).unwrap();
    }
    let input = scratch.path().join("input");
    std::fs::write(&input, &asked).unwrap();
    let stdin = std::fs::File::open(&input).unwrap();
    let printed = std::process::Command::new(&executable).stdin(stdin).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(printed.lines().count(), expected.lines().count());
    for ((ours, native), asked) in expected.lines().zip(printed.lines()).zip(asked.lines()) {
        assert_eq!(ours, native, "{asked}");
    }
}

const PRINTS: &str = r##"
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[200], format[40], flags[20], letter;
	unsigned long mantissa;
	unsigned sign;
	int width, precision;
	while (fgets(line, sizeof line, stdin)) {
		char *end = strchr(line, '.');
		sscanf(line, "%lu %u", &mantissa, &sign);
		size_t n = 0;
		for (end++; strchr("#0-_+", *end); end++)
			flags[n++] = *end == '_' ? ' ' : *end;
		flags[n] = 0;
		sscanf(end, " %d %d %c", &width, &precision, &letter);
		union { long double number; struct { unsigned long mantissa; unsigned short sign; } bits; } u = { 0 };
		u.bits.mantissa = mantissa;
		u.bits.sign = sign;
		snprintf(format, sizeof format, "%%%s*.*L%c\n", flags, letter);
		printf(format, width, precision, u.number);
	}
	return 0;
}
"##;
