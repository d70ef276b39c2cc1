//! Descriptions of debug information, read from LLVM: it prints each as text, in which others stand as addresses.

use std::ffi::c_uint;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDILocationGetInlinedAt, LLVMDILocationGetScope};
use llvm_sys::prelude::*;
use regex_lite::Regex;
use rustc_hash::FxHashMap;

use crate::debug::{Field, Node, NodeId};
use crate::llvm::modules::values::text_of;

/// Nodes of a module, numbered in the order in which they were asked for.
pub(crate) struct Nodes {
    context: LLVMContextRef,
    numbers: FxHashMap<LLVMMetadataRef, NodeId>,
    order: Vec<LLVMMetadataRef>,
}

impl Nodes {
    pub(crate) fn new(context: LLVMContextRef) -> Nodes {
        Nodes { context, numbers: FxHashMap::default(), order: Vec::new() }
    }

    /// The number of a node, which is not null.
    pub(crate) fn number(&mut self, node: LLVMMetadataRef) -> NodeId {
        let next = self.order.len() as NodeId;
        *self.numbers.entry(node).or_insert_with(|| {
            self.order.push(node);
            next
        })
    }

    /// Reads the nodes that were asked for, and all that they name.
    pub(crate) fn read(mut self) -> Vec<Node> {
        let (mut out, mut reader) = (Vec::new(), Reader::new());
        while let Some(&node) = self.order.get(out.len()) {
            // SAFETY: metadata of a context that lives; a value that stands for it is LLVM's to free.
            let value = unsafe { LLVMMetadataAsValue(self.context, node) };
            let operands = operands(value);
            let mut named = |address: u64| {
                let operand = operands.iter().find(|&&operand| operand as u64 == address);
                operand.map(|&operand| self.number(operand))
            };
            out.push(reader.node(&text_of(value), &mut named));
        }
        out
    }
}

/// The descriptions that a description names.
fn operands(value: LLVMValueRef) -> Vec<LLVMMetadataRef> {
    // SAFETY: only nodes have operands; the list is as long as LLVM says, and an operand may be null.
    unsafe {
        if LLVMIsAMDNode(value).is_null() {
            return Vec::new();
        }
        let mut list = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
        LLVMGetMDNodeOperands(value, list.as_mut_ptr());
        let nodes = list.into_iter().filter(|v: &LLVMValueRef| !v.is_null() && !LLVMIsAMDNode(*v).is_null());
        nodes.map(|v| LLVMValueAsMetadata(v)).collect()
    }
}

/// Reader of LLVM's text of nodes.
struct Reader {
    field: Regex,
}

impl Reader {
    fn new() -> Reader {
        // A name and its value, or a value: a text, an address, an expression in brackets, or words.
        let field = r#"(?:(\w+): )?((?:!?"[^"]*")|<0x[0-9a-f]+>|!DIExpression\([^)]*\)|[^,"<>]+)(?:, |$)"#;
        Reader { field: Regex::new(field).expect("the pattern is well-formed") }
    }

