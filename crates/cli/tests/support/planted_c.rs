//! C programs with one planted bug each, of every kind that clang's sanitizers report, behind a condition on the input,
//! and beside it the same code with values that are no bug.

use std::fmt::Write;

use crate::support::dice::Dice;

/// Sanitizer that knows a kind of bug, by which the compiler's flags are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knows {
    /// AddressSanitizer, with LeakSanitizer.
    Address,
    /// UndefinedBehaviorSanitizer.
    Undefined,
    /// MemorySanitizer.
    Memory,
}

/// A kind of bug: its name, and C in one line in which `@` stands for a value between these bounds: no bug, and a bug.
pub struct Kind {
    pub name: &'static str,
    pub knows: Knows,
    code: &'static str,
    good: (i64, i64),
    bad: (i64, i64),
}

/// A generated program.
pub struct Planted {
    pub kind: &'static Kind,
    /// An input that comes to the bug.
    pub trigger: [u8; 3],
    /// The line of the bug. If it is in a function that programs share, its line is above all programs.
    pub line: usize,
}

macro_rules! kinds {
    ($($knows:ident { $($name:literal: $code:literal $good:tt $bad:tt;)* })*) => {
        /// Every kind.
        pub const KINDS: &[Kind] = &[$($(Kind {
            name: $name, knows: Knows::$knows, code: $code, good: $good, bad: $bad,
        },)*)*];
    };
}

