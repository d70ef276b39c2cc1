//! A translation unit that is being written: its entries, and the attributes that entries of all kinds have.

use cleave_program::code::FuncId;
use cleave_program::debug::{DebugInfo, Debuggable, NO_NODE, Node, NodeId};
use gimli::constants::*;
use gimli::write::{AttributeValue, LineProgram, Unit, UnitEntryId};
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

impl<'a> UnitBuilder<'a> {
    pub(super) fn new(
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

    /// The node with this id, if there is one.
    pub(crate) fn node(&self, id: NodeId) -> Option<&'a Node> {
        (id != NO_NODE).then(|| self.info.node(id)).flatten()
    }
}

/// A text as an attribute value.
pub(crate) fn text(text: &str) -> AttributeValue {
    AttributeValue::String(text.bytes().filter(|&b| b != 0).collect())
}
