//! Source lines of the code.

use cleave_program::code::{Flow, FuncId, Function, Position, Program};
use cleave_program::debug::DebugInfo;
use gimli::write::{Address, FileId, LineProgram, LineString};
use rustc_hash::FxHashMap;

use crate::addresses::Addresses;

/// The directories of files, by their names.
pub(crate) struct Directories<'a>(FxHashMap<&'a str, &'a str>);

impl<'a> Directories<'a> {
    pub(crate) fn new(info: &'a DebugInfo) -> Directories<'a> {
        let files = info.nodes.iter().filter(|node| node.kind == "DIFile");
        Directories(files.map(|file| (file.text("filename"), file.text("directory"))).collect())
    }

    pub(crate) fn of(&self, file: &str) -> &'a str {
        self.0.get(file).copied().unwrap_or_default()
    }
}

/// A string for the table of files, which allows no empty strings.
pub(crate) fn text(text: &str) -> LineString {
    let bytes: Vec<u8> = text.bytes().filter(|&b| b != 0).collect();
    LineString::String(if bytes.is_empty() { b".".to_vec() } else { bytes })
}

/// The entry of a file in the table, added if it is new.
pub(crate) fn file_id(lines: &mut LineProgram, directories: &Directories<'_>, name: &str) -> FileId {
    let directory = match directories.of(name) {
        "" => lines.default_directory(),
        directory => lines.add_directory(text(directory)),
    };
    lines.add_file(text(name), directory, None)
}

/// True for each op before which a path can be stopped. No line begins at another op, because gdb could not stop there.
fn stops(function: &Function) -> Vec<bool> {
    let mut stops = vec![false; function.code.len()];
    let mut stop = |pc: usize| {
        if let Some(stop) = stops.get_mut(pc) {
            *stop = true;
        }
    };
    stop(0);
    for (pc, op) in function.code.iter().enumerate() {
        function.targets(op).into_iter().for_each(|pc| stop(pc as usize));
        if op.flow() == Flow::Call {
            stop(pc + 1);
        }
    }
    stops
}

/// Adds the lines of a function. An op without a line has that of the op before; the first ops have the line of the definition.
pub(crate) fn add_function(
    lines: &mut LineProgram,
    directories: &Directories<'_>,
    addresses: &Addresses,
    program: &Program,
    func: FuncId,
    head: u32,
) {
    let function = &program.functions[func as usize];
    let position = |index: u32| program.positions.get(index as usize);
    let defined = position(function.defined_at).map(|p| Position { line: head.max(1), ..p.clone() });
    lines.begin_sequence(Some(Address::Constant(addresses.start(func))));
    let (mut last, mut begun): (Option<Position>, bool) = (None, false);
    let stops = stops(function);
    for (pc, &index) in function.positions.iter().enumerate().filter(|&(pc, _)| stops[pc]) {
        let here = position(index).cloned().or_else(|| if pc == 0 { defined.clone() } else { None });
        // The first line of the body ends the prologue, even if it is the line of the definition.
        let begins = !begun && pc > 0;
        let Some(here) = here.filter(|here| begins || last.as_ref() != Some(here)) else { continue };
        begun |= begins;
        let name = program.strings.get(here.file as usize).map_or("", String::as_str);
        let file = file_id(lines, directories, name);
        let row = lines.row();
        row.address_offset = pc as u64;
        row.file = file;
        row.line = u64::from(here.line);
        lines.generate_row();
        last = Some(here);
    }
    lines.end_sequence(addresses.size(func));
}