kinds! {
    Address {
        "heap write": "char *p = malloc(8); p[@] = 1; free(p);" (0, 7) (8, 15);
        "heap read": "char *p = calloc(8, 1); USE(p[@]); free(p);" (0, 7) (8, 15);
        "heap write of words": "int *p = malloc(32); p[@] = 1; free(p);" (0, 7) (8, 10);
        "heap write that ends beyond": "long *p = malloc(20); p[@] = 1; free(p);" (0, 1) (2, 2);
        "heap write before": "char *p = malloc(8); p[-(@)] = 1; free(p);" (0, 0) (1, 8);
        "heap read before": "int *p = calloc(8, 1); USE(p[-(@)]); free(p);" (0, 0) (1, 3);
        "copy to": "char *p = malloc(8); memcpy(p, data, @); free(p);" (0, 8) (9, 15);
        "copy from": "char *p = calloc(8, 1), q[16]; memcpy(q, p, @); free(p);" (0, 8) (9, 15);
        "move to": "char *p = malloc(8); memmove(p, data, @); free(p);" (0, 8) (9, 15);
        "set": "char *p = malloc(8); memset(p, 1, @); free(p);" (0, 8) (9, 15);
        "copy to a place": "char *p = calloc(8, 1); memcpy(p + (@), data, 3); free(p);" (0, 5) (6, 15);
        "copy from a place": "char *p = calloc(8, 1), q[3]; memcpy(q, p + (@), 3); USE(q[1]); free(p);" (0, 5) (6, 15);
        "set at a place": "char *p = malloc(8); memset(p + (@), 1, 3); free(p);" (0, 5) (6, 15);
        "record beyond": "struct pair p = ((struct pair *)words)[@]; kept = (char *)&p; USE(p.w);" (0, 1) (2, 3);
        "negative size": "char *p = malloc(8); memmove(p, data, -(size_t)(@)); free(p);" (0, 0) (1, 1);
        "compare": "char *p = calloc(8, 1); USE(memcmp(p, zeros, @) > 0); free(p);" (0, 8) (9, 15);
        "string copy": "char *p = malloc(4); strcpy(p, text + (@)); free(p);" (5, 8) (0, 4);
        "string copy of some": "char *p = malloc(4); strncpy(p, text, @); free(p);" (0, 4) (5, 9);
        "string append": "char *p = malloc(6); strcpy(p, \"ab\"); strcat(p, text + (@)); free(p);" (5, 8) (0, 4);
        "string print": "char *p = malloc(4); sprintf(p, \"%s\", text + (@)); free(p);" (5, 8) (0, 4);
        "string without end": "char *p = malloc(4); memset(p, 'a', 4); if (!(@)) p[3] = 0; USE(strlen(p)); free(p);" (0, 0) (1, 1);
        "print without end": "char *p = malloc(4), b[30]; memset(p, 'a', 4); if (!(@)) p[3] = 0; USE(snprintf(b, 30, \"%s\", p)); free(p);" (0, 0) (1, 1);
        "sort of too many": "char *p = calloc(4, 1); qsort(p, @, 1, by_byte); free(p);" (0, 4) (5, 8);
        "write out of too much": "char *p = calloc(4, 1); write(1, p, @); free(p);" (0, 4) (5, 9);
        "member beyond": "struct pair *p = calloc(1, sizeof *p); p[@].w = 1; free(p);" (0, 0) (1, 1);
        "stack write": "char a[8]; memset(a, 1, 8); a[@] = 2; USE(a[0]);" (0, 7) (8, 15);
        "stack read": "char a[8]; memset(a, 1, 8); USE(a[@]);" (0, 7) (8, 15);
        "stack write before": "char a[8]; memset(a, 1, 8); a[-(@)] = 2; USE(a[0]);" (0, 0) (1, 8);
        "stack write of words": "int a[4] = {1}; a[@] = 2; USE(a[0]);" (0, 3) (4, 6);
        "alloca": "char *a = __builtin_alloca(V(8)); memset(a, 1, 8); a[@] = 2; USE(a[0]);" (0, 7) (8, 15);
        "variable array": "char a[V(8)]; memset(a, 1, 8); USE(a[@]);" (0, 7) (8, 15);
        "global write": "bytes[@] = 1;" (0, 7) (8, 15);
        "global read": "USE(bytes[@]);" (0, 7) (8, 15);
        "global read before": "USE(words[-(@)]);" (0, 0) (1, 2);
        "constant read": "USE(numbers[@]);" (0, 3) (4, 6);
        "literal read": "USE(\"abcdefg\"[@]);" (0, 7) (8, 12);
        "constant write": "char *p = (@) ? (char *)(size_t)text : bytes; *p = 1;" (0, 0) (1, 1);
        "read after free": "char *p = calloc(8, 1); if (@) free(p); USE(p[1]); if (!(@)) free(p);" (0, 0) (1, 1);
        "write after free": "char *p = calloc(8, 1); if (@) free(p); p[1] = 1; if (!(@)) free(p);" (0, 0) (1, 1);
        "string after free": "char *p = strdup(\"ab\"); if (@) free(p); USE(strlen(p)); if (!(@)) free(p);" (0, 0) (1, 1);
        "copy after free": "char *p = calloc(8, 1), q[8]; if (@) free(p); memcpy(q, p, 8); if (!(@)) free(p);" (0, 0) (1, 1);
        "write after realloc": "char *p = malloc(8), *q = realloc(p, 4000); ((@) ? p : q)[1] = 1; free(q);" (0, 0) (1, 1);
        "read after return": "keep(); USE((@) ? kept[1] : 1);" (0, 0) (1, 1);
        "write after return": "keep(); if (@) kept[1] = 1;" (0, 0) (1, 1);
        "read after scope": "char b[8] = {1}, *volatile p = b; { char a[8] = {1}; if (@) p = a; USE(*p); } USE(*p);" (0, 0) (1, 1);
        "double free": "char *p = malloc(8); free(p); if (@) free(p);" (0, 0) (1, 1);
        "free of the stack": "char a[8], *volatile p = a; if (@) free(p);" (0, 0) (1, 1);
        "free of a global": "char *volatile p = bytes; if (@) free(p);" (0, 0) (1, 1);
        "free of the middle": "char *p = malloc(8); free(p + (@));" (0, 0) (1, 7);
        "realloc of the free": "char *p = malloc(8); if (@) free(p); p = realloc(p, 16); free(p);" (0, 0) (1, 1);
        "realloc of the stack": "char a[8], *volatile p = a; if (@) free(realloc(p, 16));" (0, 0) (1, 1);
        "null read": "int *p = (@) ? 0 : words; USE(*p);" (0, 0) (1, 1);
        "null write": "int *p = (@) ? 0 : words; *p = 1;" (0, 0) (1, 1);
        "null member": "struct pair *p = (@) ? 0 : &two; USE(p->w);" (0, 0) (1, 1);
        "null string": "const char *p = (@) ? 0 : text; USE(strlen(p));" (0, 0) (1, 1);
        "wild read": "int *p = (@) ? (int *)0x123456789abc : words; USE(*p);" (0, 0) (1, 1);
        "null call": "int (*volatile f)(void) = (@) ? 0 : one; USE(f());" (0, 0) (1, 1);
        "call of data": "int (*volatile f)(void) = (@) ? (int (*)(void))(size_t)words : one; USE(f());" (0, 0) (1, 1);
        "endless recursion": "USE(descend((@) ? -1 : 3));" (0, 0) (1, 1);
        "overlapping copy": "char a[16] = {1}; memcpy(a + (@), a, V(8)); USE(a[9]);" (8, 8) (1, 7);
        "overlapping places": "char a[24] = {1}; memcpy(a + (@), a + V(2), 3); USE(a[9]);" (5, 9) (3, 4);
        "overlapping string copy": "char a[16] = \"abcdefgh\"; strcpy(a, a + (@)); USE(a[0]);" (5, 8) (1, 4);
        "leak": "char *p = malloc(8); kept = p; kept[0] = 1; if (!(@)) free(p); kept = p = 0;" (0, 0) (1, 1);
        "division trap": "USE(10 / (@));" (1, 9) (0, 0);
        "write after scope": "char b[8] = {1}, *volatile p = b; { char a[8] = {1}; if (@) p = a; USE(*p); } *p = 2; USE(b[0]);" (0, 0) (1, 1);
        "read after scope of a word": "int b = 1, *volatile p = &b; { int a = 2; if (@) p = &a; USE(*p); } USE(*p);" (0, 0) (1, 1);
        "write after scope of a word": "long b = 1, *volatile p = &b; { long a = 2; if (@) p = &a; USE(*p); } *p = 3; USE(b);" (0, 0) (1, 1);
        "read after a turn of a loop": "int b = 1, *volatile p = &b; for (int i = 0; i < V(2); i++) { USE(*p); int a = i; if (@) p = &a; USE(*p); }" (0, 0) (1, 1);
        "read after a loop": "int b = 1, *volatile p = &b; for (int i = 0; i < V(3); i++) { int a = i; if (@) p = &a; USE(*p); if (a == 1) break; } USE(*p);" (0, 0) (1, 1);
        "copy after scope": "char b[8] = {1}, q[8], *volatile p = b; { char a[8] = {1}; if (@) p = a; USE(*p); } memcpy(q, p, 8); USE(q[0]);" (0, 0) (1, 1);
        "string after scope": "char b[4] = \"ab\", *volatile p = b; { char a[4] = \"cd\"; if (@) p = a; USE(*p); } USE(strlen(p));" (0, 0) (1, 1);
        "pointer after scope": "int b = 1, *c = &b, **volatile p = &c; { int *a = &b; if (@) p = &a; USE(**p); } USE(**p);" (0, 0) (1, 1);
        "member after scope": "struct pair b = {1, 2}, *volatile p = &b; { struct pair a = {3, 4}; if (@) p = &a; USE(p->w); } USE(p->w);" (0, 0) (1, 1);
    }
    Undefined {
        "sum": "USE((@) + 5);" (5, 9) (2147483643, 2147483647);
        "difference": "USE((int)(@) - 5);" (5, 9) (-2147483648, -2147483645);
        "product": "USE((@) * 3);" (5, 9) (1073741824, 1073741828);
        "negation": "USE(-(int)(@));" (5, 9) (-2147483648, -2147483648);
        "increment": "int x = @; x++; USE(x);" (5, 9) (2147483647, 2147483647);
        "decrement": "int x = @; --x; USE(x);" (5, 9) (-2147483648, -2147483648);
        "compound sum": "int x = @; x += 7; USE(x);" (5, 9) (2147483645, 2147483647);
        "long product": "long x = @; USE(x * x);" (5, 9) (4294967296, 4294967300);
        "division by zero": "USE(10 / (@));" (1, 9) (0, 0);
        "remainder by zero": "USE(10u % (unsigned)(@));" (1, 9) (0, 0);
        "quotient that overflows": "USE((-2147483647 - 1) / (int)(@));" (1, 9) (-1, -1);
        "left shift": "USE(1 << (@));" (0, 15) (32, 40);
        "long left shift": "USE(1l << (@));" (0, 60) (64, 70);
        "right shift": "USE(-8 >> (@));" (0, 31) (32, 40);
        "shift by less than nothing": "USE(1u << (@));" (0, 15) (-3, -1);
        "left shift of a negative": "USE((@) << 1);" (5, 9) (-5, -1);
        "left shift into the sign": "USE((@) << 4);" (5, 9) (2147483640, 2147483647);
        "index": "int a[4] = {0}; a[@] = 1; USE(a[0]);" (0, 3) (4, 6);
        "global index": "USE(words[@]);" (0, 3) (4, 6);
        "index within an object": "struct inner s = {{1}, 2}; s.a[@] = 3; USE(s.b);" (0, 3) (4, 5);
        "index of a row": "int m[2][3] = {{1}}; m[0][@] = 3; USE(m[1][0]);" (0, 2) (3, 5);
        "index below zero": "struct inner s = {{1}, 2}; USE(s.a[@]);" (0, 3) (-3, -1);
        "misaligned read": "USE(*(int *)(raw + (@)));" (0, 0) (1, 3);
        "misaligned write": "*(long *)(raw + (@)) = 1;" (0, 0) (1, 7);
        "misaligned member": "((struct pair *)(raw + (@)))->w = 1;" (0, 0) (1, 3);
        "wrongly assumed alignment": "USE(*(int *)__builtin_assume_aligned(raw + (@), 8));" (0, 0) (4, 4);
        "checked null read": "int *p = (@) ? 0 : words; USE(*p);" (0, 0) (1, 1);
        "checked null member": "struct pair *p = (@) ? 0 : &two; p->w = 3;" (0, 0) (1, 1);
        "array of no length": "int n = @; char a[n]; USE(sizeof a);" (1, 9) (-3, 0);
        "unreachable": "if (@) __builtin_unreachable();" (0, 0) (1, 1);
        "null argument": "given((@) ? 0 : words);" (0, 0) (1, 1);
        "null result": "USE(gives((@) ? 0 : words) == words);" (0, 0) (1, 1);
        "value of a bool": "raw[0] = @; USE(*(bool *)raw);" (0, 1) (2, 7);
        "number too large": "USE((int)((@) * 1e10));" (0, 0) (1, 5);
        "number too small for a char": "USE((unsigned char)((@) - 0.5f));" (1, 9) (-5, -1);
        "offset from null": "char *p = (@) ? 0 : bytes; USE(p + 1 == bytes);" (0, 0) (1, 1);
        "offset around": "char *p = bytes; USE(p + ((@) ? -1ul : 1) == bytes);" (0, 0) (1, 1);
        "leading zeros of none": "USE(__builtin_clz(@));" (1, 9) (0, 0);
        "trailing zeros of none": "USE(__builtin_ctzl((unsigned long)(@)));" (1, 9) (0, 0);
        "narrowing of unsigned": "unsigned char c = (unsigned)(@); USE(c);" (0, 200) (256, 300);
        "narrowing of signed": "signed char c = @; USE(c);" (0, 100) (200, 1000);
        "narrowing of a product": "unsigned char c = V(100); c *= @; USE(c);" (0, 2) (3, 9);
        "change of sign": "unsigned u = @; USE(u);" (0, 9) (-5, -1);
        "narrowing of long": "int x = (long)(@); USE(x);" (0, 9) (4294967296, 4294967300);
        "checked heap write": "char *p = malloc(8); p[@] = 1; free(p);" (0, 7) (8, 15);
    }
    Memory {
        "unset local": "int x; if (!(@)) x = 3; if (x == 3) USE(1);" (0, 0) (1, 1);
        "unset heap": "int *p = malloc(16); p[0] = 1; if (p[@]) USE(1); free(p);" (0, 0) (1, 3);
        "unset element": "int a[4]; a[0] = 1; if (a[@] > 2) USE(1);" (0, 0) (1, 3);
        "unset element of a variable array": "char a[V(8)]; a[0] = 1; if (a[@] > 2) USE(1);" (0, 0) (1, 7);
        "unset index": "int x; if (!(@)) x = 1; USE(numbers[x & 3]);" (0, 0) (1, 1);
        "unset index of a write": "int x; if (!(@)) x = 1; words[x & 3] = 1;" (0, 0) (1, 1);
        "unset pointer": "int *p; if (!(@)) p = words; USE(*p);" (0, 0) (1, 1);
        "unset pointer in memory": "int **p = malloc(16); if (!(@)) p[1] = words; USE(*p[1]); free(p);" (0, 0) (1, 1);
        "unset switch": "int x; if (!(@)) x = 1; switch (x) { case 1: USE(1); break; case 2: USE(2); break; default: USE(3); }" (0, 0) (1, 1);
        "unset bound of a loop": "int n; if (!(@)) n = 2; for (int i = 0; i < (n & 3); i++) USE(i);" (0, 0) (1, 1);
        "unset output": "char a[4]; a[0] = 1; write(1, a, @);" (0, 1) (2, 4);
        "unset output of the heap": "char *p = malloc(4); p[0] = 1; write(1, p + (@), 1); free(p);" (0, 0) (1, 3);
        "unset member": "struct pair s; s.c = 1; if (!(@)) s.w = 2; if (s.w) USE(1);" (0, 0) (1, 1);
        "unset member of a copy": "struct pair s, t; s.c = 1; if (!(@)) s.w = 2; t = s; if (t.w) USE(1);" (0, 0) (1, 1);
        "unset bit field": "struct bits b; b.f = 1; if (!(@)) b.g = 1; if (b.g) USE(1);" (0, 0) (1, 1);
        "unset copy": "int x, y; if (!(@)) x = 3; memcpy(&y, &x, 4); if (y) USE(1);" (0, 0) (1, 1);
        "unset operand": "int x; if (!(@)) x = 3; if ((x + 1) * 2 > 5) USE(1);" (0, 0) (1, 1);
        "unset bit": "int x; if (!(@)) x = 3; if ((x | 2) & 4) USE(1);" (0, 0) (1, 1);
        "unset argument": "int x; if (!(@)) x = 3; if (same(x)) USE(1);" (0, 0) (1, 1);
        "unset string": "char a[8]; a[7] = 0; if (!(@)) a[0] = 0; USE(strlen(a));" (0, 0) (1, 1);
        "unset comparison": "char a[4]; a[0] = 0; if (!(@)) memset(a, 0, 4); if (memcmp(a, zeros, 4)) USE(1);" (0, 0) (1, 1);
        "unset after realloc": "char *p = calloc(4, 1); p = realloc(p, 8); if (p[@]) USE(1); free(p);" (0, 3) (4, 7);
        "unset divisor": "int x; if (!(@)) x = 3; if (10 / (x | 1) == 3) USE(1);" (0, 0) (1, 1);
        "unset double": "double d; if (!(@)) d = 1; if (d > 0.5) USE(1);" (0, 0) (1, 1);
        "unset part of a union": "union { int i; char c; } u; u.c = 0; if ((@) ? u.i : u.c) USE(1);" (0, 0) (1, 1);
    }
}

