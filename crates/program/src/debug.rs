//! Debug information of a program: the nodes that the compiler wrote, and the register code that stands for functions, variables
//! and scopes. It is for debuggers; no path depends on it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::image::ImageError;
use crate::register_code::code::{FuncId, Operand, Pc, Program, Reg};
use crate::register_code::verify::VerifyError;

/// An index into [`DebugInfo::nodes`].
pub type NodeId = u32;

/// No node.
pub const NO_NODE: NodeId = u32::MAX;

/// The debug information of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebugInfo {
    /// Descriptions of units, files, functions, types, variables and scopes.
    pub nodes: Vec<Node>,
    /// The translation units.
    pub units: Vec<NodeId>,
    /// Debug information of each function, in the order of [`Program::functions`].
    pub functions: Vec<FunctionInfo>,
    /// Globals that have a description: an index into [`Program::globals`], and a `DIGlobalVariableExpression`.
    pub globals: Vec<(u32, NodeId)>,
}

/// A program that was loaded to be looked at: its variables stay in memory, and its code has a place to stop in front of each
/// instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debuggable {
    /// The code.
    pub program: Arc<Program>,
    /// The debug information that it is made from.
    pub info: DebugInfo,
}

impl Debuggable {
    /// The program as bytes.
    ///
    /// # Errors
    /// None that is known: it is plain data.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ImageError> {
        postcard::to_allocvec(self).map_err(|_| ImageError::Damaged)
    }

    /// The program of [`Debuggable::to_bytes`].
    ///
    /// # Errors
    /// [`ImageError`] where the bytes are not just that, or are no program that [`Program::verify`] lets pass.
    pub fn from_bytes(bytes: &[u8]) -> Result<Debuggable, ImageError> {
        let found = Debuggable::part_from_bytes(bytes)?;
        found.program.verify_whole()?;
        Ok(found)
    }

    /// As [`Debuggable::from_bytes`], of a program that was loaded for [`Debuggable::add_image`].
    ///
    /// # Errors
    /// [`ImageError`] where the bytes are not just that, or break the rules of register code.
    pub fn part_from_bytes(bytes: &[u8]) -> Result<Debuggable, ImageError> {
        let found: Debuggable = postcard::from_bytes(bytes).map_err(|_| ImageError::Damaged)?;
        found.program.verify_part()?;
        Ok(found)
    }

    /// As [`Program::add_image`].
    ///
    /// # Errors
    /// As there.
    pub fn add_image(&mut self, name: &str, part: Debuggable) -> Result<u32, VerifyError> {
        let (nodes, globals) = (self.info.nodes.len() as NodeId, self.program.globals.len() as u32);
        let program = Arc::unwrap_or_clone(part.program);
        let number = Arc::make_mut(&mut self.program).add_image(name, program)?;
        let moved = |id: NodeId| if id == NO_NODE { id } else { id + nodes };
        let DebugInfo { nodes: mut added, units, functions, globals: variables } = part.info;
        for (_, field) in added.iter_mut().flat_map(|node| &mut node.fields) {
            if let Field::Node(Some(id)) = field {
                *id = moved(*id);
            }
        }
        self.info.nodes.append(&mut added);
        self.info.units.extend(units.into_iter().map(moved));
        self.info.functions.extend(functions.into_iter().map(|function| function.with_nodes(moved)));
        self.info.globals.extend(variables.into_iter().map(|(global, node)| (global + globals, moved(node))));
        Ok(number)
    }
}

/// Debug information of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionInfo {
    /// Its `DISubprogram`; [`NO_NODE`] if it has none.
    pub subprogram: NodeId,
    /// Its local variables and parameters.
    pub variables: Vec<Variable>,
    /// For each op the scope in the source, a `DISubprogram` or `DILexicalBlock`; [`NO_NODE`] if that is not known.
    pub scopes: Vec<NodeId>,
}

/// A local variable, or a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its `DILocalVariable`.
    pub node: NodeId,
    /// Its place.
    pub home: Home,
}

/// Place of a local variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Home {
    /// In memory, for as long as the function runs.
    Memory {
        /// The register with the address.
        address: Reg,
        /// Bytes behind that address.
        offset: i64,
        /// The operations to apply to the address, as a node with a [`Field::Expression`].
        expression: NodeId,
    },
    /// In registers, from place to place: each [`Value`] counts until the next.
    Registers(Vec<Value>),
    /// Nowhere that can be described.
    Unknown,
}

