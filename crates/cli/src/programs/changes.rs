//! Functions that two versions of a program do not have in common. `cleave run --since` asks for them.
//!
//! Functions are compared by name and by a text of their register code. In this text an address is a number made of the name of the
//! object or function there and an offset, or of the content of a literal: adding an object moves all addresses behind it, and changes no
//! function. Source lines and names of variables are left out. A number that happens to be an address is treated as one; so two versions
//! of a function may differ in text and not in fact, which costs time and nothing else. The other way round is possible as well where
//! objects have moved: then callers check each path that they keep.
//!
//! Of a function that differs, the parts that do not are known as pairs of marks (`cleave_coverage::alike`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cleave_coverage::{MarkId, Sites, Version, alike};
use cleave_program::code::{FuncId, Function, Global, Program};
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE, GLOBAL_BASE};
use cleave_replay::sha256;

/// Differences of a program from an older version of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The program's functions that are new or have other code or data, rising.
    pub functions: Vec<FuncId>,
    /// The names of these, and of those of the older version that are gone, in order.
    pub names: Vec<String>,
    /// Marks of these functions behind which both versions do the same: those of the older version, each with its partner.
    pub alike: BTreeMap<MarkId, MarkId>,
    /// The reason why no path of the older version says anything about this one, as the end of a sentence.
    pub all: Option<String>,
    /// True if an object or a function has another address or size: paths may depend on that.
    pub moved: bool,
}

/// The differences of `new` from `old`.
pub fn changes(old: &Program, new: &Program) -> Changes {
    let mut changes = Changes::default();
    if !old.others.is_empty() || !new.others.is_empty() {
        changes.all = Some("the program can execute others".into());
        return changes;
    }
    if old.target != new.target || name_of(old, old.main.entry) != name_of(new, new.main.entry) {
        changes.all = Some("the program is for another machine, or begins elsewhere".into());
        return changes;
    }
    changes.moved = !same_layout(old, new);
    let texts = [old, new].map(|program| Texts::of(program, !changes.moved));
    let data = changed_data(&texts);
    let [before, after] = &texts;
    let mut names = BTreeSet::new();
    for (id, function) in new.functions.iter().enumerate() {
        let (text, uses) = &after.functions[id];
        let is_same =
            before.by_name.get(function.name.as_str()).is_some_and(|&id| before.functions[id].0 == *text)
                && uses.is_disjoint(&data);
        if is_same {
            continue;
        }
        if function.library || function.code.is_empty() {
            // A new one is called by changed functions alone.
            if before.by_name.contains_key(function.name.as_str()) && changes.all.is_none() {
                changes.all = Some(format!("`{}` of the C library differs", function.name));
            }
            continue;
        }
        changes.functions.push(id as FuncId);
        names.insert(function.name.clone());
    }
    changes.alike = alike_parts([old, new], &texts, &data, &changes);
    let gone = old.functions.iter().filter(|f| !f.library && !after.by_name.contains_key(f.name.as_str()));
    names.extend(gone.map(|f| f.name.clone()));
    changes.names = names.into_iter().collect();
    changes
}

