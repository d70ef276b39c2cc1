//! The store of terms: nodes, their widths, hashes, ranges and inputs. Each engine has one. Equal nodes have one handle.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;
use std::rc::Rc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::domains::bounds::{binary_bounds, hull};
use crate::domains::byteset::ByteSet;
use crate::domains::interval::Interval;
use crate::evaluation::cache::Cache;
use crate::evaluation::entries::Entries;
use crate::evaluation::rows::Table as Rows;
use crate::evaluation::semantics::{mask, mask64};
use crate::evaluation::table_memory::TableMemory;
use crate::policy::paths;
use crate::store::histories::Histories;
use crate::store::nesting::Nesting;
use crate::store::term::{BinaryOp, ByteId, Children, Node, Support, TableId, Term};
use crate::store::term_map::TermMap;

/// A constant table: equal tables have equal ids.
#[derive(PartialEq, Eq, Hash, Clone)]
pub(crate) struct Table {
    pub(crate) width: u8,
    pub(crate) entries: Entries,
    /// A lower bound of the entries.
    pub(crate) least: u64,
    pub(crate) greatest: u64,
}

/// Flag: a proper part of the term is a condition (one bit, not constant).
const CONDITIONAL: u8 = 1;
/// Flag: the term, or a part of it, is a floating-point operation.
const FLOATS: u8 = 2;
/// Flag: the term is deep; see [`paths::DEEP`] and [`paths::DEEP_ON_ONE_BYTE`].
const IS_DEEP: u8 = 4;

#[derive(Clone, Copy)]
pub(crate) struct Info {
    pub(crate) hash: u64,
    pub(crate) lo: u64,
    pub(crate) hi: u64,
    pub(crate) support: Support,
    /// One of the bytes that the term depends on, if there are any.
    pub(crate) byte: ByteId,
    pub(crate) width: u8,
    /// A combination of `CONDITIONAL`, `FLOATS` and `IS_DEEP`.
    flags: u8,
    /// Number of nested operations; at most 255.
    steps: u8,
    /// Number of nested arithmetic operations; at most 255.
    pub(crate) depth: u8,
}

