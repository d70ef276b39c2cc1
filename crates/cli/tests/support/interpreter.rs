//! An interpreter of generated programs: the part of C that the generators write, step by step on numbers, with nothing
//! of the engine in it. A bit that nobody has set is neither zero nor one, and a decision on it is a bug.
//!
//! The macros of `random_c.h` are known by their names.

use std::collections::HashMap;
use std::rc::Rc;

use crate::support::c_text::{Expr, Function, Stmt, Text, Type};
use crate::support::numbers::{Number, S32, U64, common, operate};

/// End of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Exit(i64),
    /// With a bug of the engine's kind of this name in a line.
    Bug(&'static str, usize),
    /// At an assumption that does not hold.
    AssumedAway,
}

/// A byte of memory.
#[derive(Clone)]
enum Cell {
    /// Its value and its bits that nobody has set.
    Byte(u8, u8),
    /// A pointer stands here and in the seven bytes behind it.
    Whole(Value),
}

#[derive(Clone)]
enum Value {
    Number(Number),
    Pointer { object: usize, at: i64, to: Type },
    Function(String),
    Label(String),
    Struct(Vec<Cell>),
    Nothing,
}

/// Place of a value.
#[derive(Clone)]
struct Place {
    object: usize,
    at: i64,
    ty: Type,
}

/// Next step after a statement.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
    Goto(String),
}

/// One run of a text.
pub struct Interpreter<'a> {
    text: &'a Text,
    memory: Vec<Vec<Cell>>,
    names: Vec<(String, Place)>,
    /// Index of the first name of the running function.
    frame: usize,
    globals: HashMap<String, Place>,
    inputs: &'a [Vec<u8>],
    made: usize,
    /// Printed bytes.
    pub output: Vec<u8>,
}

fn int(v: i64) -> Value {
    Value::Number(Number::of(v))
}

impl Value {
    fn number(&self) -> Number {
        match self {
            Value::Number(number) => *number,
            _ => panic!("no number"),
        }
    }

    /// The number, if all of its bits are set; otherwise a bug.
    fn known(&self, line: usize) -> Result<i64, End> {
        let number = self.number();
        if number.unset == 0 { Ok(number.bits as i64) } else { Err(End::Bug("uninitialised", line)) }
    }

    /// Returns true if it is not zero.
    fn truth(&self, line: usize) -> Result<bool, End> {
        let number = self.number();
        if number.bits & !number.unset != 0 { Ok(true) } else { self.known(line).map(|v| v != 0) }
    }

    fn to(self, ty: &Type) -> Value {
        match (self, ty) {
            (Value::Number(number), Type::Int(ty)) => Value::Number(number.to(*ty)),
            (Value::Pointer { object, at, .. }, Type::Pointer(to)) => {
                Value::Pointer { object, at, to: (**to).clone() }
            }
            (_, Type::Void) => Value::Nothing,
            (value, _) => value,
        }
    }
}

