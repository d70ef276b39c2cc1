//! Random C++ programs with exceptions: functions that throw, catch, hand on and clean up, by conditions on three bytes. A program
//! prints each condition with its side, so its paths differ in what they print.

use std::fmt::Write;

use super::dice::Dice;

/// Values of a byte, one on each side of every condition.
pub const CLASSES: [u8; 4] = [10, 100, 150, 250];
/// The bytes are compared with these.
const LIMITS: [u8; 3] = [64, 128, 192];
/// Bytes of the input.
pub const INPUTS: usize = 3;
/// Functions of a program, none of which calls itself or one behind it.
const FUNCTIONS: usize = 6;

const HEAD: &str = r#"#include <klee/klee.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <unistd.h>

static unsigned char in[3];
static int checks, events;

static void say(const char *text, long n)
{
    char line[64];
    write(1, line, std::snprintf(line, sizeof line, "%s %ld\n", text, n));
}
static bool above(int k, int limit, int place)
{
    checks++;
    if (in[k] > limit) {
        say("above", place);
        return true;
    }
    say("below", place);
    return false;
}
struct Base { int n; explicit Base(int m) : n(m) {} virtual ~Base() {} virtual int kind() const { return 1; } };
struct Left : virtual Base { explicit Left(int m) : Base(m) {} int kind() const override { return 2; } };
struct Right : virtual Base { explicit Right(int m) : Base(m) {} int kind() const override { return 3; } };
struct Both : Left, Right { explicit Both(int m) : Base(m), Left(m), Right(m) {} int kind() const override { return 4; } };
struct Copied {
    int n;
    explicit Copied(int m) : n(m) { events++; }
    Copied(const Copied &other) : n(other.n + 1) { events++; }
    ~Copied() { events--; }
};
"#;

const TAIL: &str = r#"
int main(int argc, char **argv)
{
    if (argc > 3)
        for (int i = 0; i < 3; i++)
            in[i] = std::atoi(argv[i + 1]);
    else
        klee_make_symbolic(in, sizeof in, "in");
    long result = 0;
    long (*const all[])(long) = {f5, f4, f3, f2};
    for (auto *f : all) {
        try {
            result += f(result & 7);
        } catch (const Base &base) {
            result += 100 + base.kind();
        } catch (const Copied &) {
            result += 110;
        } catch (int n) {
            result += 120 + n % 10;
        } catch (const std::exception &e) {
            say(e.what(), result);
        } catch (double) {
            result += 3;
        }
    }
    say("end", result * 1000 + checks * 10 + events);
    return result & 63;
}
"#;

/// An expression that is thrown.
const THROWN: [&str; 8] = [
    "5",
    "2.5",
    "Base(n)",
    "Left(n)",
    "Both(n)",
    "Copied(n)",
    "std::out_of_range(\"range\")",
    "(const char *)\"text\"",
];
/// The type that a handler catches, and a number out of the exception.
const CAUGHT: [(&str, &str); 9] = [
    ("int e", "e"),
    ("double e", "(long)(e * 2)"),
    ("const Base &e", "e.kind()"),
    ("const Right &e", "10 + e.kind()"),
    ("Left e", "20 + e.kind()"),
    ("const Copied &e", "e.n"),
    ("const std::logic_error &e", "e.what()[0]"),
    ("const std::exception &e", "e.what()[1]"),
    ("const char *e", "e[2]"),
];

struct Writer<'d> {
    dice: &'d mut Dice,
    text: String,
    /// The number of the next place that prints something.
    place: usize,
    function: usize,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * depth);
    }

    fn next_place(&mut self) -> usize {
        self.place += 1;
        self.place
    }

    fn condition(&mut self) -> String {
        let (k, limit) = (self.dice.below(INPUTS), LIMITS[self.dice.below(LIMITS.len())]);
        format!("above({k}, {limit}, {})", self.next_place())
    }

    fn call(&mut self) -> String {
        match self.function {
            0 => "n + 1".into(),
            own => format!("f{}(n + {})", self.dice.below(own), self.dice.below(3)),
        }
    }

    fn throw(&mut self, depth: usize) {
        let (thrown, condition) = (THROWN[self.dice.below(THROWN.len())], self.condition());
        self.line(depth, &format!("if ({condition})"));
        self.line(depth + 1, &format!("throw {thrown};"));
    }

    fn handlers(&mut self, depth: usize, open: usize) {
        for _ in 0..1 + self.dice.below(3) {
            let (caught, number) = CAUGHT[self.dice.below(CAUGHT.len())];
            let place = self.next_place();
            self.line(depth, &format!("}} catch ({caught}) {{"));
            self.line(depth + 1, &format!("say(\"caught {place} with\", {number});"));
            self.in_handler(depth + 1, open);
        }
        if self.dice.below(3) == 0 {
            let place = self.next_place();
            self.line(depth, "} catch (...) {");
            self.line(depth + 1, &format!("say(\"any\", {place} + 100 * std::uncaught_exceptions());"));
            self.in_handler(depth + 1, open);
        }
        self.line(depth, "}");
    }

    fn in_handler(&mut self, depth: usize, open: usize) {
        match self.dice.below(5) {
            0 => self.line(depth, "throw;"),
            1 => self.throw(depth),
            2 if open > 0 => self.statement(depth, open - 1),
            3 => self.line(depth, "kept = std::current_exception();"),
            _ => self.line(depth, "n += 3;"),
        }
    }

    fn statement(&mut self, depth: usize, open: usize) {
        match self.dice.below(8) {
            0 => self.throw(depth),
            1 | 2 => {
                let call = self.call();
                self.line(depth, &format!("n += {call};"));
            }
            3 => {
                let place = self.next_place();
                self.line(depth, &format!("Guard{} guard{place}{{{place}}};", self.function));
                self.throw(depth);
            }
            4 if open > 0 => {
                self.line(depth, "for (int i = 0; i < 2; i++) {");
                self.statement(depth + 1, open - 1);
                self.line(depth, "}");
            }
            5 => self.line(depth, "if (kept && n % 3 == 0)\n        std::rethrow_exception(kept);"),
            _ if open > 0 => {
                self.line(depth, "try {");
                for _ in 0..1 + self.dice.below(2) {
                    self.statement(depth + 1, open - 1);
                }
                self.handlers(depth, open);
            }
            _ => self.throw(depth),
        }
    }

    /// A class whose destructor may throw and catch inside, or only speak.
    fn guard(&mut self) {
        let own = self.function;
        let inside = match (self.dice.below(3), own) {
            (0, 1..) => {
                let callee = self.dice.below(own);
                format!("try {{ f{callee}(2); }} catch (...) {{ say(\"inside\", n); }} ")
            }
            _ => String::new(),
        };
        self.line(
            0,
            &format!("struct Guard{own} {{ int n; ~Guard{own}() {{ {inside}say(\"guard\", n); }} }};"),
        );
    }

    fn function(&mut self) {
        self.guard();
        let mark = if self.dice.below(6) == 0 { " noexcept" } else { "" };
        let own = self.function;
        self.line(0, &format!("static long f{own}(long n){mark}\n{{\n    std::exception_ptr kept;"));
        for _ in 0..2 + self.dice.below(3) {
            self.statement(1, 2);
        }
        self.line(0, "    return n;\n}\n");
    }
}

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut writer = Writer { dice: &mut dice, text: HEAD.into(), place: 0, function: 0 };
    for function in 0..FUNCTIONS {
        writer.function = function;
        writer.function();
    }
    writer.text + TAIL
}