/// The store of all terms of one exploration.
pub struct Terms {
    pub(crate) nodes: Vec<Node>,
    pub(crate) infos: Vec<Info>,
    index: HashTable<u32>,
    wide: Vec<u128>,
    /// The index of each constant in `wide`.
    wide_index: FxHashMap<u128, u32>,
    bytes: Vec<(u32, u32)>,
    /// One more than the id of each byte, by object and offset; 0 for a byte without an id. Vectors instead of a hash map make
    /// the lookup fast: each path writes down a test, which may be long.
    byte_ids: Vec<Vec<u32>>,
    pub(crate) tables: Vec<Table>,
    /// Size of the entries of all tables, in bytes.
    entries_size: usize,
    table_ids: FxHashMap<Table, TableId>,
    supports: FxHashMap<Term, Rc<[ByteId]>>,
    /// Cached extracts of binary operations and choices, by lowest bit and width. An extract is made of the operands' extracts:
    /// without the cache each extract of a long chain of operations would walk the whole chain again.
    pub(crate) extracts: FxHashMap<(Term, u32, u8), Term>,
    pub(crate) byte_sets: FxHashMap<Term, Rc<ByteSet>>,
    /// See [`Terms::rewritten`].
    pub(crate) rewritten: FxHashMap<Term, Term>,
    /// See [`Terms::on_few_values`].
    pub(crate) few_values: FxHashMap<Term, Option<(Term, ByteSet)>>,
    /// The index of the last input bit on which a part of a sum depends.
    pub(crate) last_bits: FxHashMap<Term, u32>,
    /// Lowered forms of terms with floating-point operations; see [`Terms::lowered`].
    pub(crate) lowered: FxHashMap<Term, Term>,
    /// The assumption of each remainder's circuit; see [`Terms::premises`].
    pub(crate) premises: FxHashMap<Term, Term>,
    /// The interval of each floating-point operation; it holds for every input.
    pub(crate) numbers: FxHashMap<Term, Interval>,
    pub(crate) histories: Histories,
    /// See [`Terms::nesting`].
    pub(crate) nestings: FxHashMap<Term, Nesting>,
    pub(crate) cache: Cache,
    /// For each byte, the value vectors of terms on it alone, for all its values.
    pub(crate) byte_tables: FxHashMap<ByteId, Rc<RefCell<Rows>>>,
    /// The limit of the memory of all tables.
    pub(crate) table_memory: TableMemory,
    /// See [`Terms::note`].
    pub(crate) notes: Vec<u8>,
    /// See [`Terms::lend_map`].
    pub(crate) map: TermMap,
    pub(crate) last_witness: u64,
    /// Number of evaluated terms: for 64 inputs at once, and for one input.
    pub(crate) evaluated: [Cell<u64>; 2],
    /// See [`Terms::reused`].
    reused: u64,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

/// Mixes `b` into `a`; a fixed function, so that hashes are the same on every machine.
#[inline(always)]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// A constant of 8 bits. These constants are the first terms of each store.
fn byte_constant(value: u8) -> Term {
    Term(NonZeroU32::MIN.saturating_add(value.into()))
}

impl Terms {
    /// An empty store.
    pub fn new() -> Self {
        let none = Info {
            hash: 0,
            lo: 0,
            hi: 0,
            support: Support::None,
            byte: ByteId(0),
            width: 1,
            flags: 0,
            steps: 0,
            depth: 0,
        };
        let mut terms = Terms {
            nodes: vec![Node::Const(0)], // index 0 is nobody: a Term is not zero
            infos: vec![none],
            index: HashTable::new(),
            wide: Vec::new(),
            wide_index: FxHashMap::default(),
            bytes: Vec::new(),
            byte_ids: Vec::new(),
            tables: Vec::new(),
            entries_size: 0,
            table_ids: FxHashMap::default(),
            supports: FxHashMap::default(),
            extracts: FxHashMap::default(),
            byte_sets: FxHashMap::default(),
            rewritten: FxHashMap::default(),
            few_values: FxHashMap::default(),
            last_bits: FxHashMap::default(),
            lowered: FxHashMap::default(),
            premises: FxHashMap::default(),
            numbers: FxHashMap::default(),
            histories: Histories::default(),
            nestings: FxHashMap::default(),
            cache: Cache::default(),
            byte_tables: FxHashMap::default(),
            table_memory: TableMemory::default(),
            notes: Vec::new(),
            map: TermMap::default(),
            last_witness: 0,
            evaluated: Default::default(),
            reused: 0,
        };
        for value in 0..256 {
            terms.intern(Node::Const(value), 8);
        }
        terms
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// True if there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Deterministic measure of the work so far, in evaluating and making terms; a unit is about a tenth of a microsecond.
    pub fn work(&self) -> u64 {
        let [of_64, of_one] = self.evaluated.each_ref().map(Cell::get);
        of_64 / 2 + of_one / 8 + 2 * self.nodes.len() as u64
    }

    /// Number of terms that were made again: they were there already. Not a part of [`Terms::work`], whose budgets decide what paths are.
    pub fn reused(&self) -> u64 {
        self.reused
    }

    /// Counts evaluated terms: for 64 inputs at once, and for one input.
    #[inline]
    pub fn count(&self, of_64: u64, of_one: u64) {
        let [sum_of_64, sum_of_one] = &self.evaluated;
        sum_of_64.set(sum_of_64.get().wrapping_add(of_64));
        sum_of_one.set(sum_of_one.get().wrapping_add(of_one));
    }

    /// Counts values of bytes that were listed for rows as work.
    pub fn listed(&self, values: usize) {
        self.count(values as u64 / 16, 0);
    }

    /// An estimate of the bytes of memory in use.
    pub fn memory(&self) -> usize {
        // Unused capacity of a vector is not resident, so its length counts; a hash table is spread over all its capacity.
        self.nodes.len() * (size_of::<Node>() + size_of::<Info>() + 12)
            + self.index.capacity() * 5
            + self.byte_sets.len() * (size_of::<ByteSet>() + 48)
            + self.supports.len() * 64
            + self.extracts.capacity() * 17
            + self.rewritten.capacity() * 9
            + self.last_bits.capacity() * 9
            + self.few_values.capacity() * (size_of::<(Term, ByteSet)>() + 9)
            + self.entries_size
            + self.tables.len() * (2 * size_of::<Table>() + 64)
            + self.lowered.capacity() * 9
            + self.numbers.capacity() * (size_of::<(Term, Interval)>() + 1)
            + self.histories.memory()
            + self.nestings.capacity() * (size_of::<(Term, Nesting)>() + 1)
    }

    /// The node of `t`.
    #[inline(always)]
    pub fn node(&self, t: Term) -> Node {
        self.nodes[t.index()]
    }

    /// Number of nested arithmetic operations in `t`, at most 255. All floating-point operators count; choices and comparisons of
    /// integers do not.
    #[inline]
    pub fn depth(&self, t: Term) -> u8 {
        self.infos[t.index()].depth
    }

    /// True if `t` has many nested operations: each query about it must evaluate them all.
    #[inline]
    pub fn is_deep(&self, t: Term) -> bool {
        self.infos[t.index()].flags & IS_DEEP != 0
    }

    /// The width of `t` in bits.
    #[inline(always)]
    pub fn width(&self, t: Term) -> u8 {
        self.infos[t.index()].width
    }

    /// A hash of the term's structure, the same in every store that makes it from the same inputs.
    #[inline]
    pub fn hash_of(&self, t: Term) -> u64 {
        self.infos[t.index()].hash
    }

    /// Bounds (inclusive) of the unsigned value that hold for every input, for a term of at most 64 bits.
    #[inline]
    pub fn range(&self, t: Term) -> (u64, u64) {
        let i = &self.infos[t.index()];
        (i.lo, i.hi)
    }

    /// The input bytes that `t` depends on: none, one, or several.
    #[inline]
    pub fn support(&self, t: Term) -> Support {
        self.infos[t.index()].support
    }

    /// True if a proper part of `t` is a condition: one bit wide and not constant.
    #[inline]
    pub fn has_conditions(&self, t: Term) -> bool {
        self.infos[t.index()].flags & CONDITIONAL != 0
    }

    /// True if `t` or a part of it is a floating-point operation.
    #[inline]
    pub fn has_floats(&self, t: Term) -> bool {
        self.infos[t.index()].flags & FLOATS != 0
    }

    /// The value of `t` if it is a constant.
    #[inline]
    pub fn constant(&self, t: Term) -> Option<u128> {
        match self.nodes[t.index()] {
            Node::Const(v) => Some(v as u128),
            Node::WideConst(i) => Some(self.wide[i as usize]),
            _ => None,
        }
    }

    /// The value of `t` if it is a constant of at most 64 bits.
    #[inline]
    pub fn constant64(&self, t: Term) -> Option<u64> {
        match self.nodes[t.index()] {
            Node::Const(v) => Some(v),
            _ => None,
        }
    }

    /// The object (by order of creation on its path) and offset of a byte.
    pub fn byte_position(&self, id: ByteId) -> (u32, u32) {
        self.bytes[id.0 as usize]
    }

    /// Number of bytes with an id; the ids are `0 ..` this.
    pub fn byte_count(&self) -> usize {
        self.bytes.len()
    }

    /// The id of byte `offset` of object `object`.
    pub fn byte_id(&mut self, object: u32, offset: u32) -> ByteId {
        let known = self.byte_ids.get(object as usize).and_then(|ids| ids.get(offset as usize));
        if let Some(id) = known.and_then(|id| id.checked_sub(1)) {
            return ByteId(id);
        }
        let id = self.bytes.len() as u32;
        self.bytes.push((object, offset));
        let (object, offset) = (object as usize, offset as usize);
        if object >= self.byte_ids.len() {
            self.byte_ids.resize_with(object + 1, Vec::new);
        }
        let ids = &mut self.byte_ids[object];
        if offset >= ids.len() {
            ids.resize(offset + 1, 0);
        }
        ids[offset] = id + 1;
        ByteId(id)
    }

    /// A table of `width`-bit entries (at most 64 bits).
    pub fn intern_table(&mut self, width: u8, entries: &[u64]) -> TableId {
        let (entries, [_, greatest]) = Entries::of(entries);
        self.add_table(Table { width, entries, least: 0, greatest })
    }

    /// As [`Terms::intern_table`], but the range of an entry begins at the least entry. For other tables it begins at 0, and the
    /// forms of terms made of them depend on that.
    pub(crate) fn intern_bounded_table<T: Copy + Ord + Into<u64>>(
        &mut self,
        width: u8,
        entries: &[T],
    ) -> TableId {
        let (entries, [least, greatest]) = Entries::of(entries);
        self.add_table(Table { width, entries, least, greatest })
    }

    fn add_table(&mut self, table: Table) -> TableId {
        let next = TableId(self.tables.len() as u32);
        let tables = &mut self.tables;
        let size = &mut self.entries_size;
        *self.table_ids.entry(table).or_insert_with_key(|t| {
            *size += t.entries.size();
            tables.push(t.clone());
            next
        })
    }

    /// The entries of a table.
    pub fn table_entries(&self, id: TableId) -> Entries {
        self.tables[id.0 as usize].entries.clone()
    }

    /// The greatest entry of a table.
    pub fn greatest_entry(&self, id: TableId) -> u64 {
        self.tables[id.0 as usize].greatest
    }

    /// The width of a table's entries in bits.
    pub fn table_width(&self, id: TableId) -> u8 {
        self.tables[id.0 as usize].width
    }

    /// The input bytes that `t` depends on, in the order of their ids.
    pub fn bytes_of(&mut self, t: Term) -> Rc<[ByteId]> {
        match self.support(t) {
            Support::None => Rc::from([]),
            Support::One(b) => Rc::from([b]),
            Support::Many => self.many_bytes(t),
        }
    }

    fn many_bytes(&mut self, t: Term) -> Rc<[ByteId]> {
        let mut todo = vec![t];
        while let Some(&top) = todo.last() {
            if self.supports.contains_key(&top) {
                todo.pop();
                continue;
            }
            let mut all = Vec::new();
            let before = todo.len();
            for child in self.children(top) {
                match self.support(child) {
                    Support::None => {}
                    Support::One(b) => all.push(b),
                    Support::Many => match self.supports.get(&child) {
                        Some(bytes) => all.extend_from_slice(bytes),
                        None => todo.push(child),
                    },
                }
            }
            if todo.len() == before {
                all.sort_unstable();
                all.dedup();
                self.supports.insert(top, all.into());
                todo.pop();
            }
        }
        self.supports[&t].clone()
    }

    /// The operands of `t`.
    #[inline]
    pub fn children(&self, t: Term) -> Children {
        self.node(t).operands()
    }

    /// One of the bytes that `t` depends on.
    #[inline]
    pub fn some_byte(&self, t: Term) -> Option<ByteId> {
        let info = &self.infos[t.index()];
        (info.support != Support::None).then_some(info.byte)
    }

    /// A constant of `width` bits; higher bits of `value` are dropped.
    pub fn constant_of(&mut self, width: u8, value: u128) -> Term {
        let value = value & mask(width);
        if width == 8 {
            return byte_constant(value as u8);
        }
        if width <= 64 {
            return self.intern(Node::Const(value as u64), width);
        }
        let next = self.wide.len() as u32;
        let i = *self.wide_index.entry(value).or_insert(next);
        if i == next {
            self.wide.push(value);
        }
        self.intern(Node::WideConst(i), width)
    }

    /// The handle of a node that is already in its simplest form.
    pub(crate) fn intern(&mut self, node: Node, width: u8) -> Term {
        let hash = FxBuildHasher.hash_one((node, width));
        let (nodes, infos) = (&self.nodes, &self.infos);
        let found = self.index.find(hash, |&i| nodes[i as usize] == node && infos[i as usize].width == width);
        if let Some(&i) = found {
            self.reused += 1;
            return Term(NonZeroU32::new(i).expect("index 0 is never in the table"));
        }
        let i = u32::try_from(self.nodes.len())
            .expect("memory is renewed long before four thousand million terms");
        let info = self.describe(node, width);
        self.nodes.push(node);
        self.infos.push(info);
        let (nodes, infos) = (&self.nodes, &self.infos);
        self.index.insert_unique(hash, i, |&j| {
            FxBuildHasher.hash_one((nodes[j as usize], infos[j as usize].width))
        });
        Term(NonZeroU32::new(i).expect("index 0 is taken from the start"))
    }

    fn describe(&self, node: Node, width: u8) -> Info {
        let (lo, hi) = self.range_of(node, width);
        let hash = self.structural_hash(node, width);
        let byte = match node {
            Node::Byte(id) => Some(id),
            _ => node.operands().find_map(|operand| self.some_byte(operand)),
        };
        let (support, depth) = (self.support_of(node), self.depth_of(node));
        let steps = node.operands().map(|t| self.infos[t.index()].steps.saturating_add(1)).max().unwrap_or(0);
        let floats = matches!(node, Node::Float(..)) || node.operands().any(|t| self.has_floats(t));
        let is_deep =
            depth >= paths::DEEP || (steps >= paths::DEEP_ON_ONE_BYTE && matches!(support, Support::One(_)));
        let flag = |is_so: bool, flag: u8| if is_so { flag } else { 0 };
        let flags =
            flag(self.has_condition(node), CONDITIONAL) | flag(floats, FLOATS) | flag(is_deep, IS_DEEP);
        Info { hash, lo, hi, support, byte: byte.unwrap_or(ByteId(0)), width, flags, steps, depth }
    }

    fn depth_of(&self, node: Node) -> u8 {
        let below = node.operands().map(|t| self.depth(t)).max().unwrap_or(0);
        let calculates = match node {
            Node::Float(..) => true,
            Node::Binary(op, ..) => matches!(
                op,
                BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Mul
                    | BinaryOp::UDiv
                    | BinaryOp::SDiv
                    | BinaryOp::URem
                    | BinaryOp::SRem
            ),
            _ => false,
        };
        below.saturating_add(calculates.into())
    }

    fn has_condition(&self, node: Node) -> bool {
        let in_part = |t: Term| {
            let i = &self.infos[t.index()];
            i.flags & CONDITIONAL != 0 || (i.width == 1 && i.support != Support::None)
        };
        match node {
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => false,
            Node::Not(a) | Node::Extract(a, _) | Node::Zext(a) | Node::Sext(a) | Node::Table(_, a) => {
                in_part(a)
            }
            Node::Binary(_, a, b) => in_part(a) || in_part(b),
            Node::Float(..) => node.operands().any(in_part),
            Node::Ite(..) => true,
        }
    }

    fn structural_hash(&self, node: Node, width: u8) -> u64 {
        let h = |t: Term| self.infos[t.index()].hash;
        let w = width as u64;
        match node {
            Node::Const(v) => mix(mix(1, w), v),
            Node::WideConst(i) => {
                let v = self.wide[i as usize];
                mix(mix(mix(2, w), v as u64), (v >> 64) as u64)
            }
            Node::Byte(id) => {
                let (object, offset) = self.byte_position(id);
                mix(mix(3, object as u64), offset as u64)
            }
            Node::Not(a) => mix(4, h(a)),
            Node::Binary(op, a, b) => mix(mix(5 + 16 * (op as u64 + 1), h(a)), h(b)),
            Node::Ite(c, a, b) => mix(mix(mix(6, h(c)), h(a)), h(b)),
            Node::Extract(a, low) => mix(mix(mix(7, w), low as u64), h(a)),
            Node::Zext(a) => mix(mix(8, w), h(a)),
            Node::Sext(a) => mix(mix(9, w), h(a)),
            Node::Table(id, a) => {
                let Table { entries, least, .. } = &self.tables[id.0 as usize];
                let contents = entries.fold(w.wrapping_add(*least), mix);
                mix(mix(10, contents), h(a))
            }
            Node::Float(op, ..) => {
                let of_op = mix(mix(11, w), op.code());
                node.operands().fold(of_op, |x, operand| mix(x, h(operand)))
            }
        }
    }

    fn support_of(&self, node: Node) -> Support {
        let join = |a: Support, b: Support| match (a, b) {
            (Support::None, x) | (x, Support::None) => x,
            (Support::One(x), Support::One(y)) if x == y => a,
            _ => Support::Many,
        };
        let s = |t: Term| self.infos[t.index()].support;
        match node {
            Node::Const(_) | Node::WideConst(_) => Support::None,
            Node::Byte(id) => Support::One(id),
            Node::Not(a) | Node::Extract(a, _) | Node::Zext(a) | Node::Sext(a) | Node::Table(_, a) => s(a),
            Node::Binary(_, a, b) => join(s(a), s(b)),
            Node::Ite(c, a, b) => join(s(c), join(s(a), s(b))),
            Node::Float(..) => node.operands().map(s).fold(Support::None, join),
        }
    }

    /// Unsigned bounds of a node from those of its operands; wide terms have none.
    fn range_of(&self, node: Node, width: u8) -> (u64, u64) {
        let full = (0, mask64(width));
        if width > 64 {
            return (0, u64::MAX);
        }
        let r = |t: Term| self.range(t);
        match node {
            Node::Const(v) => (v, v),
            Node::Not(a) => (full.1 - r(a).1, full.1 - r(a).0),
            Node::Binary(op, a, b) if self.width(a) <= 64 => {
                // The operands of a concatenation are narrower than the result.
                binary_bounds(op, width, self.width(b), r(a), r(b)).unwrap_or(full)
            }
            Node::Ite(_, a, b) => hull(r(a), r(b)),
            Node::Extract(a, 0) if self.width(a) <= 64 && r(a).1 <= full.1 => r(a),
            Node::Zext(a) => r(a),
            Node::Sext(a) if r(a).1 <= mask64(self.width(a) - 1) => r(a),
            Node::Table(id, index) => {
                let Table { entries, least, greatest, .. } = &self.tables[id.0 as usize];
                let inside = *least > 0 && self.width(index) <= 64 && r(index).1 < entries.len() as u64;
                (if inside { *least } else { 0 }, *greatest)
            }
            _ => full,
        }
    }
}