impl<'a> Interpreter<'a> {
    /// Before the run of a text: its objects exist, and these are the bytes of the inputs in their order.
    pub fn new(text: &'a Text, inputs: &'a [Vec<u8>]) -> Interpreter<'a> {
        let (memory, names, globals, output) = (Vec::new(), Vec::new(), HashMap::new(), Vec::new());
        let mut new = Interpreter { text, memory, names, frame: 0, globals, inputs, made: 0, output };
        for (name, ty, init) in &text.globals {
            let place = new.object(ty, 0);
            new.globals.insert(name.clone(), place.clone());
            if let Some(init) = init {
                new.initialise(&place, init).expect("a constant");
            }
        }
        new
    }

    /// Sets the bytes of a global object.
    pub fn set(&mut self, name: &str, bytes: &[u8]) {
        let object = self.globals[name].object;
        self.memory[object] = bytes.iter().map(|b| Cell::Byte(*b, 0)).collect();
    }

    /// Runs a function without parameters to its end.
    pub fn run(&mut self, name: &str) -> End {
        let result = self.call(name, Vec::new());
        let status = |v: Value| match v {
            Value::Nothing => Ok(0),
            v => v.known(0),
        };
        result.and_then(status).map_or_else(|end| end, |v| End::Exit(v & 255))
    }

    fn size(&self, ty: &Type) -> usize {
        self.text.size(ty)
    }

    fn object(&mut self, ty: &Type, unset: u8) -> Place {
        self.memory.push(vec![Cell::Byte(0, unset); self.size(ty)]);
        Place { object: self.memory.len() - 1, at: 0, ty: ty.clone() }
    }

    fn initialise(&mut self, place: &Place, init: &Expr) -> Result<(), End> {
        let (Expr::List(_, all), Type::Array(element, _)) = (init, &place.ty) else {
            let value = self.value(init)?;
            self.store(place, value);
            return Ok(());
        };
        let size = self.size(element);
        for cell in &mut self.memory[place.object] {
            *cell = Cell::Byte(0, 0);
        }
        for (i, e) in all.iter().enumerate() {
            let value = self.value(e)?;
            self.store(
                &Place { object: place.object, at: (i * size) as i64, ty: (**element).clone() },
                value,
            );
        }
        Ok(())
    }

    fn cells(&mut self, place: &Place, size: usize) -> &mut [Cell] {
        let at = usize::try_from(place.at).expect("an address in its object");
        &mut self.memory[place.object][at..at + size]
    }

    fn load(&mut self, place: &Place) -> Value {
        let size = self.size(&place.ty);
        let cells = self.cells(place, size);
        if let Cell::Whole(value) = &cells[0] {
            return value.clone();
        }
        let Type::Int(ty) = &place.ty else { return Value::Struct(cells.to_vec()) };
        let (mut v, mut unset) = (0, 0);
        for (i, cell) in cells.iter().enumerate() {
            let Cell::Byte(byte, mask) = cell else { panic!("a part of a pointer") };
            v |= u64::from(*byte) << (8 * i);
            unset |= u64::from(*mask) << (8 * i);
        }
        Value::Number(Number::new(v, unset, *ty))
    }

    fn store(&mut self, place: &Place, value: Value) {
        let size = self.size(&place.ty);
        let value = value.to(&place.ty);
        let cells = self.cells(place, size);
        match value {
            Value::Number(Number { bits, unset, .. }) => {
                for (i, cell) in cells.iter_mut().enumerate() {
                    *cell = Cell::Byte((bits >> (8 * i)) as u8, (unset >> (8 * i)) as u8);
                }
            }
            Value::Struct(from) => cells.clone_from_slice(&from),
            whole => cells[0] = Cell::Whole(whole),
        }
    }

    fn find(&self, name: &str) -> Option<Place> {
        let local = self.names[self.frame..].iter().rev().find(|(n, _)| n == name);
        local.map(|(_, place)| place).or_else(|| self.globals.get(name)).cloned()
    }

    fn place(&mut self, e: &Expr) -> Result<Place, End> {
        let (pointer, index, line) = match e {
            Expr::Name(name) => return Ok(self.find(name).unwrap_or_else(|| panic!("no {name}"))),
            Expr::Member(of, name) => {
                let of = self.place(of)?;
                let (offset, ty) = self.text.member(&of.ty, name);
                return Ok(Place { object: of.object, at: of.at + offset as i64, ty });
            }
            Expr::Index(of, index, line) => (self.value(of)?, self.value(index)?.known(*line)?, *line),
            Expr::Deref(of) => (self.value(of)?, 0, 0),
            _ => panic!("no place: {e:?}"),
        };
        let Value::Pointer { object, at, to } = pointer else { panic!("line {line}: no pointer") };
        Ok(Place { object, at: at + index * self.size(&to) as i64, ty: to })
    }

    fn value(&mut self, e: &Expr) -> Result<Value, End> {
        Ok(match e {
            Expr::Number(v, ty) => Value::Number(Number::new(*v, 0, *ty)),
            Expr::Name(name) if self.find(name).is_none() => Value::Function(name.clone()),
            Expr::Name(_) | Expr::Index(..) | Expr::Member(..) | Expr::Deref(_) => {
                let place = self.place(e)?;
                if let Type::Array(of, _) = place.ty {
                    return Ok(Value::Pointer { object: place.object, at: place.at, to: *of });
                }
                self.load(&place)
            }
            Expr::Address(of) => {
                let place = self.place(of)?;
                Value::Pointer { object: place.object, at: place.at, to: place.ty }
            }
            Expr::Label(name) => Value::Label(name.clone()),
            Expr::Cast(ty, of) => self.value(of)?.to(ty),
            Expr::SizeOf(of) => {
                let size = self.place(of).map(|p| self.size(&p.ty))?;
                Value::Number(Number::new(size as u64, 0, U64))
            }
            Expr::List(Some(ty), all) => {
                let place = self.object(&Type::Array(Box::new(ty.clone()), all.len()), 0);
                self.initialise(&place, e)?;
                Value::Pointer { object: place.object, at: 0, to: ty.clone() }
            }
            Expr::Unary(op, of) => self.unary(op, of)?,
            Expr::Binary(op, a, b, line) => self.binary(op, a, b, *line)?,
            Expr::Choice(c, a, b, line) => {
                let chosen = self.value(c)?.truth(*line)?;
                // The type is that of both.
                let (a, b) = (self.value(a)?, self.value(b)?);
                let ty = common(a.number().ty, b.number().ty);
                (if chosen { a } else { b }).to(&Type::Int(ty))
            }
            Expr::Assign(op, to, from) => {
                let place = self.place(to)?;
                let mut value = self.value(from)?;
                if let Some(op) = op {
                    value = Value::Number(operate(op, self.load(&place).number(), value.number()));
                }
                self.store(&place, value.clone());
                value
            }
            Expr::After(step, of) => {
                let place = self.place(of)?;
                let old = self.load(&place);
                let new = self.plus(&old, *step);
                self.store(&place, new);
                old
            }
            Expr::Call(callee, arguments, line) => self.called(callee, arguments, *line)?,
            Expr::Text(_) | Expr::List(None, _) => panic!("a text or a list as a value"),
        })
    }

    /// A number and `n` more, or a pointer and `n` elements more.
    fn plus(&self, value: &Value, n: i64) -> Value {
        match value {
            Value::Pointer { object, at, to } => {
                Value::Pointer { object: *object, at: at + n * self.size(to) as i64, to: to.clone() }
            }
            value => Value::Number(operate("+", value.number(), Number::of(n))),
        }
    }

    fn unary(&mut self, op: &str, of: &Expr) -> Result<Value, End> {
        let number = self.value(of)?.number();
        Ok(Value::Number(match op {
            "!" => operate("==", number, Number::of(0)),
            "-" => operate("-", Number::of(0), number),
            "~" => operate("^", number, Number::new(u64::MAX, 0, number.ty.promoted())),
            _ => panic!("the operator {op}"),
        }))
    }

    fn binary(&mut self, op: &str, a: &Expr, b: &Expr, line: usize) -> Result<Value, End> {
        let left = self.value(a)?;
        if op == "&&" || op == "||" {
            let first = left.truth(line)?;
            let all = if first == (op == "&&") { self.value(b)?.truth(line)? } else { first };
            return Ok(int(i64::from(all)));
        }
        let right = self.value(b)?;
        Ok(match left {
            Value::Pointer { .. } => self.plus(&left, right.known(line)?),
            _ => Value::Number(operate(op, left.number(), right.number())),
        })
    }

    fn call(&mut self, name: &str, arguments: Vec<Value>) -> Result<Value, End> {
        let function: Rc<Function> = self.text.functions[name].clone();
        let (frame, scope) = (self.frame, self.names.len());
        self.frame = scope;
        for ((name, ty), value) in function.parameters.iter().zip(arguments) {
            let place = self.object(ty, 0);
            self.store(&place, value);
            self.names.push((name.clone(), place));
        }
        let flow = self.block(&function.body)?;
        self.names.truncate(scope);
        self.frame = frame;
        Ok(if let Flow::Return(value) = flow { value.to(&function.result) } else { Value::Nothing })
    }

    /// A call of a function of the text, or of one that the header has.
    fn called(&mut self, callee: &Expr, arguments: &[Expr], line: usize) -> Result<Value, End> {
        if let Expr::Name(name) = callee
            && !self.text.functions.contains_key(name)
            && self.find(name).is_none()
        {
            return self.known_call(name, arguments, line);
        }
        let Value::Function(name) = self.value(callee)? else { panic!("line {line}: no function") };
        let values: Result<Vec<Value>, End> = arguments.iter().map(|a| self.value(a)).collect();
        self.call(&name, values?)
    }

    fn known_call(&mut self, name: &str, all: &[Expr], line: usize) -> Result<Value, End> {
        let stop = |kind| Err(End::Bug(kind, line));
        match name {
            "B" => return Ok(int(i64::from(self.value(&all[0])?.truth(line)?))),
            "AT" | "CHOSEN" | "SWITCH" => return self.value(&all[0]),
            "LOOK" | "PICK" => return self.value(&all[1]),
            "ABORT" => return stop("abort"),
            "ASSERT" if !self.value(&all[0])?.truth(line)? => return stop("assertion"),
            "EXIT" => return Err(End::Exit(self.value(&all[0])?.known(line)? & 255)),
            "ASSUME" | "klee_assume" if !self.value(&all[0])?.truth(line)? => return Err(End::AssumedAway),
            "ASSERT" | "ASSUME" | "klee_assume" | "free" | "FREE" => {}
            "klee_range" => {
                self.made += 1;
                let bytes = &self.inputs[self.made - 1];
                return Ok(int(i32::from_le_bytes(bytes[..4].try_into().unwrap()).into()));
            }
            "klee_make_symbolic" => {
                self.made += 1;
                let Value::Pointer { object, .. } = self.value(&all[0])? else { panic!("no pointer") };
                let bytes = &self.inputs[self.made - 1];
                self.memory[object] = bytes.iter().map(|b| Cell::Byte(*b, 0)).collect();
            }
            "emit" => {
                let v = self.value(&all[0])?.known(line)?;
                self.output.extend(v.to_le_bytes());
            }
            "printf" => self.print(all, line)?,
            "malloc" => {
                let n = self.value(&all[0])?.known(line)?;
                self.memory.push(vec![Cell::Byte(0, 255); n as usize]);
                return Ok(Value::Pointer { object: self.memory.len() - 1, at: 0, to: Type::Void });
            }
            _ => self.bytes(name, all, line)?,
        }
        Ok(Value::Nothing)
    }

    fn print(&mut self, all: &[Expr], line: usize) -> Result<(), End> {
        let Expr::Text(format) = &all[0] else { panic!("no format") };
        let v = self.value(&all[1])?.known(line)?;
        let text = if format == "%x " { format!("{v:x} ") } else { format!("{v} ") };
        self.output.extend(text.bytes());
        Ok(())
    }

    /// Functions on bytes; the last argument is their number.
    fn bytes(&mut self, name: &str, all: &[Expr], line: usize) -> Result<(), End> {
        let n = self.value(&all[2])?.known(line)? as usize;
        let second = self.value(&all[1])?;
        let cells = |me: &mut Self, value: &Value| {
            let Value::Pointer { object, at, .. } = value else { panic!("line {line}: no pointer") };
            me.cells(&Place { object: *object, at: *at, ty: Type::Void }, n).to_vec()
        };
        let from = match name {
            "memset" => vec![Cell::Byte(second.known(line)? as u8, 0); n],
            "memcpy" | "memmove" => cells(self, &second),
            "write" => {
                for cell in cells(self, &second) {
                    let Cell::Byte(byte, 0) = cell else { return Err(End::Bug("uninitialised", line)) };
                    self.output.push(byte);
                }
                return Ok(());
            }
            _ => panic!("line {line}: {name} is not known"),
        };
        let Value::Pointer { object, at, .. } = self.value(&all[0])? else {
            panic!("line {line}: no pointer")
        };
        self.cells(&Place { object, at, ty: Type::Void }, n).clone_from_slice(&from);
        Ok(())
    }

    /// Statements in their scope; a goto to one of their labels stays inside.
    fn block(&mut self, all: &[Stmt]) -> Result<Flow, End> {
        self.block_from(all, 0)
    }

    fn block_from(&mut self, all: &[Stmt], mut at: usize) -> Result<Flow, End> {
        let scope = self.names.len();
        let flow = loop {
            let Some(statement) = all.get(at) else { break Flow::Next };
            at += 1;
            match self.statement(statement)? {
                Flow::Next => {}
                Flow::Goto(label) => {
                    match all.iter().position(|s| matches!(s, Stmt::Label(l) if *l == label)) {
                        Some(place) => at = place,
                        None => break Flow::Goto(label),
                    }
                }
                other => break other,
            }
        };
        self.names.truncate(scope);
        Ok(flow)
    }

    fn statement(&mut self, statement: &Stmt) -> Result<Flow, End> {
        match statement {
            Stmt::Expr(e) => drop(self.value(e)?),
            Stmt::Declare(all) => {
                for (name, ty, init) in all {
                    let place = self.object(ty, 255);
                    if let Some(init) = init {
                        self.initialise(&place, init)?;
                    }
                    self.names.push((name.clone(), place));
                }
            }
            Stmt::Block(all) => return self.block(all),
            Stmt::If(condition, yes, no, line) => {
                let taken = if self.value(condition)?.truth(*line)? { Some(yes) } else { no.as_ref() };
                return taken.map_or(Ok(Flow::Next), |s| self.statement(s));
            }
            Stmt::For(parts, line) => return self.repeat(parts, *line),
            Stmt::Switch(value, all, line) => {
                let value = self.value(value)?.known(*line)?;
                let case = |want| all.iter().position(|s| matches!(s, Stmt::Case(c) if *c == want));
                let Some(at) = case(Some(value)).or_else(|| case(None)) else { return Ok(Flow::Next) };
                return Ok(match self.block_from(all, at)? {
                    Flow::Break => Flow::Next,
                    other => other,
                });
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(None) => return Ok(Flow::Return(Value::Nothing)),
            Stmt::Return(Some(e)) => return Ok(Flow::Return(self.value(e)?)),
            Stmt::Goto(label) => return Ok(Flow::Goto(label.clone())),
            Stmt::GotoTo(e) => {
                let Value::Label(label) = self.value(e)? else { panic!("no label") };
                return Ok(Flow::Goto(label));
            }
            Stmt::Label(_) | Stmt::Case(_) => {}
            Stmt::Risky { op, ty, target, a, b, line } => self.risky(op, ty, target, (a, b), *line)?,
            Stmt::Access { write, array, length, index, other, line } => {
                let i = self.value(index)?.to(&Type::Int(S32)).known(*line)?;
                let length = self.value(length)?.known(*line)?;
                if i < 0 || i >= length {
                    return Err(End::Bug("out-of-bounds", *line));
                }
                let element =
                    Expr::Index(Box::new(array.clone()), Box::new(Expr::Number(i as u64, S32)), *line);
                let (to, from) = if *write { (&element, other) } else { (other, &element) };
                let value = self.value(from)?;
                let place = self.place(to)?;
                self.store(&place, value);
            }
        }
        Ok(Flow::Next)
    }

    /// A division or a shift, whose second operand may be one that makes it undefined.
    fn risky(
        &mut self,
        op: &str,
        ty: &Type,
        target: &Expr,
        (a, b): (&Expr, &Expr),
        line: usize,
    ) -> Result<(), End> {
        let shift = op == "<<" || op == ">>";
        let a = self.value(a)?.to(ty);
        let b = self.value(b)?.to(if shift { &Type::Int(S32) } else { ty });
        let (Number { bits: x, ty: int, .. }, y) = (a.number(), b.known(line)?);
        let least = int.signed && int.bits >= 32 && x as i64 == i64::MIN >> (64 - int.bits);
        if shift && !(0..i64::from(int.promoted().bits)).contains(&y) {
            return Err(End::Bug("overshift", line));
        }
        if !shift && (y == 0 || least && y == -1) {
            return Err(End::Bug("division", line));
        }
        let value = Value::Number(operate(op, a.number(), b.number())).to(ty);
        let place = self.place(target)?;
        self.store(&place, value);
        Ok(())
    }

    fn repeat(&mut self, parts: &(Stmt, Expr, Expr, Stmt), line: usize) -> Result<Flow, End> {
        let (first, condition, step, body) = parts;
        let scope = self.names.len();
        self.statement(first)?;
        let flow = loop {
            if !self.value(condition)?.truth(line)? {
                break Flow::Next;
            }
            match self.statement(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break Flow::Next,
                other => break other,
            }
            self.value(step)?;
        };
        self.names.truncate(scope);
        Ok(flow)
    }
}
