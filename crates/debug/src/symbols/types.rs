//! Types, from the compiler's descriptions.

use cleave_program::debug::{Field, Node, NodeId};
use gimli::constants::*;
use gimli::write::{AttributeValue, UnitEntryId};

use crate::symbols::builder::UnitBuilder;

/// Tags of types, by their names in the compiler's descriptions.
const TAGS: &[(&str, DwTag)] = &[
    ("DW_TAG_array_type", DW_TAG_array_type),
    ("DW_TAG_atomic_type", DW_TAG_atomic_type),
    ("DW_TAG_class_type", DW_TAG_class_type),
    ("DW_TAG_const_type", DW_TAG_const_type),
    ("DW_TAG_enumeration_type", DW_TAG_enumeration_type),
    ("DW_TAG_member", DW_TAG_member),
    ("DW_TAG_pointer_type", DW_TAG_pointer_type),
    ("DW_TAG_reference_type", DW_TAG_reference_type),
    ("DW_TAG_restrict_type", DW_TAG_restrict_type),
    ("DW_TAG_structure_type", DW_TAG_structure_type),
    ("DW_TAG_typedef", DW_TAG_typedef),
    ("DW_TAG_union_type", DW_TAG_union_type),
    ("DW_TAG_volatile_type", DW_TAG_volatile_type),
];

/// The encodings of basic types.
const ENCODINGS: &[(&str, DwAte)] = &[
    ("DW_ATE_address", DW_ATE_address),
    ("DW_ATE_boolean", DW_ATE_boolean),
    ("DW_ATE_complex_float", DW_ATE_complex_float),
    ("DW_ATE_float", DW_ATE_float),
    ("DW_ATE_signed", DW_ATE_signed),
    ("DW_ATE_signed_char", DW_ATE_signed_char),
    ("DW_ATE_unsigned", DW_ATE_unsigned),
    ("DW_ATE_unsigned_char", DW_ATE_unsigned_char),
    ("DW_ATE_UTF", DW_ATE_UTF),
];

fn found<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
}

/// A size given in bits, as a value in bytes, rounded up.
fn bytes(bits: i128) -> AttributeValue {
    AttributeValue::Udata((bits.max(0) as u64).div_ceil(8))
}

