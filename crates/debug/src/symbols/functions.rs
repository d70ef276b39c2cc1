//! Functions, their blocks and their variables.

use cleave_program::code::{FuncId, Pc};
use cleave_program::debug::{FunctionInfo, Home, NO_NODE, Node, NodeId, Variable};
use gimli::constants::*;
use gimli::write::{Address, AttributeValue, Expression, Range, RangeList, UnitEntryId};
use rustc_hash::FxHashMap;

use crate::addresses::Addresses;
use crate::symbols::builder::UnitBuilder;

/// Ranges of code of each block of a function.
type Blocks = FxHashMap<NodeId, Vec<(Pc, Pc)>>;

impl UnitBuilder<'_> {
    /// Adds a function that has code.
    pub(crate) fn function(&mut self, func: FuncId) {
        let info = self.info;
        let Some(notes) = info.function(func) else { return };
        let Some(node) = self.node(notes.subprogram) else { return };
        let entry = self.unit.add(self.unit.root(), DW_TAG_subprogram);
        self.entries.insert(notes.subprogram, entry);
        let head = node.number("scopeLine").or(node.number("line")).unwrap_or(0);
        self.lines(func, u32::try_from(head).unwrap_or(0));
        self.name(entry, node);
        self.declared(entry, node);
        let addresses = &self.machine.addresses;
        let (start, size) = (addresses.start(func), addresses.size(func));
        self.set(entry, DW_AT_low_pc, AttributeValue::Address(Address::Constant(start)));
        self.set(entry, DW_AT_high_pc, AttributeValue::Udata(size));
        let mut base = Expression::new();
        base.op(DW_OP_call_frame_cfa);
        self.set(entry, DW_AT_frame_base, AttributeValue::Exprloc(base));
        if !node.has_word("spFlags", "DISPFlagLocalToUnit") {
            self.set(entry, DW_AT_external, AttributeValue::FlagPresent);
        }
        let types = node.node("type").and_then(|id| info.node(id)).map(|node| self.types_of(node));
        let types = types.unwrap_or_default();
        self.set(entry, DW_AT_prototyped, AttributeValue::FlagPresent);
        self.set_type(entry, types.first().copied().flatten());
        self.variables(func, notes, node, entry);
        if types.len() > 1 && types.last() == Some(&None) {
            self.unit.add(entry, DW_TAG_unspecified_parameters);
        }
    }

    /// Adds parameters and variables, each to its block. Types are set last, because the length of an array may be a variable.
    fn variables(&mut self, func: FuncId, notes: &FunctionInfo, function: &Node, parent: UnitEntryId) {
        let info = self.info;
        let argument = |id: NodeId| info.node(id).and_then(|node| node.number("arg")).unwrap_or(0);
        let known = |id: &NodeId| notes.variables.iter().any(|variable| variable.node == *id);
        let number = |variable: (usize, &Variable)| (variable.1.node, Some(variable.0));
        let mut all: Vec<(NodeId, Option<usize>)> = notes.variables.iter().enumerate().map(number).collect();
        // An optimised-out parameter gets an entry without a location.
        let lost = info.list(function, "retainedNodes").into_iter().filter(|id| !known(id));
        all.extend(lost.filter(|&id| argument(id) > 0).map(|id| (id, None)));
        // Parameters first, in their order; the sort keeps the order of the others.
        all.sort_by_key(|&(id, _)| match argument(id) {
            0 => i128::MAX,
            argument => argument,
        });
        let blocks = blocks(self, func, notes);
        let mut made = Vec::new();
        for (id, number) in all {
            let Some(node) = info.node(id) else { continue };
            let Some(scope) = node.node("scope") else { continue };
            let Some(block) = self.block(scope, &blocks, func) else { continue };
            let (tag, block) = match node.number("arg") {
                Some(argument) if argument > 0 => (DW_TAG_formal_parameter, parent),
                _ => (DW_TAG_variable, block),
            };
            let entry = self.unit.add(block, tag);
            self.entries.insert(id, entry);
            self.name(entry, node);
            self.declared(entry, node);
            if node.has_word("flags", "DIFlagArtificial") {
                self.set(entry, DW_AT_artificial, AttributeValue::FlagPresent);
            }
            if let Some(location) = number.and_then(|number| self.location(number, &notes.variables[number]))
            {
                self.set(entry, DW_AT_location, location);
            }
            made.push((entry, node.node("type")));
        }
        for (entry, of) in made {
            self.set_type(entry, of);
        }
    }

    /// The entry of a block, or of the function for its outermost; `None` for a block without code.
    fn block(&mut self, scope: NodeId, blocks: &Blocks, func: FuncId) -> Option<UnitEntryId> {
        if let Some(&known) = self.entries.get(&scope) {
            return Some(known);
        }
        let node = self.info.node(scope)?;
        let parent = self.block(node.node("scope")?, blocks, func)?;
        if node.kind != "DILexicalBlock" {
            self.entries.insert(scope, parent);
            return Some(parent);
        }
        let stretches = blocks.get(&scope)?;
        let entry = self.unit.add(parent, DW_TAG_lexical_block);
        self.entries.insert(scope, entry);
        let at = |pc: Pc| Address::Constant(self.machine.addresses.op(func, pc));
        let list = stretches.iter().map(|&(from, to)| Range::StartEnd { begin: at(from), end: at(to) });
        let list = RangeList(list.collect());
        let ranges = self.unit.ranges.add(list);
        self.set(entry, DW_AT_ranges, AttributeValue::RangeListRef(ranges));
        Some(entry)
    }

    /// The location of a variable: its word in the frame holds the address.
    fn location(&mut self, number: usize, variable: &Variable) -> Option<AttributeValue> {
        let word = Addresses::variable(number);
        match &variable.home {
            // gdb reports the variable as optimized out.
            Home::Registers(_) | Home::Unknown => None,
            Home::Memory { offset, expression, .. } => {
                let mut location = Expression::new();
                location.op_fbreg(word);
                location.op_deref();
                if *offset != 0 {
                    location.op_consts(*offset);
                    location.op(DW_OP_plus);
                }
                operations(&mut location, self.info.expression(*expression))?;
                Some(AttributeValue::Exprloc(location))
            }
        }
    }
}

/// Appends the compiler's operations to a location; `None` if one is unknown.
fn operations(location: &mut Expression, parts: &[String]) -> Option<()> {
    let mut parts = parts.iter();
    while let Some(part) = parts.next() {
        match part.as_str() {
            "DW_OP_deref" => location.op_deref(),
            "DW_OP_plus_uconst" => location.op_plus_uconst(parts.next()?.parse().ok()?),
            _ => return None,
        }
    }
    Some(())
}

/// Ranges of code of each block of a function. An op without a scope has the scope of the op before it.
fn blocks(builder: &UnitBuilder<'_>, func: FuncId, notes: &FunctionInfo) -> Blocks {
    let mut blocks = Blocks::default();
    let mut scope = notes.subprogram;
    let size = builder.machine.addresses.size(func) as usize;
    for (pc, &here) in notes.scopes.iter().enumerate().take(size) {
        if here != NO_NODE {
            scope = here;
        }
        let pc = pc as Pc;
        let mut at = Some(scope);
        while let Some(id) = at.filter(|&id| id != notes.subprogram) {
            let stretches = blocks.entry(id).or_default();
            match stretches.last_mut() {
                Some(last) if last.1 == pc => last.1 = pc + 1,
                _ => stretches.push((pc, pc + 1)),
            }
            at = builder.node(id).and_then(|node| node.node("scope"));
        }
    }
    blocks
}
