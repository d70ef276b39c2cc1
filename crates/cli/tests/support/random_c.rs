//! Random C programs over a few inputs of few values, from a seed. They always end. Their behaviour is defined but for
//! divisions, shifts and indices, which stand alone in a statement, so that a bug has a line.

use std::fmt::Write;

use crate::support::dice::Dice;

/// One input: a symbolic object of `size` bytes, little endian, with a value in `lo .. lo + count`.
#[derive(Clone, Debug)]
pub struct Input {
    pub size: usize,
    pub lo: i64,
    pub count: i64,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    pub inputs: Vec<Input>,
    /// Its text, without the parts that all programs share.
    pub text: String,
    /// Every decision is one of the source, so that paths can be counted.
    pub counted: bool,
}

/// The types of variables, and their widths in bits.
const TYPES: [(&str, u32); 8] =
    [("s8", 8), ("u8", 8), ("s16", 16), ("u16", 16), ("s32", 32), ("u32", 32), ("s64", 64), ("u64", 64)];

#[derive(Clone)]
struct Variable {
    name: String,
    ty: usize,
    writable: bool,
}

/// The file with these programs.
pub fn file(programs: &[Program]) -> String {
    let mut text = String::from(include_str!("random_c.h"));
    for p in programs {
        text.push_str(&p.text);
    }
    text.push_str("static const struct program programs[] = {\n");
    for (k, p) in programs.iter().enumerate() {
        let domains: Vec<_> = p.inputs.iter().map(|i| format!("{{{}, {}}}", i.lo, i.count)).collect();
        writeln!(text, "  {{program_{k}, {}, {{{}}}}},", p.inputs.len(), domains.join(", ")).unwrap();
    }
    text.push_str("};\n");
    text.push_str(include_str!("random_c_main.h"));
    text
}

/// The line in which the program behind these begins.
pub fn first_line(before: &[Program]) -> usize {
    let lines = |text: &str| text.matches('\n').count();
    1 + lines(include_str!("random_c.h")) + before.iter().map(|p| lines(&p.text)).sum::<usize>()
}

/// The `k`-th program of its file. `size` is about the number of its statements.
pub fn program(k: usize, seed: u64, size: usize, counted: bool) -> Program {
    let mut g = Generator {
        dice: Dice(seed ^ 0x5851_f42d_4c95_7f2d),
        k,
        counted,
        text: String::new(),
        variables: Vec::new(),
        arrays: Vec::new(),
        helpers: 0,
        loops: 0,
        loop_depth: 0,
        in_helper: false,
        fresh: 0,
        targets: 0,
    };
    for _ in 0..4 {
        g.dice.bits();
    }
    let inputs = g.inputs();
    g.globals();
    g.functions(size);
    g.body(&inputs, size);
    Program { inputs, text: g.text, counted }
}

struct Generator {
    dice: Dice,
    k: usize,
    counted: bool,
    text: String,
    /// In scope.
    variables: Vec<Variable>,
    /// Name, type, and length.
    arrays: Vec<(String, usize, usize)>,
    helpers: usize,
    loops: usize,
    loop_depth: usize,
    in_helper: bool,
    fresh: usize,
    /// Number of objects, and of functions, in the program's tables of pointers.
    targets: usize,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.dice.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn line(&mut self, indent: usize, text: &str) {
        writeln!(self.text, "{:1$}{text}", "", 2 * indent).unwrap();
    }

    /// One to three inputs with few assignments altogether.
    fn inputs(&mut self) -> Vec<Input> {
        let n = 1 + self.below(3);
        let most = match (self.counted, n) {
            (true, 1) => 256,
            (true, 2) => 20,
            (true, _) => 8,
            (false, 1) => 40,
            (false, 2) => 8,
            (false, _) => 4,
        };
        (0..n)
            .map(|_| {
                let count = 2 + self.below(most - 1) as i64;
                if self.one_in(3) {
                    Input { size: 4, lo: self.below(30) as i64 - 15, count }
                } else {
                    Input { size: 1, lo: 0, count }
                }
            })
            .collect()
    }