/// Text that all programs share.
const HEAD: &str = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
#include <unistd.h>\n\
struct pair { char c; int w; };\nstruct inner { int a[4]; int b; };\nstruct bits { unsigned f : 3, g : 5; };\n\
static volatile int zero, sum;\nstatic unsigned char in[3];\nstatic char bytes[8];\nstatic int words[4];\n\
static const int numbers[4] = {1, 2, 3, 4};\nstatic const char data[16], zeros[16], text[] = \"abcdefgh\";\n\
static char raw[24] __attribute__((aligned(16)));\nstatic struct pair two;\nstatic char *volatile kept;\n\
#define V(x) ((x) + zero)\n#define USE(v) (sum = (unsigned char)(v))\n\
__attribute__((noinline)) static void keep(void) { char local[8] = {1, 2}; kept = local; }\n\
__attribute__((noinline)) static int one(void) { return 1; }\n\
__attribute__((noinline)) static int same(int v) { return v; }\n\
__attribute__((noinline)) static int descend(int n) { volatile int local[64]; local[n & 63] = n; return n ? descend(n - 1) + local[n & 63] : 0; }\n\
static int by_byte(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }\n\
__attribute__((nonnull, noinline)) static void given(int *p) { sum = p == words; }\n\
__attribute__((returns_nonnull, noinline)) static int *gives(int *p) { return p; }\n";