/// The parts of the functions that differ which both versions have, as [`Changes::alike`].
fn alike_parts(
    programs: [&Program; 2],
    texts: &[Texts<'_>; 2],
    data: &BTreeSet<String>,
    changes: &Changes,
) -> BTreeMap<MarkId, MarkId> {
    let mut all = BTreeMap::new();
    if changes.functions.is_empty() {
        return all;
    }
    let (values, sites) = (!changes.moved, programs.map(Sites::new));
    // A constant that leads to changed data is like none of the other version.
    let mut plain = programs.map(Clone::clone);
    let mut make_plain = |n: usize, func: usize| {
        replace_addresses(programs[n], &mut plain[n].functions[func], &mut |value, name, uses| {
            let side = if uses.is_disjoint(data) { String::new() } else { format!(" of version {n}") };
            let value = if values { format!(" {value:x}") } else { String::new() };
            format!("{name}{value}{side}")
        });
    };
    let partner = |func: FuncId| {
        let function = programs[1].functions.get(func as usize)?;
        let &before = texts[0].by_name.get(function.name.as_str())?;
        let heads = [&programs[0].functions[before], function];
        let [(old, uses), (new, more)] = [0, 1].map(|n| head(programs[n], heads[n]));
        (old == new && uses.is_disjoint(data) && more.is_disjoint(data)).then_some(before)
    };
    let pairs: Vec<(usize, FuncId)> =
        changes.functions.iter().filter_map(|&func| Some((partner(func)?, func))).collect();
    for &(before, func) in &pairs {
        make_plain(0, before);
        make_plain(1, func as usize);
    }
    for (before, func) in pairs {
        let version = |n: usize, func| Version { program: &plain[n], sites: &sites[n], func };
        all.extend(alike(version(0, before as FuncId), version(1, func)));
    }
    all
}

/// The parts of a function that callers and exceptions see, as a text, and the data that it uses.
fn head(program: &Program, f: &Function) -> Text {
    let mut uses = BTreeSet::new();
    let mut text = format!(
        "{:?} {} {:?} {} {}",
        f.signature, f.variadic, f.fixed_registers, f.results, f.unwinding.never
    );
    for address in [f.unwinding.personality, f.unwinding.table] {
        let _ = write!(text, " {}", named(program, address, &mut uses).unwrap_or_default());
    }
    (text, uses)
}

fn name_of(program: &Program, id: FuncId) -> &str {
    program.functions.get(id as usize).map_or("", |f| f.name.as_str())
}

/// True if all objects have the same addresses, sizes and kinds, and all functions the same numbers.
fn same_layout(old: &Program, new: &Program) -> bool {
    let object = |g: &Global| (g.address, g.size, g.constant, g.storage, g.align);
    old.main == new.main
        && old.functions.len() == new.functions.len()
        && old.functions.iter().zip(&new.functions).all(|(a, b)| a.name == b.name)
        && old.globals.len() == new.globals.len()
        && old.globals.iter().zip(&new.globals).all(|(a, b)| object(a) == object(b))
}

/// The names of data that is not the same in both programs, or leads to such data.
fn changed_data(texts: &[Texts<'_>; 2]) -> BTreeSet<String> {
    let [before, after] = texts;
    let mut changed = BTreeSet::new();
    for (name, text) in before.data.iter().chain(&after.data) {
        if before.data.get(name) != Some(text) || after.data.get(name) != Some(text) {
            changed.insert(name.clone());
        }
    }
    loop {
        let of = |texts: &Texts<'_>| -> Vec<String> {
            let leads = |(_, (_, uses)): &(&String, &Text)| !uses.is_disjoint(&changed);
            texts.data.iter().filter(leads).map(|(name, _)| name.clone()).collect()
        };
        let more: Vec<String> = [before, after].into_iter().flat_map(of).collect();
        let known = changed.len();
        changed.extend(more);
        if changed.len() == known {
            return changed;
        }
    }
}

/// A text, and the names of the data in it.
type Text = (String, BTreeSet<String>);

/// The texts of a program's functions and data.
struct Texts<'p> {
    functions: Vec<Text>,
    by_name: BTreeMap<&'p str, usize>,
    /// By name.
    data: BTreeMap<String, Text>,
}

