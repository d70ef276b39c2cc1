//! The C of a harness: a `main` that makes the inputs of one function by its contract, calls it, and checks the contract's promises.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::entries::contract::{self, Assigned, Contract, Item};
use crate::entries::logic::{self, RESULT, old_name};
use crate::entries::signature::{Parameter, Signature, TypeKind};
use crate::entries::tokens::{is_name, words, written};

/// A harness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Harness {
    /// The source.
    pub text: String,
    /// Bounds that no item of the contract gives, each a sentence.
    pub guesses: Vec<String>,
}

/// Greatest number of bytes of an object whose count nothing bounds.
const UNBOUNDED: u64 = 64;

/// The functions of the engine that a harness calls. Nothing is included: the source under test may define any name of a header.
pub const DECLARATIONS: &str = "\
#pragma clang diagnostic ignored \"-Weverything\"
#ifdef __cplusplus
extern \"C\" {
#endif
void klee_make_symbolic(void *object, __SIZE_TYPE__ size, const char *name);
void klee_assume(__UINTPTR_TYPE__ condition);
/* A new object of `size` symbolic bytes, which are at most `most`. */
void *cleave_symbolic_object(__SIZE_TYPE__ size, __SIZE_TYPE__ most, const char *name);
void cleave_breach(const char *promise, const char *file, int line, const char *function) __asm__(\"__assert_fail\");
#ifdef __cplusplus
}
#endif
";

/// The word of a contract for the object that a method is called on: `this = (8)` gives the arguments of its constructor.
pub const OBJECT: &str = "this";
/// The variable of that object.
const OBJECT_NAME: &str = "cleave_object";

/// Behind lines that count as lines of another file.
const GO_ON: &str = "#line of the harness";

/// The text with its own line numbers behind lines of other files.
pub fn with_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (n, line) in text.lines().enumerate() {
        let _ = match line == GO_ON {
            true => writeln!(out, "#line {} \"harness.c\"", n + 2),
            false => writeln!(out, "{line}"),
        };
    }
    out
}

/// The text of a file of its own: no line of it counts as one of another file.
pub fn without_lines(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("#line ")).map(|line| format!("{line}\n")).collect()
}

/// The text that puts a source in front of a harness, and takes its `main` away if the harness has one.
pub fn including(source: &Path, without_main: bool) -> String {
    let include = format!("#include {}\n", quoted(&source.display().to_string()));
    let include = match without_main {
        true => format!("#define main cleave_main_of_the_program\n{include}#undef main\n"),
        false => include,
    };
    include + "#line 1 \"harness.c\"\n"
}

/// A text as a literal of C.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// The harness of a function with a contract, behind the function's source.
///
/// # Errors
/// A sentence about an item that does not fit the function.
pub fn of_contract(signature: &Signature, contract: &Contract) -> Result<Harness, String> {
    let mut maker = Inputs::new(signature, contract);
    maker.make()?;
    let Inputs { text: inputs, guesses, .. } = maker;
    let mut text = DECLARATIONS.to_string();
    let _ = write!(text, "\nint main(void)\n{{\n{inputs}");
    let (before, after) = promises(signature, contract)?;
    text.push_str(&before);
    text.push_str(&call(signature, &signature.name, RESULT));
    text.push_str(&after);
    let status =
        if signature.result == Some(TypeKind::Integer) { format!("(int){RESULT}") } else { "0".into() };
    let _ = writeln!(text, "\treturn {status};\n}}");
    Ok(Harness { text, guesses })
}

/// The call of a function that has the signature, with its parameters.
pub fn call(signature: &Signature, function: &str, result: &str) -> String {
    let call = call_expression(signature, function);
    match signature.result {
        None => format!("\t{call};\n"),
        Some(_) => format!("\t__typeof__({call}) {result} = {call};\n"),
    }
}

/// The call as an expression.
pub fn call_expression(signature: &Signature, function: &str) -> String {
    let names: Vec<_> = signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let function = match &signature.class {
        Some(_) => format!("{OBJECT_NAME}.{}", signature.last_name()),
        None => function.to_string(),
    };
    format!("{function}({})", names.join(", "))
}

/// The condition of a promise, and C in `before` that keeps the values before the call that it needs; `kept` counts these.
///
/// # Errors
/// As [`logic::condition`].
pub fn kept_condition(text: &str, kept: &mut usize, before: &mut String) -> Result<String, String> {
    let condition = logic::condition(text, *kept)?;
    for value in &condition.old {
        let _ = writeln!(before, "\t__typeof__({value}) {} = {value};", old_name(*kept));
        *kept += 1;
    }
    Ok(condition.text)
}