    fn constant(&mut self) -> String {
        match self.below(10) {
            0 => "0".into(),
            1..=5 => format!("{}", self.below(20)),
            6 => format!("(-{})", 1 + self.below(9)),
            7 => format!("{}", self.below(300)),
            8 => format!("0x{:x}u", self.dice.bits() as u32),
            _ => ["127", "128", "255", "(-128)", "32767", "2147483647", "(-2147483647 - 1)", "4294967295u"]
                [self.below(8)]
            .into(),
        }
    }

    fn variable(&mut self) -> Variable {
        let i = self.below(self.variables.len());
        self.variables[i].clone()
    }

    fn target(&mut self) -> Variable {
        let writable: Vec<Variable> = self.variables.iter().filter(|v| v.writable).cloned().collect();
        writable[self.below(writable.len())].clone()
    }

    fn array(&mut self) -> (String, usize, usize) {
        let i = self.below(self.arrays.len());
        self.arrays[i].clone()
    }

    fn element(&mut self, depth: usize) -> String {
        let (name, _, n) = self.array();
        let index = self.value(depth);
        let last = n.next_power_of_two() / if n.is_power_of_two() { 1 } else { 2 } - 1;
        let place = format!("(unsigned)({index}) & {last}");
        // An index that depends on the inputs alone is no choice out of memory.
        let known =
            !index.contains('[') && !self.variables.iter().any(|v| v.writable && index.contains(&v.name));
        if known { format!("{name}[{place}]") } else { format!("{name}[AT({place})]") }
    }