impl<'p> Texts<'p> {
    /// With `values` the texts also have all numbers as they are.
    fn of(program: &'p Program, values: bool) -> Texts<'p> {
        let mut by_name = BTreeMap::new();
        for (id, function) in program.functions.iter().enumerate() {
            by_name.entry(function.name.as_str()).or_insert(id);
        }
        // The same code without lines, and with numbers in place of addresses that do not depend on where objects lie.
        let mut plain = program.clone();
        let mut functions = Vec::with_capacity(program.functions.len());
        for function in &mut plain.functions {
            functions.push(made_plain(program, function, values));
        }
        for (id, text) in functions.iter_mut().enumerate() {
            text.0.push_str(&plain.dump(id as FuncId));
        }
        let named = program.globals.iter().filter(|g| !is_literal(program, g) && !is_descriptor(g));
        let data = named.map(|g| (g.name.clone(), data_text(program, g, values))).collect();
        Texts { functions, by_name, data }
    }
}

/// Takes the lines out of a function, and replaces addresses. Returns a text of all that its dump leaves out, and the names of the data
/// that it uses.
fn made_plain(program: &Program, f: &mut Function, values: bool) -> Text {
    let mut uses = BTreeSet::new();
    let mut text = format!("{:?} {:?} {:?} {}", f.signature, f.fixed_registers, f.varargs, f.unwinding.never);
    for call in &f.indirect {
        let _ = write!(text, " {:?}", call.signature);
    }
    for switch in &f.switches {
        let _ = write!(text, " {:?}", switch.cases);
    }
    for address in [f.unwinding.personality, f.unwinding.table] {
        let _ = write!(text, " {}", named(program, address, &mut uses).unwrap_or_default());
    }
    if values {
        let _ = write!(text, " {:?}", f.constants);
    }
    f.positions.clear();
    replace_addresses(program, f, &mut |_, name, own_uses| {
        uses.extend(own_uses.iter().cloned());
        name.to_string()
    });
    (text, uses)
}

/// Puts a number made of a text in the place of each constant of a function that is an address. The text is made of the constant, its name,
/// and the names of the data that it leads to.
fn replace_addresses(
    program: &Program,
    f: &mut Function,
    text_of: &mut dyn FnMut(u64, &str, &BTreeSet<String>) -> String,
) {
    for constant in &mut f.constants {
        let mut uses = BTreeSet::new();
        if let Some(name) = named(program, *constant, &mut uses) {
            let digest = sha256(text_of(*constant, &name, &uses).as_bytes());
            *constant = digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        }
    }
}

/// True for the data of a place that a check of `-fsanitize=undefined` has: clang makes them, without a name, and only the check's
/// handler reads them, for its message. They have lines in them.
fn is_descriptor(global: &Global) -> bool {
    !global.constant && !global.library && global.name.starts_with("anon.")
}

/// The bytes of an object's initial value, and a word of zeros behind: its last zeros are not written down.
fn initial(program: &Program, global: &Global) -> Vec<u8> {
    let mut bytes = global.init.clone();
    bytes.resize(bytes.len() + program.target.pointer_bytes() as usize, 0);
    bytes
}

/// The number in a word of memory.
fn number(word: &[u8]) -> u64 {
    word.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// True for constants that the compiler has named, by numbers: string literals and the like. They hold no addresses.
fn is_literal(program: &Program, global: &Global) -> bool {
    if !global.constant || !global.name.starts_with('.') {
        return false;
    }
    // Data may be packed, so an address may begin at each byte.
    let bytes = initial(program, global);
    let mut words = bytes.windows(program.target.pointer_bytes() as usize).map(number);
    words.all(|value| object_at(program, value).is_none() && !program.main.has_function_at(value))
}

fn data_text(program: &Program, global: &Global, values: bool) -> Text {
    let mut uses = BTreeSet::new();
    let mut text = format!(
        "{} {} {:?} {} {} ",
        global.size, global.constant, global.storage, global.library, global.align
    );
    let (bytes, size) = (initial(program, global), program.target.pointer_bytes() as usize);
    for word in bytes.chunks_exact(size) {
        match named(program, number(word), &mut uses) {
            Some(name) => text.push_str(&name),
            None => {
                let _ = write!(text, "{:x}", number(word));
            }
        }
        text.push(' ');
    }
    // Data may be packed, so an address may begin at each byte.
    for word in bytes.windows(size) {
        named(program, number(word), &mut uses);
    }
    if values {
        let _ = write!(text, " {:?}", global.init);
    }
    (text, uses)
}

/// The object that has this address, or whose guard has it.
fn object_at(program: &Program, address: u64) -> Option<&Global> {
    if address < GLOBAL_BASE {
        return None;
    }
    let slot = |address: u64| address / program.target.slot_size();
    let behind = program.globals.partition_point(|g| g.address <= address);
    // The guard in front of an object belongs to its slot, and variables of a section share slots.
    let inside = |g: &&Global| {
        (slot(g.address)..slot(g.address) + program.target.slots_of(g.address, g.size))
            .contains(&slot(address))
    };
    let before = behind.checked_sub(1).and_then(|i| program.globals.get(i)).filter(inside);
    before.or_else(|| program.globals.get(behind).filter(inside))
}

/// The name of an address of an object or a function, with its offset; `None` for other numbers. Adds the name of an object that is no
/// literal to `uses`.
fn named(program: &Program, value: u64, uses: &mut BTreeSet<String>) -> Option<String> {
    if value < FUNCTION_BASE {
        return None;
    }
    if program.main.has_function_at(value) {
        let id = (value - FUNCTION_BASE) / FUNCTION_STRIDE;
        return Some(format!("&{}", program.functions.get(id as usize)?.name));
    }
    let global = object_at(program, value)?;
    let offset = value.wrapping_sub(global.address) as i64;
    if is_descriptor(global) {
        return Some(format!("&place of a check.{}{offset:+}", global.size));
    }
    if !is_literal(program, global) {
        uses.insert(global.name.clone());
        return Some(format!("&{}{offset:+}", global.name));
    }
    let mut text = String::from("&\"");
    for byte in &global.init {
        let _ = write!(text, "{byte:02x}");
    }
    let _ = write!(text, "\".{}.{}{offset:+}", global.size, global.align);
    Some(text)
}
