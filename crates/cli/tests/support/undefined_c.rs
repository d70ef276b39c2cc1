//! Random C programs in which some variables have no value on some paths: locals, elements, members, bit fields, and memory
//! of the heap. Undefined values are copied, computed with, and sometimes used.
//!
//! Only operations are generated for which MemorySanitizer knows exactly which bits of the result have a value, so that any
//! judge by bits has to agree with it.

use std::fmt::Write;

use crate::support::dice::Dice;

/// The text that all programs share.
const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
    struct pair { char c; short h; int w; unsigned f : 3, g : 5; };\n\
    static unsigned char in[3];\nstatic int sum;\n\
    __attribute__((noinline)) static int same(int v) { return v; }\n\
    __attribute__((noinline)) static struct pair same_pair(struct pair p) { return p; }\n";

/// A file with `count` programs; its first argument chooses one.
pub fn file(seed: u64, count: usize) -> String {
    let mut text = HEAD.to_string();
    for k in 0..count {
        let mut g =
            Generator { dice: Dice(seed.wrapping_mul(1_000_003) ^ k as u64), text: String::new(), depth: 1 };
        g.program(k);
        text += &g.text;
    }
    let table: Vec<_> = (0..count).map(|k| format!("program_{k}")).collect();
    write!(
        text,
        "static void (*const programs[])(void) = {{{}}};\n\
         int main(int argc, char **argv) {{\n  if (argc < 2 || read(0, in, 3) != 3) return 1;\n\
         \x20 programs[atoi(argv[1])]();\n  return sum & 7;\n}}\n",
        table.join(", ")
    )
    .unwrap();
    text
}

struct Generator {
    dice: Dice,
    text: String,
    depth: usize,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.dice.below(n)
    }

    fn line(&mut self, text: &str) {
        writeln!(self.text, "{:1$}{text}", "", 2 * self.depth).unwrap();
    }

    fn program(&mut self, k: usize) {
        writeln!(self.text, "static void program_{k}(void) {{").unwrap();
        for v in 0..4 {
            let text = match self.below(3) {
                0 => format!("int v{v};"),
                1 => format!("int v{v} = in[{}];", self.below(3)),
                _ => format!("int v{v} = {};", self.below(9)),
            };
            self.line(&text);
        }
        self.line("int a[4];");
        self.line("struct pair p, q;");
        self.line("int *h = malloc(16);");
        let n = 7 + self.below(7);
        self.statements(n);
        self.line("free(h);");
        self.text.push_str("}\n");
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..n {
            self.statement();
        }
    }

    fn place(&mut self) -> String {
        match self.below(10) {
            0..=3 => format!("v{}", self.below(4)),
            4 => format!("a[{}]", self.below(4)),
            5 => format!("a[in[{}] & 3]", self.below(3)),
            6 => format!("h[{}]", self.below(4)),
            7 => format!("p.{}", ["c", "h", "w"][self.below(3)]),
            8 => format!("p.{}", ["f", "g"][self.below(2)]),
            _ => format!("q.{}", ["c", "h", "w", "f", "g"][self.below(5)]),
        }
    }

    fn known(&mut self) -> String {
        if self.below(2) == 0 { format!("in[{}]", self.below(3)) } else { self.below(12).to_string() }
    }

    fn value(&mut self) -> String {
        match self.below(9) {
            0..=2 => self.known(),
            3 | 4 => self.place(),
            5 => format!("({} & {})", self.place(), 1 + self.below(12)),
            6 => format!("same({})", self.place()),
            7 => format!("({} {} {})", self.place(), ["+", "-", "^"][self.below(3)], self.known()),
            _ => format!("(signed char){}", self.place()),
        }
    }

    fn condition(&mut self) -> String {
        let left = match self.below(6) {
            0 => self.place(),
            1 => format!("({} & {})", self.place(), 1 << self.below(4)),
            _ => format!("in[{}]", self.below(3)),
        };
        format!("{left} {} {}", ["==", ">", "!="][self.below(3)], self.below(5))
    }

    fn block(&mut self, n: usize) {
        self.depth += 1;
        self.statements(n);
        self.depth -= 1;
    }

    fn statement(&mut self) {
        let most = if self.depth > 3 { 8 } else { 11 };
        match self.below(most) {
            0..=3 => {
                let (place, value) = (self.place(), self.value());
                self.line(&format!("{place} = {value};"));
            }
            4 => {
                let text = [
                    "q = p;",
                    "memcpy(&q, &p, sizeof p);",
                    "q = same_pair(p);",
                    "memcpy(h, a, sizeof a);",
                    "memmove(a, a + 1, 8);",
                ][self.below(5)];
                self.line(text);
            }
            5 => self.line("memset(&p, 0, sizeof p);"),
            6 => {
                let place = self.place();
                self.line(&format!("if ({place} == 3) sum++;"));
            }
            7 => {
                let text = [
                    "write(1, &p.w, 4);",
                    "write(1, a + 1, 8);",
                    "sum += a[v1 & 3] == 2;",
                    "write(1, h, in[1] & 4);",
                ][self.below(4)];
                self.line(text);
            }
            8 => {
                let limit = self.below(3);
                self.line(&format!("for (int i = 0; i < (in[{limit}] & 3); i++) {{"));
                let array = ["a", "h"][self.below(2)];
                self.depth += 1;
                let value = self.value();
                self.line(&format!("{array}[i] = {value};"));
                self.depth -= 1;
                self.line("}");
            }
            _ => {
                let cond = self.condition();
                self.line(&format!("if ({cond}) {{"));
                let n = 1 + self.below(3);
                self.block(n);
                if self.below(2) == 0 {
                    self.line("} else {");
                    let n = 1 + self.below(2);
                    self.block(n);
                }
                self.line("}");
            }
        }
    }
}
