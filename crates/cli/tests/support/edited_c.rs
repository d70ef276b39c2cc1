//! Random C programs of several functions, and edits of one function, from a seed: two versions of a program.

use std::fmt::Write;

use crate::support::dice::Dice;

/// Bytes of input.
pub const INPUTS: usize = 4;
/// Functions beside `main`.
const FUNCTIONS: usize = 6;

/// A statement.
#[derive(Clone, Debug)]
enum Statement {
    /// `r = r OP C`.
    Compute(&'static str, u32),
    /// `g[I] = g[I] OP r`.
    Global(usize, &'static str),
    /// `r += table[in[I] & 3]`.
    Table(usize),
    /// A call of an earlier function.
    Call(usize, usize),
    /// A call through a table of functions.
    Indirect(usize),
    /// `if (in[I] OP C) { } else { }`.
    If(usize, &'static str, u32, Vec<Statement>, Vec<Statement>),
    /// A loop of `in[I] & 3` rounds.
    Loop(usize, Vec<Statement>),
    /// Output of a literal.
    Print(String),
    /// A division by `in[I] - C`.
    Divide(usize, u32),
    /// A write behind an object if `in[I] == C`.
    Overrun(usize, u32),
    /// Lines without code.
    Blank(usize),
}

/// A function.
#[derive(Clone, Debug)]
struct Function {
    number: usize,
    local: String,
    body: Vec<Statement>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    functions: Vec<Function>,
    table: [u32; 4],
    more: Vec<String>,
}

const OPERATORS: [&str; 4] = ["+", "^", "*", "-"];
const COMPARISONS: [&str; 4] = ["<", "==", ">=", "!="];

/// Random parts of programs.
struct Generator<'d> {
    dice: &'d mut Dice,
    /// Statements that may still be made.
    left: usize,
}

impl Generator<'_> {
    fn statement(&mut self, function: usize, deep: usize) -> Statement {
        self.left = self.left.saturating_sub(1);
        let d = &mut *self.dice;
        let (input, number) = (d.below(INPUTS), d.below(200) as u32);
        match d.below(if deep < 2 { 13 } else { 9 }) {
            0 | 1 => Statement::Compute(OPERATORS[d.below(4)], number),
            2 => Statement::Global(d.below(3), OPERATORS[d.below(4)]),
            3 => Statement::Table(input),
            4 | 5 if function > 0 => Statement::Call(d.below(function), input),
            6 if function > 2 => Statement::Indirect(input),
            7 if d.below(3) == 0 => Statement::Divide(input, number),
            7 if d.below(3) == 0 => Statement::Overrun(input, number),
            8 => Statement::Print(format!("f{function} {}\\n", number % 4)),
            9..=11 if self.left > 0 => {
                let comparison = COMPARISONS[d.below(4)];
                let then = self.statements(function, deep + 1, 2);
                let other = self.statements(function, deep + 1, 1);
                Statement::If(input, comparison, number, then, other)
            }
            12 if self.left > 0 => Statement::Loop(input, self.statements(function, deep + 2, 1)),
            _ => Statement::Compute(OPERATORS[d.below(4)], number),
        }
    }

    fn statements(&mut self, function: usize, deep: usize, most: usize) -> Vec<Statement> {
        let n = 1 + self.dice.below(most);
        (0..n).map(|_| self.statement(function, deep)).collect()
    }
}

/// A random program.
pub fn program(dice: &mut Dice) -> Program {
    let mut functions = Vec::new();
    for number in 0..FUNCTIONS {
        let body = Generator { dice, left: 3 }.statements(number, 0, 3);
        functions.push(Function { number, local: "r".into(), body });
    }
    let table = [0; 4].map(|_| dice.below(9) as u32);
    Program { functions, table, more: Vec::new() }
}

/// The names of the edits.
pub const EDITS: [&str; 12] = [
    "constant", "operator", "branch", "delete", "comment", "rename", "reorder", "literal", "global", "table",
    "function", "nothing",
];

/// Another version of a program: `edit` is one of [`EDITS`].
pub fn edited(program: &Program, edit: &str, dice: &mut Dice) -> Program {
    let mut new = program.clone();
    let chosen = dice.below(FUNCTIONS);
    let function = &mut new.functions[chosen];
    let mut generator = Generator { dice, left: 2 };
    match edit {
        "constant" => change(&mut function.body, &mut |s| match s {
            Statement::Compute(_, c) | Statement::If(_, _, c, ..) | Statement::Divide(_, c) => {
                *c = (*c + 7) % 256;
                true
            }
            _ => false,
        }),
        "operator" => change(&mut function.body, &mut |s| match s {
            Statement::Compute(op, _) | Statement::Global(_, op) => {
                *op = if *op == "+" { "^" } else { "+" };
                true
            }
            Statement::If(_, op, ..) => {
                *op = if *op == "<" { ">=" } else { "<" };
                true
            }
            _ => false,
        }),
        "branch" => {
            let then = generator.statements(chosen, 2, 1);
            let (input, number) = (generator.dice.below(INPUTS), generator.dice.below(200) as u32);
            function.body.push(Statement::If(input, "<", number, then, Vec::new()));
        }
        "delete" => drop(function.body.pop()),
        "comment" => function.body.insert(0, Statement::Blank(1 + generator.dice.below(3))),
        "rename" => function.local = "result".into(),
        "reorder" => new.functions.rotate_left(1 + chosen % (FUNCTIONS - 1)),
        "literal" => function.body.insert(0, Statement::Print(format!("new{chosen}\\n"))),
        "global" => {
            new.more.push(format!("int more_{chosen} = 5;"));
            function.body.insert(0, Statement::Global(3 + chosen, "+"));
        }
        "table" => new.table[chosen % 4] += 1,
        "function" => {
            new.more.push("static int extra(int a) { return a < 9 ? a * 3 : a; }".into());
            function.body.insert(0, Statement::Global(99, "+"));
        }
        _ => {}
    }
    new
}

/// Changes the first statement that `one` can change.
fn change(body: &mut [Statement], one: &mut dyn FnMut(&mut Statement) -> bool) {
    fn first(body: &mut [Statement], one: &mut dyn FnMut(&mut Statement) -> bool) -> bool {
        body.iter_mut().any(|s| {
            one(s)
                || match s {
                    Statement::If(_, _, _, a, b) => first(a, one) || first(b, one),
                    Statement::Loop(_, a) => first(a, one),
                    _ => false,
                }
        })
    }
    first(body, one);
}

impl Program {
    /// Its text.
    pub fn text(&self) -> String {
        let mut out = String::from("#include <klee/klee.h>\n#include <unistd.h>\n#include <string.h>\n");
        let _ = writeln!(out, "static unsigned char in[{INPUTS}];\nint g[3];");
        let table = self.table;
        let _ = writeln!(
            out,
            "static const int table[4] = {{{}, {}, {}, {}}};",
            table[0], table[1], table[2], table[3]
        );
        (0..FUNCTIONS).for_each(|n| {
            let _ = writeln!(out, "static int f{n}(int, int);");
        });
        out.push_str("static int (*const pointers[2])(int, int) = {f0, f1};\n");
        self.more.iter().for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
        for function in &self.functions {
            let (number, r) = (function.number, &function.local);
            let _ = writeln!(out, "static int f{number}(int a, int b) {{\n  int {r} = a + {number} * b;");
            function.body.iter().for_each(|s| statement(s, r, 1, &mut out));
            let _ = writeln!(out, "  return {r};\n}}");
        }
        out.push_str("int main(void) {\n  klee_make_symbolic(in, sizeof in, \"in\");\n  int r = 0;\n");
        for n in 0..FUNCTIONS {
            let _ = writeln!(
                out,
                "  if (in[{}] % {} == 0) r += f{n}(r, in[{}]);",
                n % INPUTS,
                n / 2 + 2,
                (n + 1) % INPUTS
            );
        }
        out.push_str("  return (r + g[0] + g[1] + g[2]) & 63;\n}\n");
        out
    }
}

fn statement(s: &Statement, r: &str, indent: usize, out: &mut String) {
    let pad = "  ".repeat(indent);
    let _ = match s {
        Statement::Compute(op, c) => writeln!(out, "{pad}{r} = (int)((unsigned){r} {op} {c}u);"),
        Statement::Global(99, _) => writeln!(out, "{pad}{r} += extra({r} & 31);"),
        Statement::Global(i @ 3.., _) => writeln!(out, "{pad}more_{} += 1; {r} += more_{0} & 3;", i - 3),
        Statement::Global(i, op) => {
            writeln!(out, "{pad}g[{i}] = (int)((unsigned)g[{i}] {op} (unsigned){r}) & 1023;")
        }
        Statement::Table(i) => writeln!(out, "{pad}{r} = ({r} + table[in[{i}] & 3]) & 4095;"),
        Statement::Call(f, i) => writeln!(out, "{pad}{r} = ({r} + f{f}({r} & 255, in[{i}])) & 4095;"),
        Statement::Indirect(i) => {
            writeln!(out, "{pad}{r} = ({r} + pointers[in[{i}] & 1]({r} & 255, 1)) & 4095;")
        }
        Statement::If(i, op, c, a, b) => {
            let _ = writeln!(out, "{pad}if (in[{i}] {op} {c}) {{");
            a.iter().for_each(|s| statement(s, r, indent + 1, out));
            let _ = writeln!(out, "{pad}}} else {{");
            b.iter().for_each(|s| statement(s, r, indent + 1, out));
            writeln!(out, "{pad}}}")
        }
        Statement::Loop(i, a) => {
            let _ = writeln!(out, "{pad}for (int n{indent} = 0; n{indent} < (in[{i}] & 3); n{indent}++) {{");
            a.iter().for_each(|s| statement(s, r, indent + 1, out));
            writeln!(out, "{pad}}}")
        }
        Statement::Print(text) => writeln!(out, "{pad}write(1, \"{text}\", strlen(\"{text}\"));"),
        Statement::Divide(i, c) => writeln!(out, "{pad}{r} = 100 / ((int)in[{i}] - {c});"),
        Statement::Overrun(i, c) => writeln!(out, "{pad}if (in[{i}] == {c}) ((volatile int *)g)[3] = 1;"),
        Statement::Blank(n) => writeln!(out, "{pad}/* a note */{}", "\n".repeat(*n)),
    };
}