/// Natively, what returned functions left on the stack is overwritten before the end: LeakSanitizer takes a pointer that
/// was left there, by `malloc` itself for one, for one that is still in use.
const MAIN: &str = "#ifdef NATIVE\n\
__attribute__((noinline, no_sanitize(\"address\", \"memory\"))) static void scrub(void) {\n\
\x20 volatile char left[65536];\n  for (size_t i = 0; i < sizeof left; i++) left[i] = 0;\n}\n\
#else\n#define scrub() (void)0\n#endif\n\
int main(int argc, char **argv) {\n  if (argc < 2 || read(0, in, 3) != 3) return 1;\n\
\x20 programs[atoi(argv[1])]();\n  scrub();\n  return 0;\n}\n";

/// Number of lines that all programs share.
pub fn shared_lines() -> usize {
    HEAD.lines().count()
}

/// A file with `count` programs, of kind `first` and those behind it; its first argument chooses one.
pub fn file(seed: u64, first: usize, count: usize) -> (String, Vec<Planted>) {
    let mut text = HEAD.to_string();
    let mut dice = Dice(seed);
    let mut planted = Vec::new();
    for k in 0..count {
        let kind = &KINDS[(first + k) % KINDS.len()];
        planted.push(program(&mut dice, &mut text, k, kind));
    }
    let table: Vec<_> = (0..count).map(|k| format!("program_{k}")).collect();
    writeln!(text, "static void (*const programs[])(void) = {{{}}};", table.join(", ")).unwrap();
    (text + MAIN, planted)
}