/// C in front of the call that keeps values for the promises, and C behind it that checks them.
pub fn promises(signature: &Signature, contract: &Contract) -> Result<(String, String), String> {
    let (mut before, mut after, mut kept) = (String::new(), String::new(), 0);
    for (text, line) in &contract.ensures {
        let condition = kept_condition(text, &mut kept, &mut before)?;
        if condition.contains(RESULT) && signature.result.is_none() {
            return Err(format!("`ensures {text}` speaks of a result, and `{}` has none", signature.name));
        }
        let place = match line {
            Some(line) => (quoted(&signature.source.display().to_string()), *line),
            None => (quoted("contract"), 1),
        };
        let told = quoted(&format!("ensures {text}"));
        let function = quoted(&signature.name);
        // A failure within the condition is one of this clause's line.
        let _ = writeln!(
            after,
            "#line {1} {0}\n\tif (!({condition}))\n\t\tcleave_breach({told}, {0}, {1}, {function});\n{GO_ON}",
            place.0, place.1
        );
    }
    if let Some(assigned) = &contract.assigns {
        for item in &contract.given {
            let is_copy = |place: &str| signature.parameters.iter().any(|p| p.name == place && is_class(p));
            if let Item::Object { place, count, .. } = item
                && !is_copy(place)
            {
                let (keeps, compares) = unchanged(place, count.as_deref(), assigned, signature)?;
                before.push_str(&keeps);
                after.push_str(&compares);
            }
        }
    }
    Ok((before, after))
}

/// C that keeps the elements of an object, and C that compares those which no `assigns` names.
fn unchanged(
    place: &str,
    count: Option<&str>,
    assigned: &[Assigned],
    signature: &Signature,
) -> Result<(String, String), String> {
    let count = count.map_or(Ok("1".to_string()), |count| logic::condition(count, 0).map(|c| c.text))?;
    let name = variable(place, "before");
    let mut allowed = vec!["0".to_string()];
    for Assigned { range, .. } in assigned.iter().filter(|assigned| assigned.pointer == place) {
        let (first, last) = match range {
            None => ("0".to_string(), "0".to_string()),
            Some((first, last)) => (logic::condition(first, 0)?.text, logic::condition(last, 0)?.text),
        };
        allowed.push(format!(
            "cleave_k >= ({first}) * sizeof *{place} && cleave_k < (({last}) + 1) * sizeof *{place}"
        ));
    }
    let size = format!("{name}_size");
    let keeps = format!(
        "\t__SIZE_TYPE__ {size} = {place} ? ({count}) * sizeof *{place} : 0;\n\
         \tunsigned char {name}[{size} + 1];\n\
         \tfor (__SIZE_TYPE__ cleave_k = 0; cleave_k < {size}; cleave_k++)\n\
         \t\t{name}[cleave_k] = ((const unsigned char *){place})[cleave_k];\n"
    );
    let told = quoted(&format!("assigns: {place} keeps its other bytes"));
    let compares = format!(
        "\t{{\n\t\tint cleave_same = 1;\n\
         \t\tfor (__SIZE_TYPE__ cleave_k = 0; cleave_k < {size}; cleave_k++)\n\
         \t\t\tif (!({}))\n\
         \t\t\t\tcleave_same &= {name}[cleave_k] == ((const unsigned char *){place})[cleave_k];\n\
         \t\tif (!cleave_same)\n\
         \t\t\tcleave_breach({told}, {}, 1, {});\n\t}}\n",
        allowed.join(" || "),
        quoted(&signature.source.display().to_string()),
        quoted(&signature.name)
    );
    Ok((keeps, compares))
}

/// The name of a variable beside a place.
pub fn variable(place: &str, what: &str) -> String {
    let plain: String = place.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("cleave_{what}_{plain}")
}

/// C that makes inputs.
pub struct Inputs<'a> {
    signature: &'a Signature,
    contract: &'a Contract,
    /// Statements so far.
    pub text: String,
    /// See [`Harness::guesses`].
    pub guesses: Vec<String>,
    /// Pointers among the parameters, and other places of items, that have no value yet.
    open: BTreeSet<String>,
}

