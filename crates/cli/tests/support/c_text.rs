//! The text of generated programs as a tree: the part of C that the generators write.

use std::collections::HashMap;
use std::rc::Rc;

use crate::support::numbers::Int;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Void,
    Int(Int),
    Pointer(Box<Type>),
    Array(Box<Type>, usize),
    /// An index into [`Text::structs`].
    Struct(usize),
    Function,
}

/// An expression; lines where a run may end.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(u64, Int),
    Text(String),
    Name(String),
    /// `&&label`
    Label(String),
    Member(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>, usize),
    Deref(Box<Expr>),
    Address(Box<Expr>),
    Cast(Type, Box<Expr>),
    SizeOf(Box<Expr>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>, usize),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>, usize),
    Assign(Option<&'static str>, Box<Expr>, Box<Expr>),
    /// `x++`, `x--`, with the step.
    After(i64, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>, usize),
    /// `{...}`, or an array `(T[]){...}`.
    List(Option<Type>, Vec<Expr>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    Expr(Expr),
    Declare(Vec<(String, Type, Option<Expr>)>),
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>, usize),
    For(Box<(Stmt, Expr, Expr, Stmt)>, usize),
    Switch(Expr, Vec<Stmt>, usize),
    Case(Option<i64>),
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(String),
    GotoTo(Expr),
    Label(String),
    /// `DIVIDE` and `SHIFT`.
    Risky {
        op: &'static str,
        ty: Type,
        target: Expr,
        a: Expr,
        b: Expr,
        line: usize,
    },
    /// `READ` into `other`, `WRITE` of it.
    Access {
        write: bool,
        array: Expr,
        length: Expr,
        index: Expr,
        other: Expr,
        line: usize,
    },
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub parameters: Vec<(String, Type)>,
    pub result: Type,
    pub body: Vec<Stmt>,
}

/// A text.
#[derive(Debug, Default)]
pub struct Text {
    pub globals: Vec<(String, Type, Option<Expr>)>,
    pub functions: HashMap<String, Rc<Function>>,
    /// Members with their places.
    pub structs: Vec<Vec<(String, usize, Type)>>,
    names: HashMap<String, usize>,
}

impl Text {
    /// Reads a text that begins in the line `line`.
    ///
    /// # Errors
    /// If the text is not of this part of C, with the line.
    pub fn read(text: &str, line: usize) -> Result<Text, String> {
        let mut parser = Parser { tokens: tokens(text, line), at: 0, text: Text::default() };
        while parser.at < parser.tokens.len() {
            parser.outside()?;
        }
        Ok(parser.text)
    }

    /// Bytes of a type. A field of a few bits has bytes of its own.
    pub fn size(&self, ty: &Type) -> usize {
        match ty {
            Type::Void | Type::Function => 8,
            Type::Int(int) => (int.bits.next_power_of_two() as usize / 8).max(1),
            Type::Pointer(_) => 8,
            Type::Array(of, n) => n * self.size(of),
            Type::Struct(id) => self.structs[*id].iter().map(|(_, _, ty)| self.size(ty)).sum(),
        }
    }

    /// Offset of a member, and its type.
    pub fn member(&self, ty: &Type, name: &str) -> (usize, Type) {
        let Type::Struct(id) = ty else { panic!("no struct with {name}") };
        let member = self.structs[*id].iter().find(|(n, _, _)| n == name);
        member.map(|(_, at, ty)| (*at, ty.clone())).unwrap_or_else(|| panic!("no member {name}"))
    }
}

/// Functions and macros that no text defines.
const KNOWN: &str = "ABORT ASSERT ASSUME AT B CHOSEN EXIT FREE LOOK PICK SWITCH emit free klee_assume klee_make_symbolic \
    klee_range malloc memcpy memmove memset printf write";

/// Long operators before those that they begin with.
const OPERATORS: &str = "<<= >>= << >> <= >= == != && || ++ -- += -= *= &= |= ^=";

/// Tokens with their lines: a text keeps its first quotation mark.
fn tokens(text: &str, first: usize) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    for (number, line) in (first..).zip(text.lines()).filter(|(_, l)| !l.starts_with('#')) {
        let mut rest = line.trim_start();
        while let Some(c) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let n = if word(c) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else if c == '"' {
                1 + rest[1..].find('"').unwrap()
            } else {
                OPERATORS.split(' ').find(|o| rest.starts_with(o)).map_or(1, str::len)
            };
            all.push((rest[..n].to_string(), number));
            rest = rest[n + usize::from(c == '"')..].trim_start();
        }
    }
    all
}