    /// An expression that no value of the variables makes undefined (signed overflow wraps).
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(6) {
            return match self.below(5) {
                0 => self.constant(),
                1 if depth > 0 => self.element(depth - 1),
                _ => self.variable().name,
            };
        }
        let d = depth - 1;
        match self.below(13) {
            0..=4 => {
                let op = ["+", "-", "*", "&", "|", "^", "+", "-"][self.below(8)];
                format!("({} {op} {})", self.value(d), self.value(d))
            }
            5 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.below(6)];
                format!("({} {op} {})", self.value(d), self.value(d))
            }
            6 => format!("({}({}))", ["-", "~", "!"][self.below(3)], self.value(d)),
            7 | 8 => format!("({})({})", TYPES[self.below(8)].0, self.value(d)),
            9 => {
                let (ty, op) = (TYPES[4 + self.below(4)].0, ["<<", ">>"][self.below(2)]);
                format!(
                    "(({ty})({}) {op} (({}) & {}))",
                    self.value(d),
                    self.value(0),
                    [7, 15, 31][self.below(3)]
                )
            }
            10 => self.element(d),
            // A choice between constants is no branch, so one side has a variable.
            11 => {
                let (c, v) = (self.condition(d), self.variable().name);
                format!("({c} ? {v} : {})", self.value(d))
            }
            _ => self.variable().name,
        }
    }

    /// A condition, for where a branch is: its leaves are traced. As a value its last leaf would be no branch.
    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.one_in(3) {
            let d = depth - 1;
            return match self.below(3) {
                0 => format!("({} && {})", self.condition(d), self.condition(d)),
                1 => format!("({} || {})", self.condition(d), self.condition(d)),
                _ => format!("!{}", self.condition(d)),
            };
        }
        if self.one_in(5) {
            return format!("B({})", self.value(depth.min(1)));
        }
        let op = ["<", "<=", ">", ">=", "==", "!="][self.below(6)];
        format!("B({} {op} {})", self.value(depth.min(2)), self.value(depth.min(1)))
    }

    fn globals(&mut self) {
        let k = self.k;
        let mut reset = String::new();
        for i in 0..1 + self.below(2) {
            let (ty, value) = (self.below(8), self.constant());
            let name = format!("global_{k}_{i}");
            self.line(0, &format!("static {} {name} = ({}){value};", TYPES[ty].0, TYPES[ty].0));
            writeln!(reset, "  {name} = ({}){value};", TYPES[ty].0).unwrap();
            self.variables.push(Variable { name, ty, writable: true });
        }
        for i in 0..1 + self.below(2) {
            let (ty, n) = (self.below(8), [4, 5, 8, 11][self.below(4)]);
            let name = format!("array_{k}_{i}");
            let values: Vec<String> =
                (0..n).map(|_| format!("({}){}", TYPES[ty].0, self.constant())).collect();
            let values = values.join(", ");
            self.line(0, &format!("static {} {name}[{n}] = {{{values}}};", TYPES[ty].0));
            writeln!(reset, "  memcpy({name}, ({}[]){{{values}}}, sizeof {name});", TYPES[ty].0).unwrap();
            self.arrays.push((name, ty, n));
        }
        let fields = [
            "s8 a; u16 b; s32 c; u64 d;",
            "u32 a : 5; s32 b : 7; u8 c; s16 d;",
            "u8 a; struct { s16 b; u8 c; } in; s64 d;",
        ];
        let shape = self.below(3);
        self.line(0, &format!("static struct shape_{k} {{ {} }} shape_{k}, other_{k};", fields[shape]));
        for (i, field) in ["a", "b", "c", "d"].iter().enumerate() {
            let inner = if shape == 2 && (1..3).contains(&i) { "in." } else { "" };
            let ty = [[0, 3, 4, 7], [5, 4, 1, 2], [1, 2, 1, 6]][shape][i];
            let name = format!("shape_{k}.{inner}{field}");
            self.variables.push(Variable { name, ty, writable: true });
        }
        self.tables(&mut reset);
        writeln!(reset, "  memset(&shape_{k}, 0, sizeof shape_{k});\n  other_{k} = shape_{k};").unwrap();
        write!(self.text, "static void reset_{k}(void) {{\n{reset}}}\n").unwrap();
    }

    /// Tables of 32 pointers, to a few objects and to a few functions; `which` has the number of each entry's target.
    fn tables(&mut self, reset: &mut String) {
        let (k, n) = (self.k, 3 + self.below(4));
        self.targets = n;
        for i in 0..n {
            let (a, b) = (1 + self.below(9), self.below(50));
            self.line(0, &format!("static s32 object_{k}_{i};"));
            self.line(0, &format!("static s32 function_{k}_{i}(s32 p) {{ return p * {a} + {b}; }}"));
            writeln!(reset, "  object_{k}_{i} = {};", self.below(100)).unwrap();
        }
        let which: Vec<usize> =
            (0..32).map(|i| if i < 24 { self.below(n - 1) } else { self.below(n) }).collect();
        let list = |form: &str| {
            let entry = |i: &usize| form.replace("{k}", &k.to_string()).replace("{i}", &i.to_string());
            which.iter().map(entry).collect::<Vec<_>>().join(", ")
        };
        let text = [
            format!("static const int which_{k}[32] = {{{}}};", list("{i}")),
            format!("static s32 *const objects_{k}[32] = {{{}}};", list("&object_{k}_{i}")),
            format!("static s32 (*const functions_{k}[32])(s32) = {{{}}};", list("function_{k}_{i}")),
        ];
        text.iter().for_each(|line| self.line(0, line));
    }

    /// Helpers of two parameters, the second of which may call those before; and one that calls itself.
    fn functions(&mut self, size: usize) {
        let k = self.k;
        let outside = self.variables.clone();
        self.in_helper = true;
        for i in 0..2 {
            let (a, b, r) = (self.below(8), self.below(8), self.below(8));
            self.line(
                0,
                &format!("static {} helper_{k}_{i}({} p, {} q) {{", TYPES[r].0, TYPES[a].0, TYPES[b].0),
            );
            self.variables.push(Variable { name: "p".into(), ty: a, writable: true });
            self.variables.push(Variable { name: "q".into(), ty: b, writable: true });
            self.block(1, (size / 6).clamp(1, 4), 1);
            let value = self.value(2);
            self.line(1, &format!("return ({})({value});", TYPES[r].0));
            self.line(0, "}");
            self.variables = outside.clone();
            self.helpers += 1;
        }
        let ty = self.below(8);
        let name = TYPES[ty].0;
        self.line(0, &format!("static {name} again_{k}({name} p, int q) {{"));
        self.variables.push(Variable { name: "p".into(), ty, writable: true });
        self.variables.push(Variable { name: "q".into(), ty: 4, writable: false });
        let (condition, less, step, more) = (self.condition(1), self.value(1), self.value(1), self.value(1));
        self.line(1, "if (q <= 0) return p;");
        self.line(1, &format!("if ({condition}) return ({name})({less});"));
        self.line(1, &format!("return ({name})(again_{k}(({name})({step}), q - 1) + ({more}));"));
        self.line(0, "}");
        self.variables = outside;
        let r = TYPES[4].0;
        self.line(0, &format!("static {r} left_{k}({r} p) {{ return p * 3 + 1; }}"));
        self.line(0, &format!("static {r} right_{k}({r} p) {{ return p ^ 21; }}"));
        self.line(0, &format!("static {r} (*const table_{k}[])({r}) = {{left_{k}, right_{k}}};"));
        self.in_helper = false;
    }

    fn body(&mut self, inputs: &[Input], size: usize) {
        let k = self.k;
        self.line(0, &format!("static int program_{k}(void) {{"));
        self.line(1, &format!("reset_{k}();"));
        for (i, input) in inputs.iter().enumerate() {
            if input.size == 4 {
                let (lo, hi) = (input.lo, input.lo + input.count);
                self.line(1, &format!("int x{i} = klee_range({lo}, {hi}, \"x{i}\");"));
            } else {
                self.line(1, &format!("u8 x{i};"));
                self.line(1, &format!("klee_make_symbolic(&x{i}, sizeof x{i}, \"x{i}\");"));
                if input.count < 256 {
                    self.line(1, &format!("klee_assume(x{i} < {});", input.count));
                }
            }
            // Twice, so that expressions are more often about inputs.
            let variable =
                Variable { name: format!("x{i}"), ty: if input.size == 4 { 4 } else { 1 }, writable: false };
            self.variables.extend([variable.clone(), variable]);
        }
        for i in 0..2 + self.below(3) {
            let (ty, value) = (self.below(8), self.value(1));
            self.line(1, &format!("{} v{i} = ({})({value});", TYPES[ty].0, TYPES[ty].0));
            self.variables.push(Variable { name: format!("v{i}"), ty, writable: true });
        }
        let (ty, n) = (self.below(8), 8);
        self.line(1, &format!("{} local[{n}] = {{1, 2, 3}};", TYPES[ty].0));
        self.arrays.push(("local".into(), ty, n));
        self.block(1, size, 3);
        let names: Vec<String> =
            self.variables.iter().filter(|v| v.writable).map(|v| v.name.clone()).collect();
        for name in names {
            self.emit(1, &name);
        }
        let (status, mask) = (self.value(2), [7, 255, 511, -1][self.below(4)]);
        self.line(1, &format!("return (int)(({status}) & {mask});"));
        self.line(0, "}");
    }

    fn emit(&mut self, indent: usize, value: &str) {
        if self.counted {
            self.line(indent, &format!("emit((s64)({value}));"));
        } else {
            let format = [("%d ", "int"), ("%u ", "unsigned"), ("%x ", "unsigned"), ("%lld ", "long long")];
            let (format, ty) = format[self.below(4)];
            self.line(indent, &format!("printf(\"{format}\", ({ty})({value}));"));
        }
    }

    /// `size` statements, blocks in them `depth` deep.
    fn block(&mut self, indent: usize, size: usize, depth: usize) {
        let mut left = size;
        while left > 0 {
            left -= self.statement(indent, left, depth).min(left);
        }
    }

    /// A statement of at most about `size`; its size.
    fn statement(&mut self, indent: usize, size: usize, depth: usize) -> usize {
        let inner = (size.saturating_sub(1) / 2).clamp(1, 6);
        match self.below(if self.counted { 26 } else { 30 }) {
            0..=3 => self.assign(indent),
            4..=7 if depth > 0 => {
                let condition = self.condition(2);
                self.line(indent, &format!("if ({condition}) {{"));
                self.block(indent + 1, inner, depth - 1);
                if self.one_in(2) {
                    self.line(indent, "} else {");
                    self.block(indent + 1, inner, depth - 1);
                }
                self.line(indent, "}");
                return 1 + 2 * inner;
            }
            8 | 9 if depth > 0 && self.loop_depth < 2 => {
                self.repeat(indent, inner.min(3), depth);
                return 1 + inner;
            }
            10 | 11 if depth > 0 => {
                self.switch(indent, depth);
                return 5;
            }
            12 => self.division(indent),
            13 => self.shift(indent),
            14 | 15 => self.access(indent),
            16 => self.pointers(indent),
            17 | 18 => self.call(indent),
            19 if !self.in_helper => {
                let value = self.value(2);
                self.emit(indent, &value);
            }
            20 if depth < 3 => self.end(indent),
            21 => {
                let k = self.k;
                let copy =
                    format!("if ({}) other_{k} = shape_{k}; else shape_{k} = other_{k};", self.condition(0));
                self.line(indent, &copy);
            }
            22 => self.assumption(indent),
            23 => self.through_table(indent),
            24 | 25 => self.computed_goto(indent),
            26.. => self.library(indent),
            _ => self.assign(indent),
        }
        1
    }

    fn assign(&mut self, indent: usize) {
        let (target, value) = (self.target(), self.value(3));
        let ty = TYPES[target.ty].0;
        let text = match self.below(4) {
            0 => format!("{} {}= ({ty})({value});", target.name, ["+", "-", "^", "*"][self.below(4)]),
            1 => format!("{}{};", target.name, ["++", "--"][self.below(2)]),
            _ => format!("{} = ({ty})({value});", target.name),
        };
        self.line(indent, &text);
    }

    fn repeat(&mut self, indent: usize, size: usize, depth: usize) {
        let name = format!("i{}", self.loops);
        self.loops += 1;
        self.loop_depth += 1;
        let bound = if self.one_in(3) {
            format!("{name} < {}", 1 + self.below(4))
        } else {
            format!("B({name} < (int)(({}) & 3))", self.value(1))
        };
        self.line(indent, &format!("for (int {name} = 0; {bound}; {name}++) {{"));
        let scope = self.variables.len();
        self.variables.push(Variable { name, ty: 4, writable: false });
        self.block(indent + 1, size, depth - 1);
        if self.one_in(3) {
            let (condition, how) = (self.condition(1), ["break", "continue"][self.below(2)]);
            self.line(indent + 1, &format!("if ({condition}) {how};"));
            let value = self.value(1);
            let target = self.target();
            self.line(indent + 1, &format!("{} = ({})({value});", target.name, TYPES[target.ty].0));
        }
        self.line(indent, "}");
        self.variables.truncate(scope);
        self.loop_depth -= 1;
    }

    fn switch(&mut self, indent: usize, depth: usize) {
        let mut cases: Vec<usize> = (0..2 + self.below(4)).map(|_| self.below(12)).collect();
        cases.sort_unstable();
        cases.dedup();
        if self.one_in(2) {
            cases.reverse();
        }
        let list: Vec<String> = cases.iter().map(usize::to_string).collect();
        let value = self.value(2);
        self.line(indent, &format!("switch (SWITCH((int)(({value}) & 15), {})) {{", list.join(", ")));
        for case in list {
            self.line(indent + 1, &format!("case {case}:"));
            if !self.counted && self.one_in(3) {
                continue; // cases with one target are one decision
            }
            self.block(indent + 2, 1, depth - 1);
            if !self.one_in(4) {
                self.line(indent + 2, "break;");
            }
        }
        self.line(indent + 1, "default:");
        self.block(indent + 2, 1, 0);
        self.line(indent, "}");
    }

    /// A second operand that is mostly, but not always, a good one.
    fn risky(&mut self, good: &str) -> String {
        let value = self.value(1);
        if self.one_in(3) { value } else { format!("(({value}) {good})") }
    }

    fn division(&mut self, indent: usize) {
        let types = if self.one_in(3) { 8 } else { 6 };
        let (target, ty) = (self.target(), TYPES[self.below(types)].0);
        let (a, op, b) = (self.value(2), ["/", "%"][self.below(2)], self.risky("| 1"));
        self.line(indent, &format!("DIVIDE({ty}, {}, {a}, {op}, {b})", target.name));
    }

    fn shift(&mut self, indent: usize) {
        let (target, ty) = (self.target(), TYPES[self.below(8)].0);
        let (a, op, b) = (self.value(2), ["<<", ">>"][self.below(2)], self.risky("& 31"));
        self.line(indent, &format!("SHIFT({ty}, {}, {a}, {op}, {b})", target.name));
    }

    fn access(&mut self, indent: usize) {
        let (name, ty, n) = self.array();
        let (ty, index) = (TYPES[ty].0, self.risky("& 3"));
        if self.one_in(2) {
            let target = self.target();
            self.line(indent, &format!("READ({ty}, {}, {name}, {n}, (s8)({index}))", target.name));
        } else {
            let value = self.value(2);
            self.line(indent, &format!("WRITE({ty}, {name}, {n}, (s8)({index}), {value})"));
        }
    }

    fn pointers(&mut self, indent: usize) {
        let (name, ty, n) = self.array();
        let p = format!("p{}", self.fresh);
        self.fresh += 1;
        let (ty, i, value, condition) = (TYPES[ty].0, self.value(1), self.value(2), self.condition(1));
        let target = self.target();
        let symbolic = self.one_in(2);
        let copy = ["memcpy({p} + 1, {p}, sizeof *{p});", "memmove({p} + 1, {p}, 2 * sizeof *{p});"]
            .get(self.below(6));
        self.line(indent, "{");
        if symbolic {
            let mask = if n >= 8 { 3 } else { 1 };
            self.line(indent + 1, &format!("{ty} *{p} = {name} + AT((unsigned)({i}) & {mask});"));
        } else {
            self.line(indent + 1, &format!("{ty} *{p} = {name};"));
            self.line(indent + 1, &format!("if ({condition}) {p} = &{name}[{}];", n - 3));
        }
        self.line(indent + 1, &format!("*{p} = ({ty})({value});"));
        if let Some(copy) = copy {
            self.line(indent + 1, &copy.replace("{p}", &p));
        }
        self.line(indent + 1, &format!("{p}[1] ^= 5;"));
        self.line(
            indent + 1,
            &format!("{} = ({})({p}[1] + *{p}++ + *{p});", target.name, TYPES[target.ty].0),
        );
        self.line(indent, "}");
    }

    fn call(&mut self, indent: usize) {
        let (k, target) = (self.k, self.target());
        let ty = TYPES[target.ty].0;
        let (a, b) = (self.value(2), self.value(1));
        let text = match self.below(3) {
            0 if !self.in_helper => format!("again_{k}({a}, {})", 1 + self.below(4)),
            1 if !self.in_helper => format!("table_{k}[CHOSEN((int)(({a}) & 1))]((s32)({b}))"),
            _ if self.helpers > 0 => format!("helper_{k}_{}({a}, {b})", self.below(self.helpers)),
            _ => a,
        };
        self.line(indent, &format!("{} = ({ty}){text};", target.name));
    }

    fn end(&mut self, indent: usize) {
        let condition = self.condition(1);
        let text = match self.below(4) {
            0 => format!("ASSERT({condition});"),
            1 => format!("if ({condition}) ABORT();"),
            2 => format!("if ({condition}) EXIT({});", self.below(100)),
            _ => format!("if ({condition}) EXIT((int)({}));", self.value(1)),
        };
        self.line(indent, &text);
    }

    /// An assumption: one that often holds, or any, or none that can hold.
    fn assumption(&mut self, indent: usize) {
        let (a, b) = (self.value(1), self.value(1));
        let text = match self.below(8) {
            0..=2 => format!("({a}) != {}", self.below(20)),
            3..=4 => format!("(({a}) & {}) != {}", [1, 3, 7][self.below(3)], self.below(3)),
            5 => {
                let op = ["<", "<=", ">", "=="][self.below(4)];
                format!("({a}) {op} ({b})")
            }
            6 => format!("(u8)({a}) > {}", 256 + self.below(3)),
            _ => format!("({a}) < ({b}) + {}", self.below(300)),
        };
        self.line(indent, &format!("ASSUME({text});"));
    }

    /// A read or a write through a table of pointers, or a call through a table of functions.
    fn through_table(&mut self, indent: usize) {
        let (k, target) = (self.k, self.target());
        let (ty, value) = (TYPES[target.ty].0, self.value(1));
        let index = format!("(int)(({}) & {})", self.value(1), [3, 31, 31][self.below(3)]);
        let how = self.below(3);
        let at = format!("{}(which_{k}, {index})", if how == 0 { "LOOK" } else { "PICK" });
        let text = match how {
            0 => format!("{} = ({ty})*objects_{k}[{at}];", target.name),
            1 => format!("*objects_{k}[{at}] = (s32)({value});"),
            _ => format!("{} = ({ty})functions_{k}[{at}]((s32)({value}));", target.name),
        };
        self.line(indent, &text);
    }

    /// A goto to one of a few labels, of which a table has some several times.
    fn computed_goto(&mut self, indent: usize) {
        let (name, n) = (format!("l{}", self.fresh), 2 + self.below(4));
        self.fresh += 1;
        let entries: Vec<usize> = (0..8).map(|_| self.below(n)).collect();
        let list = |form: &str| {
            let entry = |i: &usize| form.replace("{i}", &i.to_string());
            entries.iter().map(entry).collect::<Vec<_>>().join(", ")
        };
        let value = self.value(1);
        self.line(indent, "{");
        let (labels, which) = (list(&format!("&&{name}_{{i}}")), list("{i}"));
        self.line(indent + 1, &format!("static void *const {name}[8] = {{{labels}}};"));
        self.line(indent + 1, &format!("static const int {name}_which[8] = {{{which}}};"));
        self.line(indent + 1, &format!("goto *{name}[PICK({name}_which, (int)(({value}) & 7))];"));
        for i in 0..n {
            self.line(indent + 1, &format!("{name}_{i}: ;"));
            self.assign(indent + 1);
            if !self.one_in(4) {
                self.line(indent + 1, &format!("goto {name}_end;"));
            }
        }
        self.line(indent + 1, &format!("{name}_end: ;"));
        self.line(indent, "}");
    }

    /// A statement that decides inside of the C library or value by value, for programs whose paths are not counted.
    fn library(&mut self, indent: usize) {
        let (target, k) = (self.target(), self.k);
        let (name, ty) = (target.name, TYPES[target.ty].0);
        let (a, b, c) = (self.value(1), self.value(1), self.value(1));
        let n = self.fresh;
        self.fresh += 1;
        let text = match self.below(8) {
            0 => format!("{{ double d = (double)({a}) / 3 + {b}; if (d > 1.5) {name} = ({ty})(s64)fmod(d, 100); }}"),
            1 => format!("{{ float f = (float)(s16)({a}); {name} = ({ty})(s32)(f * 0.75f - (s8)({b})); }}"),
            2 => format!(
                "{{ char t[24]; snprintf(t, sizeof t, \"%d-%x\", (int)({a}), (unsigned)({b}) & 255); {name} = ({ty})(strlen(t) + t[2]); }}"
            ),
            3 => format!(
                "{{ char t[8] = {{(char)((({a}) & 7) + '0'), (char)((({b}) & 3) + '0'), 0}}; {name} = ({ty})(strtol(t, NULL, 8) + atoi(t)); }}"
            ),
            4 => format!(
                "{{ char s[4] = \"ab\", t[4] = {{'a', (char)('a' + (({a}) & 3)), 0}}; {name} = ({ty})(strcmp(s, t) > 0) + (strchr(t, 'a' + (({b}) & 1)) != NULL); }}"
            ),
            5 => format!(
                "{{ int m{n} = (int)(({a}) & 3) + 1; u8 *h = malloc(m{n}); memset(h, (int)({b}), m{n}); WRITE(u8, h, m{n}, ({c}) & 3, 7) {name} = ({ty})h[0]; FREE(h); }}"
            ),
            6 => format!("{{ int m{n} = (int)(({a}) & 3); u8 z[m{n} + 1]; memset(z, 9, sizeof z); {name} = ({ty})(z[m{n}] + sizeof z); }}"),
            _ => format!("{{ memmove(local_{k}, local_{k} + (({a}) & 1), ({b}) & 3); {name} = ({ty})local_{k}[({c}) & 3]; }}")
                .replace(&format!("local_{k}"), &self.arrays[0].0.clone()),
        };
        self.line(indent, &text);
    }
}