impl<'a> Inputs<'a> {
    /// For the parameters of a function.
    pub fn new(signature: &'a Signature, contract: &'a Contract) -> Inputs<'a> {
        let open =
            signature.parameters.iter().filter(|parameter| is_pointer(parameter) || is_class(parameter));
        let open = open.map(|parameter| parameter.name.clone()).collect();
        Inputs { signature, contract, text: String::new(), guesses: Vec::new(), open }
    }

    /// Declares all parameters and gives them values.
    ///
    /// # Errors
    /// A sentence about an item that does not fit.
    pub fn make(&mut self) -> Result<(), String> {
        for parameter in &self.signature.parameters {
            self.declare(parameter)?;
        }
        let mut assumptions: Vec<&Item> = Vec::new();
        let mut objects: Vec<Item> = Vec::new();
        for item in &self.contract.given {
            match item {
                Item::Assumed(_) => assumptions.push(item),
                other if other.place() == Some(OBJECT) && self.signature.class.is_some() => {}
                other => objects.push(other.clone()),
            }
        }
        // Bounds come before arithmetic on what they bound.
        assumptions.sort_by_key(
            |item| matches!(item, Item::Assumed(text) if logic::can_fail(text).unwrap_or_default()),
        );
        for parameter in self.signature.parameters.iter().filter(|parameter| is_pointer(parameter)) {
            let is_named = objects.iter().any(|item| item.place() == Some(&parameter.name));
            if parameter.kind == TypeKind::Function && !is_named {
                return Err(format!(
                    "`{0}` points to a function, and nothing says to which; add an item like `{0} = NAME`",
                    parameter.name
                ));
            }
            if !is_named {
                objects.push(Item::Object { place: parameter.name.clone(), count: None, nullable: true });
            }
        }
        for parameter in self.signature.parameters.iter().filter(|parameter| is_class(parameter)) {
            let place = parameter.name.clone();
            if objects.iter().any(|item| item.place() == Some(&place)) {
                continue;
            }
            if parameter.kind == TypeKind::Elements {
                return Err(format!(
                    "nothing says how many elements `{place}` has; add an item like `{place}[4]`"
                ));
            }
            self.guesses.push(format!("nothing bounds `{place}`: it has at most {UNBOUNDED} characters"));
            objects.push(Item::Text { place, most: UNBOUNDED.to_string(), nullable: false });
        }
        // What nothing depends on comes first: values, then objects as they stand.
        objects.sort_by_key(|item| !matches!(item, Item::Fixed { .. }));
        self.open.extend(objects.iter().filter_map(Item::place).map(String::from));
        while !objects.is_empty() {
            self.assume(&mut assumptions)?;
            let next = objects.iter().position(|item| !self.waits(item).unwrap_or_default()).unwrap_or(0);
            let item = objects.remove(next);
            self.object(&item)?;
        }
        self.open.clear();
        self.assume(&mut assumptions)?;
        self.receiver()
    }

    /// The object of a method, made by its constructor.
    fn receiver(&mut self) -> Result<(), String> {
        let Some(class) = &self.signature.class else { return Ok(()) };
        let given = self.contract.given.iter().find(|item| item.place() == Some(OBJECT));
        let arguments = match given {
            None => String::new(),
            Some(Item::Fixed { value, .. }) if value == "()" => String::new(),
            Some(Item::Fixed { value, .. }) if value.starts_with('(') => logic::condition(value, 0)?.text,
            Some(item) => {
                return Err(format!(
                    "`{}`: write `{OBJECT} = (ARGUMENTS)` for the arguments of its constructor",
                    item.written()
                ));
            }
        };
        let _ = writeln!(self.text, "\t{class} {OBJECT_NAME}{arguments};");
        Ok(())
    }

    fn declare(&mut self, parameter: &Parameter) -> Result<(), String> {
        let Parameter { name, ty, .. } = parameter;
        let is_fixed = |item: &Item| matches!(item, Item::Fixed { place, .. } if place == name);
        let is_input =
            !is_pointer(parameter) && !is_class(parameter) && !self.contract.given.iter().any(is_fixed);
        let start = if is_pointer(parameter) { " = 0" } else { "" };
        let _ = writeln!(self.text, "\t{}{start};", declared(ty, name));
        if is_input {
            self.symbolic(name);
        }
        Ok(())
    }

    fn symbolic(&mut self, place: &str) {
        let _ =
            writeln!(self.text, "\tklee_make_symbolic((void *)&{place}, sizeof {place}, {});", quoted(place));
    }

    /// Writes the assumptions that look at nothing which has no value yet.
    fn assume(&mut self, assumptions: &mut Vec<&Item>) -> Result<(), String> {
        let mut later = Vec::new();
        for item in assumptions.drain(..) {
            let Item::Assumed(text) = item else { continue };
            if self.is_open(text)? {
                later.push(item);
                continue;
            }
            for conjunct in logic::conjuncts(text)? {
                let condition = logic::condition(&conjunct, 0)?;
                if !condition.old.is_empty() || condition.text.contains(RESULT) {
                    return Err(format!("`{text}` speaks of what is only known behind the call"));
                }
                let assumption = format!("\tklee_assume(!!({}));", condition.text);
                let _ = match logic::can_fail(&conjunct)? {
                    true => writeln!(self.text, "#line 1 \"contract\"\n{assumption}\n{GO_ON}"),
                    false => writeln!(self.text, "{assumption}"),
                };
            }
        }
        *assumptions = later;
        Ok(())
    }

    /// Returns true if an item looks at something that has no value yet: `end = p + 4` before `p`, `s->buf[n]` before `s`.
    fn waits(&self, item: &Item) -> Result<bool, String> {
        let (place, looks_at) = match item {
            Item::Object { place, count, .. } => (place, count.as_deref().unwrap_or_default()),
            Item::Text { place, most, .. } => (place, most.as_str()),
            Item::Fixed { place, value } => (place, value.as_str()),
            Item::Assumed(_) => return Ok(false),
        };
        let is_part_of_open =
            words(place)?.first().is_some_and(|root| root != place && self.open.contains(root));
        Ok(is_part_of_open || self.is_open(looks_at)?)
    }

    /// Returns true if a condition looks at something that has no value yet.
    fn is_open(&self, text: &str) -> Result<bool, String> {
        let words = words(text)?;
        let text = written(&words);
        let looks_at =
            |place: &String| if is_name(place) { words.contains(place) } else { text.contains(place) };
        Ok(self.open.iter().any(looks_at))
    }

    fn object(&mut self, item: &Item) -> Result<(), String> {
        let place = item.place().unwrap_or_default().to_string();
        let parameter = self.signature.parameters.iter().find(|parameter| parameter.name == place);
        if let Some(class) = parameter.filter(|parameter| is_class(parameter)) {
            let made = self.class_object(class, item)?;
            self.open.remove(&place);
            self.maybe(&place, false, &made);
            return Ok(());
        }
        match item {
            Item::Fixed { value, .. } => {
                let value = logic::condition(value, 0)?.text;
                let _ = writeln!(self.text, "\t{place} = {value};");
            }
            // Of a parameter that is no pointer this says nothing new; of a variable or a member it is its value.
            Item::Object { count: None, nullable: false, .. }
                if parameter.is_some_and(|p| !is_pointer(p)) => {}
            Item::Object { count: None, nullable: false, .. } if parameter.is_none() => self.symbolic(&place),
            Item::Object { .. } | Item::Text { .. } if parameter.is_some_and(|p| !is_pointer(p)) => {
                return Err(format!("`{}` says that `{place}` is a pointer, and it is none", item.written()));
            }
            Item::Object { count, nullable, .. } => {
                let count = count.clone().unwrap_or_else(|| "1".into());
                let made = self.elements(&place, &count)?;
                self.maybe(&place, *nullable, &made);
            }
            Item::Text { most, nullable, .. } => {
                let made = text_of(&place, &logic::condition(most, 0)?.text);
                self.maybe(&place, *nullable, &made);
            }
            Item::Assumed(_) => {}
        }
        self.open.remove(&place);
        Ok(())
    }

    /// Statements that make `place` point to `count` elements.
    fn elements(&mut self, place: &str, count: &str) -> Result<Vec<String>, String> {
        let (most, unbounded) = contract::bounded(count, &self.contract.given)?;
        let count = logic::condition(count, 0)?.text;
        let mut made = Vec::new();
        let is_constant = words(&count)?.iter().all(|word| !is_name(word));
        let most = if unbounded.is_empty() {
            logic::condition(&most, 0)?.text
        } else {
            self.guesses.push(format!(
                "nothing bounds {}: `{place}` has at most {UNBOUNDED} bytes",
                unbounded.iter().map(|place| format!("`{place}`")).collect::<Vec<_>>().join(" and ")
            ));
            format!("{UNBOUNDED} / sizeof *{place}")
        };
        if !is_constant {
            made.push(format!("klee_assume(({count}) >= 0);"));
            made.push(format!("klee_assume((__SIZE_TYPE__)({count}) <= (__SIZE_TYPE__)({most}));"));
        }
        let size = |count: &str| match count {
            "1" => format!("sizeof *{place}"),
            count if is_name(count) => format!("{count} * sizeof *{place}"),
            count => format!("({count}) * sizeof *{place}"),
        };
        made.push(format!(
            "*(void **)&{place} = cleave_symbolic_object({}, {}, {});",
            size(&count),
            size(&most),
            quoted(place)
        ));
        Ok(made)
    }

    /// Statements that make a text or elements of C++, of as many symbolic bytes as the item says.
    fn class_object(&mut self, class: &Parameter, item: &Item) -> Result<Vec<String>, String> {
        let Parameter { name, ty, kind } = class;
        let (count, most, mut made) = match item {
            Item::Text { most, .. } if *kind == TypeKind::Text => {
                let (length, made) = symbolic_length(name);
                (length, logic::condition(most, 0)?.text, made)
            }
            Item::Object { count: Some(count), nullable: false, .. } => {
                let (most, unbounded) = contract::bounded(count, &self.contract.given)?;
                if let Some(place) = unbounded.first() {
                    return Err(format!("nothing bounds `{place}`; add a condition like `{place} <= 8`"));
                }
                (logic::condition(count, 0)?.text, logic::condition(&most, 0)?.text, Vec::new())
            }
            _ => return Err(format!("`{}` does not fit `{name}`, a {ty}", item.written())),
        };
        let bytes = variable(name, "bytes");
        let element = format!("{ty}::value_type");
        made.push(format!("klee_assume((__SIZE_TYPE__)({count}) <= (__SIZE_TYPE__)({most}));"));
        made.push(format!(
            "{element} *{bytes} = ({element} *)cleave_symbolic_object(({count}) * sizeof({element}), ({most}) * sizeof({element}), {});",
            quoted(name)
        ));
        made.push(match kind {
            TypeKind::Text => format!("{name} = {ty}({bytes}, {count});"),
            _ => format!("{name} = {ty}({bytes}, {bytes} + ({count}));"),
        });
        Ok(made)
    }

    fn maybe(&mut self, place: &str, nullable: bool, made: &[String]) {
        if !nullable {
            for statement in made {
                let _ = writeln!(self.text, "\t{statement}");
            }
            return;
        }
        let is_there = variable(place, "is_there");
        let name = quoted(&format!("{place}-is-there"));
        let _ = writeln!(self.text, "\tunsigned char {is_there};");
        let _ = writeln!(self.text, "\tklee_make_symbolic(&{is_there}, 1, {name});");
        let _ = writeln!(self.text, "\tif ({is_there}) {{");
        for statement in made {
            let _ = writeln!(self.text, "\t\t{statement}");
        }
        let _ = writeln!(self.text, "\t}} else\n\t\t{place} = 0;");
    }
}

