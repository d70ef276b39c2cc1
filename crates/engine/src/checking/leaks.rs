//! Objects of the heap that nothing points to when the program ends.
//!
//! The rule is that of LeakSanitizer: a word in a global, on the stack, in a register or in a reached object that is an address
//! in an object of the heap, its start or not, reaches that object. A symbolic word reaches all objects that it may point to.

use cleave_expr::{Node, Term};
use cleave_memory::{Byte, Kind, Object};
use cleave_region::BugKind;
use rustc_hash::FxHashSet;

use crate::checking::fault_texts::size_in_words;
use crate::engine::Engine;
use crate::states::places::OpPlace;
use crate::states::state::{Reg, State};
use crate::stop::{Bug, End, Stop};
use crate::threads::parked::Context;

/// Maximum number of parts of a symbolic word that are looked at; a larger term reaches all objects in its range.
const MOST_PARTS: usize = 1 << 16;

/// Objects of the heap by their addresses: those that were reached, and among them the ones still to be looked into.
#[derive(Default)]
struct Reached {
    all: FxHashSet<u64>,
    todo: Vec<u64>,
}

impl Reached {
    fn add(&mut self, base: u64) {
        if self.all.insert(base) {
            self.todo.push(base);
        }
    }

    /// Adds the object of the heap that an address lies in, if there is one.
    fn address(&mut self, state: &State, address: u64) {
        if let Some(o) = state.memory.object(address)
            && o.kind == Kind::Heap
            && (address.wrapping_sub(o.base) < o.size || address == o.base)
        {
            self.add(o.base);
        }
    }
}

/// Lost objects that were made at one place.
struct Lost {
    place: OpPlace,
    count: u64,
    bytes: u64,
    /// The sizes of some of them depend on the input: `bytes` is then a maximum.
    symbolic: bool,
}

impl Lost {
    fn of(place: OpPlace, objects: &[&Object]) -> Lost {
        let mut lost = Lost { place, count: 0, bytes: 0, symbolic: false };
        objects.iter().for_each(|o| lost.add(o));
        lost
    }

    fn add(&mut self, object: &Object) {
        self.count += 1;
        self.bytes += object.size;
        self.symbolic |= object.extent.is_some();
    }

    fn text(&self) -> String {
        let size = size_in_words(self.bytes, self.symbolic);
        match self.count {
            1 => format!("a heap object of {size}"),
            n => format!("{n} heap objects of {size} together"),
        }
    }
}

impl Engine {
    /// Reports the objects of the heap that are lost, if there are any.
    pub(crate) fn nothing_leaked(&mut self, state: &State) -> Result<(), Stop> {
        let reached = self.reached_from_roots(state);
        let heap = state.memory.objects().filter(|o| o.kind == Kind::Heap);
        let lost: Vec<&Object> = heap.filter(|o| !reached.contains(&o.base)).collect();
        if lost.is_empty() {
            return Ok(());
        }
        let direct = self.not_led_to(state, &lost);
        let mut places: Vec<Lost> = Vec::new();
        for o in lost.iter().filter(|o| direct.contains(&o.base)) {
            let place = OpPlace::from_raw(o.birth);
            match places.iter_mut().find(|l| l.place == place) {
                Some(known) => known.add(o),
                None => places.push(Lost::of(place, &[o])),
            }
        }
        let rest: Vec<&Object> = lost.into_iter().filter(|o| !direct.contains(&o.base)).collect();
        Err(self.leak(&places, &Lost::of(OpPlace::from_raw(0), &rest)))
    }

    fn leak(&self, places: &[Lost], behind: &Lost) -> Stop {
        let of = |l: &Lost| format!("{}, allocated in {}", l.text(), self.place_text(l.place));
        let mut message = places.iter().map(of).collect::<Vec<_>>().join("; ");
        if behind.count > 0 {
            message += &format!("; behind these {}", behind.text());
        }
        message += ": never freed, and nothing points there at the end";
        let trace = places.first().and_then(|l| self.place_line(l.place)).into_iter().collect();
        Stop::End(End::Bug(Bug { kind: BugKind::Leak, message, trace }))
    }

    fn reached_from_roots(&mut self, state: &State) -> FxHashSet<u64> {
        let mut reached = Reached::default();
        for o in state.memory.objects().filter(|o| o.kind != Kind::Heap) {
            self.look_into(state, o, &mut reached);
        }
        // The other threads of the process have stacks and registers too.
        let process = state.kernel.running();
        let others = state.parked.iter().flat_map(|there| there.threads_of(process));
        for frame in state.frames().chain(others.flat_map(Context::frames)) {
            for &r in &frame.regs {
                self.look_at(state, r, &mut reached);
            }
            for v in frame.varargs.iter().flat_map(|list| list.iter()) {
                self.look_at(state, v.low, &mut reached);
            }
        }
        self.look_on(state, reached)
    }

