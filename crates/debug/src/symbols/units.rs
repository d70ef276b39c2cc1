//! Translation units: the functions, globals and ranges of code of each.

use cleave_program::code::FuncId;
use cleave_program::debug::{Debuggable, Node, NodeId};
use gimli::constants::*;
use gimli::write::{Address, AttributeValue, Dwarf, Expression, Range, RangeList};
use rustc_hash::FxHashMap;

use crate::machine::Machine;
use crate::symbols::builder::UnitBuilder;
use crate::symbols::lines::Directories;

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

impl UnitBuilder<'_> {
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
}