/// Binary operators, those that bind least first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser {
    tokens: Vec<(String, usize)>,
    at: usize,
    text: Text,
}

type Read<T> = Result<T, String>;

impl Parser {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |(t, _)| t)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |(_, line)| *line)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).map_or(String::new(), |(t, _)| t.clone())
    }

    fn is(&mut self, token: &str) -> bool {
        let is = self.peek(0) == token;
        self.at += usize::from(is);
        is
    }

    fn want(&mut self, token: &str) -> Read<()> {
        let line = self.line();
        if self.is(token) { Ok(()) } else { Err(format!("line {line}: {token} and not {}", self.peek(0))) }
    }

    /// One of these operators.
    fn one_of(&mut self, all: &[&'static str]) -> Option<&'static str> {
        let found = all.iter().find(|o| **o == self.peek(0)).copied();
        self.at += usize::from(found.is_some());
        found
    }

    /// Skips to behind the bracket that closes the one that was read.
    fn skip(&mut self) {
        let mut depth = 1;
        while depth > 0 && self.at < self.tokens.len() {
            match self.next().as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
    }

    /// Everything up to the closing bracket, with commas between.
    fn list<T>(&mut self, end: &str, mut one: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut all = Vec::new();
        while !self.is(end) {
            all.push(one(self)?);
            if !self.is(",") {
                self.want(end)?;
                break;
            }
        }
        Ok(all)
    }

    fn qualifiers(&mut self) {
        while self.one_of(&["static", "const", "volatile"]).is_some() {}
        if self.is("__attribute__") {
            self.next();
            self.skip();
            self.qualifiers();
        }
    }

    /// A type without a declarator, where one begins here.
    fn base(&mut self) -> Read<Option<Type>> {
        let begin = self.at;
        self.qualifiers();
        let name = self.next();
        let int = |bits, signed| Some(Type::Int(Int { bits, signed }));
        let ty = match name.as_str() {
            "s8" | "char" => int(8, true),
            "u8" => int(8, false),
            "s16" | "short" => int(16, true),
            "u16" => int(16, false),
            "s32" | "int" => int(32, true),
            "u32" => int(32, false),
            "s64" | "long" => {
                self.is("long");
                int(64, true)
            }
            "u64" => int(64, false),
            "unsigned" | "signed" => {
                let bits = if self.is("char") { 8 } else { 32 };
                int(bits, name == "signed")
            }
            "void" => Some(Type::Void),
            "struct" => Some(self.structure()?),
            "double" | "float" => return Err(format!("line {}: floating point", self.line())),
            _ => None,
        };
        if ty.is_none() {
            self.at = begin;
        }
        Ok(ty)
    }

    fn structure(&mut self) -> Read<Type> {
        let name = if self.peek(0) == "{" { String::new() } else { self.next() };
        if !self.is("{") {
            return self.text.names.get(&name).map(|id| Type::Struct(*id)).ok_or(format!("no struct {name}"));
        }
        let (mut members, mut at) = (Vec::new(), 0);
        while !self.is("}") {
            let base = self.base()?.ok_or("a member without a type")?;
            loop {
                let (name, mut ty) = self.declarator(base.clone())?;
                if let (true, Type::Int(int)) = (self.is(":"), &mut ty) {
                    int.bits = self.next().parse().map_err(|_| "a width")?;
                }
                let size = self.text.size(&ty);
                members.push((name, at, ty));
                at += size;
                if !self.is(",") {
                    break;
                }
            }
            self.want(";")?;
        }
        self.text.structs.push(members);
        self.text.names.insert(name, self.text.structs.len() - 1);
        Ok(Type::Struct(self.text.structs.len() - 1))
    }

    /// A name with its declarator; an array without a length has the length 0 for now.
    fn declarator(&mut self, mut ty: Type) -> Read<(String, Type)> {
        while self.is("*") {
            self.qualifiers();
            ty = Type::Pointer(Box::new(ty));
        }
        let function = self.peek(0) == "(" && self.peek(1) == "*";
        if function {
            self.at += 2;
            self.qualifiers();
            ty = Type::Function;
        }
        let name = self.next();
        let mut lengths = Vec::new();
        while self.is("[") {
            let length = if self.peek(0) == "]" { "0".into() } else { self.next() };
            lengths.push(length.parse().map_err(|_| format!("line {}: a length {length}", self.line()))?);
            self.want("]")?;
        }
        for n in lengths.into_iter().rev() {
            ty = Type::Array(Box::new(ty), n);
        }
        if function {
            self.want(")")?;
            self.want("(")?;
            self.skip();
        }
        Ok((name, ty))
    }

    fn init(&mut self, ty: &mut Type) -> Read<Option<Expr>> {
        if !self.is("=") {
            return Ok(None);
        }
        let init = if self.is("{") {
            Expr::List(None, self.list("}", Self::assignment)?)
        } else {
            self.assignment()?
        };
        if let (Type::Array(_, n @ 0), Expr::List(_, all)) = (ty, &init) {
            *n = all.len();
        }
        Ok(Some(init))
    }

    fn outside(&mut self) -> Read<()> {
        let line = self.line();
        let base = self.base()?.ok_or_else(|| format!("line {line}: a declaration"))?;
        while !self.is(";") {
            let (name, mut ty) = self.declarator(base.clone())?;
            if self.is("(") {
                let parameters = self.list(")", |me| {
                    let base = me.base()?.ok_or("a parameter without a type")?;
                    if base == Type::Void { Ok((String::new(), base)) } else { me.declarator(base) }
                })?;
                self.want("{")?;
                let known =
                    |body| Rc::new(Function { parameters: parameters.clone(), result: ty.clone(), body });
                // It may call itself.
                self.text.functions.insert(name.clone(), known(Vec::new()));
                let body = self.statements()?;
                self.text.functions.insert(name, known(body));
                return Ok(());
            }
            let init = self.init(&mut ty)?;
            self.text.globals.push((name, ty, init));
            self.is(",");
        }
        Ok(())
    }

    fn statements(&mut self) -> Read<Vec<Stmt>> {
        let mut all = Vec::new();
        while !self.is("}") {
            all.push(self.statement()?);
        }
        Ok(all)
    }

    fn in_brackets(&mut self) -> Read<Expr> {
        self.want("(")?;
        let e = self.assignment()?;
        self.want(")")?;
        Ok(e)
    }

    fn statement(&mut self) -> Read<Stmt> {
        let line = self.line();
        if self.peek(1) == ":" {
            let label = self.next();
            self.next();
            return Ok(if label == "default" { Stmt::Case(None) } else { Stmt::Label(label) });
        }
        let begin = self.at;
        let word = self.next();
        let simple = match word.as_str() {
            "{" => return Ok(Stmt::Block(self.statements()?)),
            ";" => return Ok(Stmt::Block(Vec::new())),
            "if" => {
                let (condition, yes) = (self.in_brackets()?, Box::new(self.statement()?));
                let no = if self.is("else") { Some(Box::new(self.statement()?)) } else { None };
                return Ok(Stmt::If(condition, yes, no, line));
            }
            "for" => return self.repeat(line),
            "switch" => {
                let value = self.in_brackets()?;
                self.want("{")?;
                return Ok(Stmt::Switch(value, self.statements()?, line));
            }
            "case" => {
                let value = self.next().parse().map_err(|_| "a case")?;
                self.want(":")?;
                return Ok(Stmt::Case(Some(value)));
            }
            "DIVIDE" | "SHIFT" | "READ" | "WRITE" => return self.risky(&word, line),
            "break" => Stmt::Break,
            "continue" => Stmt::Continue,
            "return" if self.peek(0) == ";" => Stmt::Return(None),
            "return" => Stmt::Return(Some(self.assignment()?)),
            "goto" if self.is("*") => Stmt::GotoTo(self.assignment()?),
            "goto" => Stmt::Goto(self.next()),
            _ => {
                self.at = begin;
                if let Some(base) = self.base()? {
                    let mut all = Vec::new();
                    loop {
                        let (name, mut ty) = self.declarator(base.clone())?;
                        let init = self.init(&mut ty)?;
                        all.push((name, ty, init));
                        if !self.is(",") {
                            break Stmt::Declare(all);
                        }
                    }
                } else {
                    Stmt::Expr(self.assignment()?)
                }
            }
        };
        self.want(";")?;
        Ok(simple)
    }

    fn repeat(&mut self, line: usize) -> Read<Stmt> {
        self.want("(")?;
        let first = self.statement()?;
        let condition = self.assignment()?;
        self.want(";")?;
        let step = self.assignment()?;
        self.want(")")?;
        Ok(Stmt::For(Box::new((first, condition, step, self.statement()?)), line))
    }

    /// The macros that are statements of their own.
    fn risky(&mut self, word: &str, line: usize) -> Read<Stmt> {
        self.want("(")?;
        let ty = self.base()?.ok_or("a type")?;
        let one = |me: &mut Self| -> Read<Expr> {
            me.want(",")?;
            me.assignment()
        };
        let statement = if word == "READ" || word == "WRITE" {
            let write = word == "WRITE";
            let first = if write { None } else { Some(one(self)?) };
            let (array, length, index) = (one(self)?, one(self)?, one(self)?);
            let other = match first {
                Some(target) => target,
                None => one(self)?,
            };
            Stmt::Access { write, array, length, index, other, line }
        } else {
            let (target, a) = (one(self)?, one(self)?);
            self.want(",")?;
            let op = self.one_of(&["/", "%", "<<", ">>"]).ok_or("an operator")?;
            Stmt::Risky { op, ty, target, a, b: one(self)?, line }
        };
        self.want(")")?;
        Ok(statement)
    }

    fn assignment(&mut self) -> Read<Expr> {
        let line = self.line();
        let left = self.operation(0)?;
        if self.is("?") {
            let yes = self.assignment()?;
            self.want(":")?;
            let no = self.assignment()?;
            return Ok(Expr::Choice(Box::new(left), Box::new(yes), Box::new(no), line));
        }
        let assigns = ["+=", "-=", "*=", "&=", "|=", "^="];
        let op = self.one_of(&assigns);
        if op.is_none() && !self.is("=") {
            return Ok(left);
        }
        let op = op.map(|op| LEVELS.concat().into_iter().find(|o| op.strip_suffix('=') == Some(o)).unwrap());
        Ok(Expr::Assign(op, Box::new(left), Box::new(self.assignment()?)))
    }

    fn operation(&mut self, level: usize) -> Read<Expr> {
        let line = self.line();
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.operation(level + 1)?;
        while let Some(op) = self.one_of(operators) {
            left = Expr::Binary(op, Box::new(left), Box::new(self.operation(level + 1)?), line);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expr> {
        if self.is("sizeof") {
            return Ok(Expr::SizeOf(Box::new(self.unary()?)));
        }
        if self.is("&&") {
            return Ok(Expr::Label(self.next()));
        }
        if let Some(op) = self.one_of(&["&", "*", "-", "~", "!"]) {
            let of = Box::new(self.unary()?);
            return Ok(match op {
                "&" => Expr::Address(of),
                "*" => Expr::Deref(of),
                op => Expr::Unary(op, of),
            });
        }
        if self.peek(0) == "(" {
            self.next();
            if let Some(ty) = self.base()? {
                if self.is("[") {
                    self.want("]")?;
                    self.want(")")?;
                    self.want("{")?;
                    return Ok(Expr::List(Some(ty), self.list("}", Self::assignment)?));
                }
                self.want(")")?;
                return Ok(Expr::Cast(ty, Box::new(self.unary()?)));
            }
            let e = self.assignment()?;
            self.want(")")?;
            return self.behind(e);
        }
        let line = self.line();
        let word = self.next();
        let e = match word.chars().next() {
            Some('"') => Expr::Text(word[1..].into()),
            Some(c) if c.is_ascii_digit() => {
                constant(&word).ok_or(format!("line {line}: a number {word}"))?
            }
            Some(c) if c.is_ascii_alphabetic() => Expr::Name(word),
            _ => return Err(format!("line {line}: an expression begins with {word}")),
        };
        self.behind(e)
    }

    fn behind(&mut self, mut e: Expr) -> Read<Expr> {
        loop {
            let line = self.line();
            e = match self.peek(0) {
                "[" => {
                    self.next();
                    let index = self.assignment()?;
                    self.want("]")?;
                    Expr::Index(Box::new(e), Box::new(index), line)
                }
                "(" => {
                    if let Expr::Name(name) = &e
                        && !KNOWN.split(' ').any(|known| known == name)
                        && !self.text.functions.contains_key(name)
                    {
                        return Err(format!("line {line}: {name} is not known"));
                    }
                    self.next();
                    let arguments = self.list(")", Self::assignment)?;
                    Expr::Call(Box::new(e), arguments, line)
                }
                "." => {
                    self.next();
                    Expr::Member(Box::new(e), self.next())
                }
                "++" | "--" => Expr::After(if self.next() == "++" { 1 } else { -1 }, Box::new(e)),
                _ => return Ok(e),
            };
        }
    }
}

fn constant(word: &str) -> Option<Expr> {
    let (digits, unsigned) = word.strip_suffix('u').map_or((word, false), |d| (d, true));
    let v = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let most = if unsigned { u64::from(u32::MAX) } else { i32::MAX as u64 };
    Some(Expr::Number(v, Int { bits: if v <= most { 32 } else { 64 }, signed: !unsigned }))
}
