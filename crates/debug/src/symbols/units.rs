//! Translation units: their files, types, globals and functions.

use cleave_program::code::FuncId;
use cleave_program::debug::{DebugInfo, Debuggable, NO_NODE, Node, NodeId};
use gimli::constants::*;
use gimli::write::{
    Address, AttributeValue, Dwarf, Expression, LineProgram, Range, RangeList, Unit, UnitEntryId,
};
use gimli::{Encoding, Format, LineEncoding};
use rustc_hash::FxHashMap;

use crate::machine::Machine;
use crate::symbols::lines::{self, Directories};

/// The form of the debug information.
pub(crate) const ENCODING: Encoding = Encoding { address_size: 8, format: Format::Dwarf32, version: 5 };

/// A translation unit that is being written.
pub(crate) struct UnitBuilder<'a> {
    pub(crate) program: &'a Debuggable,
    pub(crate) info: &'a DebugInfo,
    pub(crate) machine: &'a Machine,
    directories: &'a Directories<'a>,
    pub(crate) unit: Unit,
    /// Entries written so far, by the node of their description.
    pub(crate) entries: FxHashMap<NodeId, UnitEntryId>,
}

/// The debug information of a program, with or without that of the C library.
pub(crate) fn all(program: &Debuggable, machine: &Machine, library: bool) -> Dwarf {
    let directories = Directories::new(&program.info);
    let mut functions: FxHashMap<NodeId, Vec<FuncId>> = FxHashMap::default();
    for (func, notes) in program.info.functions.iter().enumerate() {
        let function = &program.program.functions[func];
        let shown = !function.code.is_empty() && (library || !function.library);
        let subprogram = program.info.node(notes.subprogram).filter(|_| shown);
        if let Some(unit) = subprogram.and_then(|node| node.node("unit")) {
            functions.entry(unit).or_default().push(func as FuncId);
        }
    }
    let mut dwarf = Dwarf::new();
    for &id in &program.info.units {
        let Some(node) = program.info.node(id) else { continue };
        let mut builder = UnitBuilder::new(program, machine, &directories, node);
        let own = functions.remove(&id).unwrap_or_default();
        for &func in &own {
            builder.function(func);
        }
        builder.globals(id, node);
        builder.ranges(&own);
        dwarf.units.add(builder.unit);
    }
    dwarf
}

impl<'a> UnitBuilder<'a> {
    fn new(
        program: &'a Debuggable,
        machine: &'a Machine,
        directories: &'a Directories<'a>,
        node: &Node,
    ) -> UnitBuilder<'a> {
        let file = node.node("file").and_then(|id| program.info.node(id));
        let (name, directory) = file.map_or(("", ""), |file| (file.text("filename"), file.text("directory")));
        let table = LineProgram::new(
            ENCODING,
            LineEncoding::default(),
            lines::text(directory),
            None,
            lines::text(name),
            None,
        );
        let unit = Unit::new(ENCODING, table);
        let entries = FxHashMap::default();
        let mut builder = UnitBuilder { program, info: &program.info, machine, directories, unit, entries };
        let root = builder.unit.root();
        // With clang as the producer, gdb finds the end of a function's prologue by the lines.
        let producer = b"clang version 19, run by Cleave".to_vec();
        builder.set(root, DW_AT_producer, AttributeValue::String(producer));
        builder.set(root, DW_AT_language, AttributeValue::Language(DW_LANG_C11));
        builder.set(root, DW_AT_name, text(name));
        builder.set(root, DW_AT_comp_dir, text(directory));
        builder
    }

    pub(crate) fn set(&mut self, entry: UnitEntryId, name: DwAt, value: AttributeValue) {
        self.unit.get_mut(entry).set(name, value);
    }

    /// Sets the name of an entry to that of its description, if it has one.
    pub(crate) fn name(&mut self, entry: UnitEntryId, node: &Node) {
        match node.text("name") {
            "" => {}
            name => self.set(entry, DW_AT_name, text(name)),
        }
    }

    /// Sets the file and line of an entry's declaration.
    pub(crate) fn declared(&mut self, entry: UnitEntryId, node: &Node) {
        let file = node.node("file").and_then(|id| self.info.node(id));
        let (Some(file), Some(line)) = (file, node.number("line")) else { return };
        let file = lines::file_id(&mut self.unit.line_program, self.directories, file.text("filename"));
        self.set(entry, DW_AT_decl_file, AttributeValue::FileIndex(Some(file)));
        self.set(entry, DW_AT_decl_line, AttributeValue::Udata(line.max(0) as u64));
    }

    /// Adds the lines of a function.
    pub(crate) fn lines(&mut self, func: FuncId, head: u32) {
        let (program, addresses) = (&self.program.program, &self.machine.addresses);
        lines::add_function(&mut self.unit.line_program, self.directories, addresses, program, func, head);
    }

    /// Global variables, and local ones that are static.
    fn globals(&mut self, unit: NodeId, node: &Node) {
        let mut placed: FxHashMap<NodeId, u64> = FxHashMap::default();
        for &(global, id) in &self.info.globals {
            placed.insert(id, self.program.program.globals.get(global as usize).map_or(0, |g| g.address));
        }
        for id in self.info.list(node, "globals") {
            let Some(expression) = self.info.node(id) else { continue };
            let Some(variable) = expression.node("var").and_then(|id| self.info.node(id)) else { continue };
            let scope = variable.node("scope").unwrap_or(unit);
            let parent = self.entries.get(&scope).copied().unwrap_or(self.unit.root());
            let entry = self.unit.add(parent, DW_TAG_variable);
            self.name(entry, variable);
            self.declared(entry, variable);
            self.set_type(entry, variable.node("type"));
            if !variable.has_word("isLocal", "true") {
                self.set(entry, DW_AT_external, AttributeValue::FlagPresent);
            }
            if let Some(&address) = placed.get(&id) {
                let mut location = Expression::new();
                location.op_addr(Address::Constant(address));
                self.set(entry, DW_AT_location, AttributeValue::Exprloc(location));
            }
        }
    }

    /// Sets the ranges of code of the unit.
    fn ranges(&mut self, functions: &[FuncId]) {
        let addresses = &self.machine.addresses;
        let range = |&func: &FuncId| Range::StartLength {
            begin: Address::Constant(addresses.start(func)),
            length: addresses.size(func),
        };
        let ranges = self.unit.ranges.add(RangeList(functions.iter().map(range).collect()));
        let root = self.unit.root();
        self.set(root, DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
        self.set(root, DW_AT_ranges, AttributeValue::RangeListRef(ranges));
    }

    /// The node with this id, if there is one.
    pub(crate) fn node(&self, id: NodeId) -> Option<&'a Node> {
        (id != NO_NODE).then(|| self.info.node(id)).flatten()
    }
}

/// A text as an attribute value.
pub(crate) fn text(text: &str) -> AttributeValue {
    AttributeValue::String(text.bytes().filter(|&b| b != 0).collect())
}