/// A value that a variable has from a place on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// The first op that finds it.
    pub from: Pc,
    /// The value; `None` if it was not kept.
    pub value: Option<Operand>,
    /// The operations to apply to the value, as a node with a [`Field::Expression`].
    pub expression: NodeId,
}

/// A description that the compiler wrote: a kind, and fields with names. A list has fields without names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Kind of the description: `DICompositeType`, for example; empty for a list.
    pub kind: String,
    /// Its fields in their order.
    pub fields: Vec<(String, Field)>,
}

/// A field of a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Field {
    /// Another description; `None` for null.
    Node(Option<NodeId>),
    /// A text.
    Text(String),
    /// A number.
    Number(i128),
    /// Words, such as `DW_TAG_typedef` or `DIFlagBitField | DIFlagStaticMember`.
    Words(String),
    /// An expression of DWARF: operations and their operands.
    Expression(Vec<String>),
}

impl FunctionInfo {
    /// Only some ops are kept, each at its new place.
    pub(crate) fn ops_moved(&mut self, keep: &[bool], places: &[Pc]) {
        let mut kept = keep.iter();
        self.scopes.retain(|_| kept.next() == Some(&true));
        for variable in &mut self.variables {
            if let Home::Registers(values) = &mut variable.home {
                values.retain(|value| keep.get(value.from as usize) == Some(&true));
                values.iter_mut().for_each(|value| value.from = places[value.from as usize]);
            }
        }
    }

    /// Each node has a new number.
    fn with_nodes(mut self, moved: impl Fn(NodeId) -> NodeId) -> FunctionInfo {
        self.subprogram = moved(self.subprogram);
        self.scopes.iter_mut().for_each(|scope| *scope = moved(*scope));
        for variable in &mut self.variables {
            variable.node = moved(variable.node);
            match &mut variable.home {
                Home::Memory { expression, .. } => *expression = moved(*expression),
                Home::Registers(values) => {
                    values.iter_mut().for_each(|value| value.expression = moved(value.expression));
                }
                Home::Unknown => {}
            }
        }
        self
    }

    /// Each register has a new number.
    pub(crate) fn registers_moved(&mut self, places: &[Reg]) {
        let place = |r: Reg| places.get(r as usize).copied().unwrap_or(r);
        let moved = |o: Operand| o.as_reg().map_or(o, |r| Operand::reg(place(r)));
        for variable in &mut self.variables {
            match &mut variable.home {
                Home::Memory { address, .. } => *address = place(*address),
                Home::Registers(values) => {
                    values.iter_mut().for_each(|value| value.value = value.value.map(moved));
                }
                Home::Unknown => {}
            }
        }
    }
}

impl Node {
    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, field)| field)
    }

    /// A field that is a text; empty if it is not there.
    pub fn text(&self, name: &str) -> &str {
        match self.field(name) {
            Some(Field::Text(text)) => text,
            _ => "",
        }
    }

    /// A field that is a number.
    pub fn number(&self, name: &str) -> Option<i128> {
        match self.field(name) {
            Some(Field::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// A field that is another description.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        match self.field(name) {
            Some(Field::Node(node)) => *node,
            _ => None,
        }
    }

    /// A field that is a word or several; empty if it is not there.
    pub fn words(&self, name: &str) -> &str {
        match self.field(name) {
            Some(Field::Words(words)) => words,
            _ => "",
        }
    }

    /// Returns true if a field of words has this one.
    pub fn has_word(&self, name: &str, word: &str) -> bool {
        self.words(name).split(" | ").any(|w| w == word)
    }
}

impl DebugInfo {
    /// A node by its index.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// The operations of a node that is an expression.
    pub fn expression(&self, id: NodeId) -> &[String] {
        match self.node(id).and_then(|node| node.fields.first()) {
            Some((_, Field::Expression(parts))) => parts,
            _ => &[],
        }
    }

    /// The entries of a list that a field names; none if there is no list.
    pub fn list(&self, node: &Node, name: &str) -> Vec<NodeId> {
        let list = node.node(name).and_then(|id| self.node(id));
        let entries = list.map(|list| &list.fields[..]).unwrap_or_default();
        entries.iter().filter_map(|(_, field)| if let Field::Node(id) = field { *id } else { None }).collect()
    }

    /// Debug information of a function.
    pub fn function(&self, func: FuncId) -> Option<&FunctionInfo> {
        self.functions.get(func as usize)
    }
}