/// Statements that make `place` point to a string of at most `most` characters.
fn text_of(place: &str, most: &str) -> Vec<String> {
    let (length, mut made) = symbolic_length(place);
    made.push(format!("klee_assume({length} <= (__SIZE_TYPE__)({most}));"));
    let object = format!("cleave_symbolic_object({length} + 1, ({most}) + 1, {})", quoted(place));
    made.push(format!("*(void **)&{place} = {object};"));
    made.push(format!("((char *){place})[{length}] = 0;"));
    made
}

/// A variable for the length of a text, and statements that make it an input.
fn symbolic_length(place: &str) -> (String, Vec<String>) {
    let length = variable(place, "length");
    let object = quoted(&format!("{place}-length"));
    let made = vec![
        format!("__SIZE_TYPE__ {length};"),
        format!("klee_make_symbolic(&{length}, sizeof {length}, {object});"),
    ];
    (length, made)
}

/// The declaration of a variable.
pub fn declared(ty: &str, name: &str) -> String {
    match ty.ends_with('*') {
        _ if ty.contains('(') => format!("__typeof__({ty}) {name}"),
        true => format!("{ty}{name}"),
        false => format!("{ty} {name}"),
    }
}

/// Returns true for a parameter that is a text or elements of C++: it has a value of its own, made of an object.
fn is_class(parameter: &Parameter) -> bool {
    matches!(parameter.kind, TypeKind::Text | TypeKind::Elements)
}

fn is_pointer(parameter: &Parameter) -> bool {
    matches!(parameter.kind, TypeKind::Pointer | TypeKind::Characters | TypeKind::Function)
}