    /// All objects that can be reached from those that were.
    fn look_on(&mut self, state: &State, mut reached: Reached) -> FxHashSet<u64> {
        while let Some(base) = reached.todo.pop() {
            if let Some(o) = state.memory.object(base) {
                self.look_into(state, o, &mut reached);
            }
        }
        reached.all
    }

    /// The lost objects that no other one leads to, and the first object of each ring.
    fn not_led_to(&mut self, state: &State, lost: &[&Object]) -> FxHashSet<u64> {
        let mut led_to = FxHashSet::default();
        for o in lost {
            let mut reached = Reached::default();
            self.look_into(state, o, &mut reached);
            led_to.extend(reached.all.into_iter().filter(|&base| base != o.base));
        }
        let (ends, rings): (Vec<&Object>, Vec<&Object>) =
            lost.iter().partition(|o| !led_to.contains(&o.base));
        let (mut direct, mut covered) = (FxHashSet::default(), FxHashSet::default());
        for o in ends.into_iter().chain(rings) {
            if !covered.contains(&o.base) {
                direct.insert(o.base);
                let mut reached = Reached::default();
                reached.add(o.base);
                covered.extend(self.look_on(state, reached));
            }
        }
        direct
    }

    fn look_into(&mut self, state: &State, object: &Object, reached: &mut Reached) {
        for (start, length) in object.runs() {
            let pointer = self.program.target.pointer_bytes();
            for i in (start..(start + length).saturating_sub(pointer - 1)).step_by(pointer as usize) {
                if let Some(known) = object.known(i, pointer as usize) {
                    reached.address(state, known);
                    continue;
                }
                let bytes: Vec<Byte> = (i..i + pointer).map(|i| object.get(i)).collect();
                let word = Byte::word(&mut self.terms, &bytes);
                let word = self.terms.zext(word, 64);
                let r = self.reg(word);
                self.look_at(state, r, reached);
            }
        }
    }

    fn look_at(&mut self, state: &State, r: Reg, reached: &mut Reached) {
        let Some(t) = r.term() else { return reached.address(state, r.value) };
        if self.terms.width(t) != 64 {
            return;
        }
        let t = self.value(state, t);
        match self.terms.constant64(t) {
            Some(address) => reached.address(state, address),
            None => self.look_at_term(state, t, reached),
        }
    }

    /// Adds the objects that a symbolic word may point to: those whose addresses it is made of. A choice among parts of words
    /// hides its addresses, so such a word may point to all objects in its range. A word without either is made of input alone,
    /// and is no pointer.
    fn look_at_term(&self, state: &State, t: Term, reached: &mut Reached) {
        let (mut seen, mut todo, mut anywhere) = (FxHashSet::default(), vec![t], false);
        let pointer_bits = 8 * self.program.target.pointer_bytes();
        while let Some(part) = todo.pop() {
            if !seen.insert(part) {
                continue;
            }
            let width = self.terms.width(part);
            let whole = width == 64 || u64::from(width) == pointer_bits;
            match self.terms.node(part) {
                Node::Const(v) if whole => self.reach_near(state, v, reached),
                Node::Table(id, _) if whole => {
                    let entries = self.terms.table_entries(id);
                    entries.iter().for_each(|v| self.reach_near(state, v, reached));
                    // The index chooses among these.
                    continue;
                }
                Node::Table(..) | Node::Ite(..) if !whole && width > 1 => anywhere = true,
                _ => {}
            }
            todo.extend(self.terms.children(part));
            anywhere |= seen.len() > MOST_PARTS;
            if anywhere {
                break;
            }
        }
        if anywhere {
            let (lo, hi) = self.terms.range(t);
            let objects = state.memory.objects().filter(|o| o.kind == Kind::Heap);
            objects.filter(|o| o.base <= hi && o.base + o.size >= lo).for_each(|o| reached.add(o.base));
        }
    }

    /// Adds the object of the heap in whose slots an address lies: with a symbolic number added to it, it may be anywhere
    /// there.
    fn reach_near(&self, state: &State, address: u64, reached: &mut Reached) {
        if let Some(o) = state.memory.object(address).filter(|o| o.kind == Kind::Heap) {
            reached.add(o.base);
        }
    }
}