fn program(dice: &mut Dice, text: &mut String, k: usize, kind: &'static Kind) -> Planted {
    let mut trigger = [0; 3].map(|_: u8| dice.below(256) as u8);
    let bad = bad_value(dice, kind, &mut trigger);
    let good = good_value(dice, kind);
    writeln!(text, "static void program_{k}(void) {{ // {}", kind.name).unwrap();
    for _ in 0..dice.below(3) {
        writeln!(text, "  {}", clean(dice)).unwrap();
    }
    let condition = condition(dice, trigger);
    let [bad, good] = [bad, good].map(|value| kind.code.replace('@', &value));
    writeln!(text, "  if ({condition}) {{\n    {bad}\n  }} else {{\n    {good}\n  }}\n}}").unwrap();
    Planted { kind, trigger, line: text.lines().count() - 4 }
}

fn between(dice: &mut Dice, (lo, hi): (i64, i64)) -> i64 {
    lo + dice.below((hi - lo + 1) as usize) as i64
}

/// A value that is a bug on the trigger, and perhaps none on other inputs: in[2] is there for it.
fn bad_value(dice: &mut Dice, kind: &Kind, trigger: &mut [u8; 3]) -> String {
    let bad = between(dice, kind.bad);
    let good = between(dice, kind.good);
    let all = kind.good.0.min(kind.bad.0)..=kind.good.1.max(kind.bad.1);
    let size = all.end() - all.start() + 1;
    match dice.below(3) {
        0 => format!("V({bad})"),
        1 if size <= 128 && (kind.bad.1 + 1 == kind.good.0 || kind.good.1 + 1 == kind.bad.0) => {
            trigger[2] = (bad - all.start()) as u8;
            format!("in[2] % {size} + {}", all.start())
        }
        _ => format!("(in[2] == {} ? {bad} : {good})", trigger[2]),
    }
}