    /// A node from its text: `<0x1> = distinct !DIKind(name: "x", scope: <0x2>)`, or `<0x1> = !{null, <0x2>}`.
    fn node(&mut self, text: &str, named: &mut dyn FnMut(u64) -> Option<NodeId>) -> Node {
        let Some((_, body)) = text.split_once(" = ") else {
            return Node { kind: String::new(), fields: vec![(String::new(), field(text, named))] };
        };
        let body = body.trim_start_matches("distinct ").trim_start_matches('!');
        let open = body.find(['(', '{']).unwrap_or(body.len());
        let inner = body.get(open + 1..body.len().max(open + 2) - 1).unwrap_or_default();
        let fields = self.field.captures_iter(inner).map(|found| {
            let part = |k| found.get(k).map_or("", |m: regex_lite::Match<'_>| m.as_str());
            (part(1).to_string(), field(part(2), named))
        });
        Node { kind: body[..open].to_string(), fields: fields.collect() }
    }
}

fn field(text: &str, named: &mut dyn FnMut(u64) -> Option<NodeId>) -> Field {
    if let Some(inner) = text.trim_start_matches('!').strip_prefix('"') {
        return Field::Text(unescaped(inner.trim_end_matches('"')));
    }
    if let Some(inner) = text.strip_prefix("!DIExpression(") {
        let parts = inner.trim_end_matches(')').split(", ");
        return Field::Expression(parts.filter(|part| !part.is_empty()).map(String::from).collect());
    }
    if let Some(address) = text.strip_prefix("<0x").and_then(|text| text.strip_suffix('>')) {
        return Field::Node(u64::from_str_radix(address, 16).ok().and_then(named));
    }
    // `i64 5` is a constant with its type.
    match text.rsplit(' ').next().unwrap_or(text).parse::<i128>() {
        Ok(number) => Field::Number(number),
        Err(_) if text == "null" => Field::Node(None),
        Err(_) => Field::Words(text.to_string()),
    }
}

/// LLVM writes characters that are not printable, a quote and a backslash as `\22`: two hexadecimal digits.
fn unescaped(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let code = digits.filter(|_| first == b'\\').and_then(|d| u8::from_str_radix(d, 16).ok());
        out.push(code.unwrap_or(first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The place where the function of a location was inlined; null if it was not.
pub(crate) fn inlined_at(location: LLVMMetadataRef) -> LLVMMetadataRef {
    // SAFETY: the location is not null.
    unsafe { LLVMDILocationGetInlinedAt(location) }
}

/// The scope of a location in the function that its code belongs to, as if nothing had been inlined.
pub(crate) fn outermost_scope(location: LLVMMetadataRef) -> LLVMMetadataRef {
    let mut at = location;
    loop {
        let caller = inlined_at(at);
        if caller.is_null() {
            // SAFETY: each location has a scope.
            return unsafe { LLVMDILocationGetScope(at) };
        }
        at = caller;
    }
}

/// All metadata of a global variable that describes it.
pub(crate) fn of_global(global: LLVMValueRef) -> Vec<LLVMMetadataRef> {
    // SAFETY: the list is as long as LLVM says, and freed.
    unsafe {
        let mut count = 0;
        let entries = LLVMGlobalCopyAllMetadata(global, &mut count);
        let all = (0..count as c_uint).map(|k| LLVMValueMetadataEntriesGetMetadata(entries, k)).collect();
        LLVMDisposeValueMetadataEntries(entries);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Node {
        Reader::new().node(text, &mut |address| Some(address as NodeId))
    }

    #[test]
    fn a_node_is_read_as_llvm_prints_it() {
        let node = read(
            r#"<0x10> = distinct !DIDerivedType(tag: DW_TAG_member, name: "a, \22b\22", scope: <0x2>, size: 3, flags: DIFlagBitField | DIFlagPublic, extraData: i64 8)"#,
        );
        assert_eq!(node.kind, "DIDerivedType");
        assert_eq!(node.text("name"), "a, \"b\"");
        assert_eq!(
            (node.node("scope"), node.number("size"), node.number("extraData")),
            (Some(2), Some(3), Some(8))
        );
        assert!(node.has_word("flags", "DIFlagBitField") && node.has_word("tag", "DW_TAG_member"));
    }

    #[test]
    fn lists_and_expressions_are_read() {
        let list = read(r#"<0x1> = !{null, <0x2>, !"x", i32 -5}"#);
        let fields: Vec<Field> = list.fields.into_iter().map(|(_, field)| field).collect();
        let wanted = [Field::Node(None), Field::Node(Some(2)), Field::Text("x".into()), Field::Number(-5)];
        assert_eq!(fields, wanted);
        let global = read(
            "<0x1> = !DIGlobalVariableExpression(var: <0x2>, expr: !DIExpression(DW_OP_plus_uconst, 4))",
        );
        let parts = vec!["DW_OP_plus_uconst".to_string(), "4".into()];
        assert_eq!(global.field("expr"), Some(&Field::Expression(parts)));
        assert_eq!(read("<0x1> = !{}").fields, []);
    }
}