impl UnitBuilder<'_> {
    /// The entry of a type; `None` for `void` and for kinds of types that C does not have.
    pub(crate) fn type_entry(&mut self, id: NodeId) -> Option<UnitEntryId> {
        if let Some(&known) = self.entries.get(&id) {
            return Some(known);
        }
        let info = self.info;
        let node = info.node(id)?;
        match node.kind.as_str() {
            "DIBasicType" => Some(self.basic(id, node)),
            "DIDerivedType" => self.derived(id, node),
            "DICompositeType" => self.composite(id, node),
            "DISubroutineType" => Some(self.subroutine(id, node)),
            _ => None,
        }
    }

    /// Sets the type of an entry, except for `void`.
    pub(crate) fn set_type(&mut self, entry: UnitEntryId, id: Option<NodeId>) {
        if let Some(of) = id.and_then(|id| self.type_entry(id)) {
            self.set(entry, DW_AT_type, AttributeValue::UnitRef(of));
        }
    }

    fn new_type(&mut self, id: NodeId, tag: DwTag) -> UnitEntryId {
        let entry = self.unit.add(self.unit.root(), tag);
        self.entries.insert(id, entry);
        entry
    }

    fn basic(&mut self, id: NodeId, node: &Node) -> UnitEntryId {
        if node.has_word("tag", "DW_TAG_unspecified_type") {
            let entry = self.new_type(id, DW_TAG_unspecified_type);
            self.name(entry, node);
            return entry;
        }
        let entry = self.new_type(id, DW_TAG_base_type);
        self.name(entry, node);
        let encoding = found(ENCODINGS, node.words("encoding")).unwrap_or(DW_ATE_unsigned);
        self.set(entry, DW_AT_encoding, AttributeValue::Encoding(encoding));
        self.set(entry, DW_AT_byte_size, bytes(node.number("size").unwrap_or(0)));
        entry
    }

    fn derived(&mut self, id: NodeId, node: &Node) -> Option<UnitEntryId> {
        let tag = found(TAGS, node.words("tag"))?;
        let entry = self.new_type(id, tag);
        self.name(entry, node);
        if tag == DW_TAG_pointer_type {
            self.set(entry, DW_AT_byte_size, bytes(node.number("size").unwrap_or(64)));
        }
        self.set_type(entry, node.node("baseType"));
        Some(entry)
    }

    fn composite(&mut self, id: NodeId, node: &Node) -> Option<UnitEntryId> {
        let tag = found(TAGS, node.words("tag"))?;
        let entry = self.new_type(id, tag);
        self.name(entry, node);
        if node.has_word("flags", "DIFlagFwdDecl") {
            self.set(entry, DW_AT_declaration, AttributeValue::FlagPresent);
            return Some(entry);
        }
        if tag == DW_TAG_array_type {
            self.array(entry, node);
        } else if tag == DW_TAG_enumeration_type {
            self.enumeration(entry, node);
        } else {
            self.set(entry, DW_AT_byte_size, bytes(node.number("size").unwrap_or(0)));
            for member in self.info.list(node, "elements") {
                self.member(entry, member);
            }
        }
        Some(entry)
    }

    fn array(&mut self, entry: UnitEntryId, node: &Node) {
        self.set_type(entry, node.node("baseType"));
        if node.has_word("flags", "DIFlagVector") {
            self.set(entry, DW_AT_GNU_vector, AttributeValue::FlagPresent);
        }
        for id in self.info.list(node, "elements") {
            let Some(range) = self.info.node(id) else { continue };
            let entry = self.unit.add(entry, DW_TAG_subrange_type);
            // For a variable-length array, the length is in a variable made by the compiler.
            let variable = range.node("count").and_then(|variable| self.entries.get(&variable).copied());
            match (range.number("count"), variable) {
                (Some(count), _) if count >= 0 => {
                    self.set(entry, DW_AT_count, AttributeValue::Udata(count as u64));
                }
                (_, Some(variable)) => self.set(entry, DW_AT_count, AttributeValue::UnitRef(variable)),
                _ => {}
            }
        }
    }

    fn enumeration(&mut self, entry: UnitEntryId, node: &Node) {
        self.set(entry, DW_AT_byte_size, bytes(node.number("size").unwrap_or(32)));
        self.set_type(entry, node.node("baseType"));
        for id in self.info.list(node, "elements") {
            let Some(enumerator) = self.info.node(id) else { continue };
            let entry = self.unit.add(entry, DW_TAG_enumerator);
            self.name(entry, enumerator);
            let value = enumerator.number("value").unwrap_or(0);
            let value = match i64::try_from(value) {
                Ok(value) => AttributeValue::Sdata(value),
                Err(_) => AttributeValue::Udata(value as u64),
            };
            self.set(entry, DW_AT_const_value, value);
        }
    }

    fn member(&mut self, parent: UnitEntryId, id: NodeId) {
        let Some(node) = self.info.node(id).filter(|node| node.has_word("tag", "DW_TAG_member")) else {
            return;
        };
        let entry = self.unit.add(parent, DW_TAG_member);
        self.name(entry, node);
        self.set_type(entry, node.node("baseType"));
        let offset = node.number("offset").unwrap_or(0).max(0);
        if node.has_word("flags", "DIFlagBitField") {
            let size = node.number("size").unwrap_or(0).max(0) as u64;
            self.set(entry, DW_AT_bit_size, AttributeValue::Udata(size));
            self.set(entry, DW_AT_data_bit_offset, AttributeValue::Udata(offset as u64));
        } else {
            self.set(entry, DW_AT_data_member_location, bytes(offset));
        }
    }

    fn subroutine(&mut self, id: NodeId, node: &Node) -> UnitEntryId {
        let entry = self.new_type(id, DW_TAG_subroutine_type);
        self.set(entry, DW_AT_prototyped, AttributeValue::FlagPresent);
        let types = self.types_of(node);
        self.set_type(entry, types.first().copied().flatten());
        for of in types.get(1..).unwrap_or_default() {
            let tag = if of.is_some() { DW_TAG_formal_parameter } else { DW_TAG_unspecified_parameters };
            let parameter = self.unit.add(entry, tag);
            self.set_type(parameter, *of);
        }
        entry
    }

    /// The types of a function: its result, then its parameters. `None` is `void`, or `...` at the end.
    pub(crate) fn types_of(&self, subroutine: &Node) -> Vec<Option<NodeId>> {
        let list = subroutine.node("types").and_then(|id| self.info.node(id));
        let fields = list.map(|list| &list.fields[..]).unwrap_or_default();
        fields.iter().map(|(_, field)| if let Field::Node(id) = field { *id } else { None }).collect()
    }
}