fn good_value(dice: &mut Dice, kind: &Kind) -> String {
    let size = kind.good.1 - kind.good.0 + 1;
    if size > 1 && size <= 256 && dice.below(2) == 0 {
        return format!("in[2] % {size} + {}", kind.good.0);
    }
    format!("V({})", between(dice, kind.good))
}

/// A condition that holds for the trigger, but not for most inputs.
fn condition(dice: &mut Dice, [a, b, _]: [u8; 3]) -> String {
    match dice.below(6) {
        0 => format!("in[0] == {a}"),
        1 => format!("in[0] == {a} && in[1] == {b}"),
        2 => format!("(in[0] ^ in[1]) == {}", a ^ b),
        3 => format!("in[0] + 3 * in[1] == {}", u32::from(a) + 3 * u32::from(b)),
        4 => format!("in[1] > {} || in[0] == {a}", b.saturating_add(100)),
        _ => format!("(in[0] & 31) == {} && in[1] <= {b}", a & 31),
    }
}

fn clean(dice: &mut Dice) -> String {
    let i = dice.below(2);
    match dice.below(4) {
        0 => format!("if (in[{i}] > {}) USE(in[{i}] * 3);", dice.below(256)),
        1 => format!("for (int i = 0; i < (in[{i}] & 3); i++) USE(sum + i);"),
        2 => format!("{{ char *q = malloc(4); memset(q, in[{i}], 4); USE(q[in[{i}] & 3]); free(q); }}"),
        _ => format!("{{ int m[4] = {{1, 2}}; m[in[{i}] & 3] = in[2]; USE(m[1]); }}"),
    }
}
