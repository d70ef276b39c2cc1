//! The address space: the objects at its addresses, their births and their deaths.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_program::code::{Image, Program, Storage};
use cleave_program::layout::{FRAMES, FUNCTION_BASE, GUARD, Target, start_in_slot};

use crate::byte::Byte;
use crate::object::{Birth, Grave, Kind, Object};
use crate::own::changed;
use crate::same::Alike;
use crate::shade::Shadow;
use crate::slots::{Slot, Slots};
use crate::stacks::Stacks;

/// Size of the largest object, in bytes: an allocation beyond that fails.
pub const MAX_OBJECT: u64 = 1 << 34;

/// Maximum number of bytes of the heap that a program has at a time.
pub const MAX_HEAP: u64 = 4 * MAX_OBJECT;

/// Greatest end of objects at addresses of the program's choice: the table has an entry for each slot below.
pub const FIXED_END: u64 = 1 << 36;

/// The reason why an access is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Near address zero.
    Null,
    /// No object is there.
    Wild,
    /// The frame of a function, or the place that one returns to, as `__builtin_frame_address` and `__builtin_return_address`
    /// give it.
    Frame,
    /// The object that was there is gone: freed, or its function has returned.
    Dead {
        /// The facts that are known of it.
        grave: Grave,
        /// Start of the access, in bytes from the object's start, if that is known.
        offset: Option<i64>,
    },
    /// Behind (or before) the object whose address it is nearest to.
    OutOfBounds {
        /// The kind of the object.
        kind: Kind,
        /// As [`Object::size`], in bytes.
        size: u64,
        /// The size depends on the input.
        symbolic: bool,
        /// Start of the access, in bytes from the object's start.
        offset: i64,
        /// See [`Object::origin`].
        origin: u32,
        /// Its address.
        base: u64,
        /// See [`Object::birth`].
        birth: u32,
    },
    /// In bounds or behind them: that depends on the input, as the object's size does. See [`AddressSpace::make_certain`].
    Uncertain {
        /// The object's address.
        base: u64,
        /// Start of the access, in bytes from there.
        offset: u64,
        /// End of the access, likewise.
        end: u64,
    },
    /// A write to a constant.
    Constant {
        /// See [`Object::origin`].
        origin: u32,
    },
}

impl Fault {
    /// The fault of an access at `address`, outside of the object that it was meant for.
    pub fn outside(object: &Object, address: u64) -> Fault {
        let Object { kind, size, extent, origin, base, birth, .. } = *object;
        let offset = address.wrapping_sub(base) as i64;
        Fault::OutOfBounds { kind, size, symbolic: extent.is_some(), offset, origin, base, birth }
    }
}

/// The reason why a pointer cannot be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeFault {
    /// It was freed before.
    Twice(Grave),
    /// It is not the start of a heap object.
    Invalid,
}

/// An address space; a clone shares everything until one of the two is written. The default one is empty.
#[derive(Debug)]
pub struct AddressSpace {
    pub(crate) low: Slots,
    /// The stack of the thread that runs.
    stack: Slots,
    /// Start of that stack, in bytes from [`Target::stack_base`] on.
    stack_start: u64,
    /// The stacks of the other threads, once there were any.
    parked: Option<Rc<Stacks>>,
    pub(crate) heap_bytes: u64,
    /// The machine's.
    pub(crate) target: Target,
}

impl Default for AddressSpace {
    fn default() -> AddressSpace {
        AddressSpace::of(Target::default())
    }
}

impl Clone for AddressSpace {
    fn clone(&self) -> AddressSpace {
        // What one of the two writes is shared from now on.
        changed();
        AddressSpace {
            low: self.low.clone(),
            stack: self.stack.clone(),
            stack_start: self.stack_start,
            parked: self.parked.clone(),
            heap_bytes: self.heap_bytes,
            target: self.target,
        }
    }
}

impl AddressSpace {
    /// An empty one of a machine.
    pub fn of(target: Target) -> AddressSpace {
        AddressSpace {
            low: Slots::default(),
            stack: Slots::default(),
            stack_start: 0,
            parked: None,
            heap_bytes: 0,
            target,
        }
    }

    /// The address space in which an image of `program` starts: its globals and nothing else.
    pub fn new(program: &Program, image: &Image) -> AddressSpace {
        // It may take the place of another one.
        changed();
        let (target, bits) = (program.target, program.target.slot_bits());
        let mut low = Slots { chunks: Vec::new(), end: image.place.slot };
        let own = (image.globals.start as usize)..(image.globals.end as usize);
        let globals = program.globals.iter().enumerate().skip(own.start).take(own.len());
        for (i, g) in globals.filter(|(_, g)| g.storage != Storage::Member) {
            if g.storage == Storage::Missing {
                // An object without bytes, with the room that it would have.
                let mut object = Object::new(g.address, 0, Kind::Global);
                object.origin = i as u32;
                low.end = g.address >> bits;
                low.push_with_room(target, object, g.size);
                continue;
            }
            let mut object = Object::new(g.address, g.size, Kind::Global);
            let init = &g.init[..g.init.len().min(g.size as usize)];
            object.fill_from(0, init);
            object.constant = g.constant;
            object.origin = i as u32;
            low.end = g.address >> bits;
            low.push(target, object);
        }
        low.end = low.end.max(image.heap_slot);
        AddressSpace { low, ..AddressSpace::of(target) }
    }

    #[inline(always)]
    fn place(&self, address: u64) -> (bool, u64) {
        let base = self.target.stack_base();
        let stack = address >= base;
        let local = if stack { address.wrapping_sub(base).wrapping_sub(self.stack_start) } else { address };
        (stack, local >> self.target.slot_bits())
    }

    #[inline(always)]
    fn slots(&self, stack: bool) -> &Slots {
        if stack { &self.stack } else { &self.low }
    }

    /// The object in whose slots `address` lies, within its bounds or not.
    #[inline(always)]
    pub fn object(&self, address: u64) -> Option<&Object> {
        let (stack, slot) = self.place(address);
        match self.slots(stack).get(slot) {
            Some(Slot::Live(object)) => Some(object),
            Some(Slot::Inner(back)) => self.slots(stack).live(slot - *back as u64),
            Some(_) => None,
            None => self.object_elsewhere(address),
        }
    }

    /// As [`AddressSpace::object`], on the stack of a thread that does not run.
    #[cold]
    fn object_elsewhere(&self, address: u64) -> Option<&Object> {
        self.parked.as_ref()?.object(self.target, address)
    }

    /// Makes the stack with this number the one that grows and shrinks. The program's first is 0.
    pub fn change_stack(&mut self, number: u64) {
        let before = self.stack_number();
        if number != before {
            let parked = Rc::make_mut(self.parked.get_or_insert_default());
            let next = parked.take(number);
            parked.put(before, std::mem::replace(&mut self.stack, next));
            self.stack_start = self.target.stack_start(number);
        }
    }

    /// True if the live objects are the same in both, with the same bytes, while the same stack grows and shrinks.
    pub fn holds_the_same(&self, other: &AddressSpace) -> bool {
        self.holds_like(other, &mut |_, _| false)
    }

    /// As [`AddressSpace::holds_the_same`]; `alike` may tell that two different bytes have the same value.
    fn holds_like(&self, other: &AddressSpace, alike: Alike<'_>) -> bool {
        let others = match (&self.parked, &other.parked) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a.holds_the_same(b, alike),
            _ => false,
        };
        others
            && self.stack_start == other.stack_start
            && self.stack.holds_the_same(&other.stack, alike)
            && self.low.holds_the_same(&other.low, alike)
    }

    /// True if the next steps of the program are the same with both: they hold the same, and give the same addresses to new
    /// objects. The graves of dead objects are not looked at. `alike` returns true for two different bytes, now and then, that
    /// have the same value.
    pub fn is_again(&self, then: &AddressSpace, alike: &mut dyn FnMut(Byte, Byte) -> bool) -> bool {
        (self.low.end, self.stack.end, self.heap_bytes) == (then.low.end, then.stack.end, then.heap_bytes)
            && self.holds_like(then, alike)
    }

    /// Returns true if the same stack grows and shrinks in both, and the stacks of the other threads are the same ones.
    pub(crate) fn has_stacks_of(&self, other: &AddressSpace) -> bool {
        let parked = match (&self.parked, &other.parked) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        parked && self.stack_start == other.stack_start && self.stack.end == other.stack.end
    }

    /// The stack that grows and shrinks.
    pub(crate) fn own_stack(&self) -> &Slots {
        &self.stack
    }

    /// A copy with these objects beside the stacks, and these on the stack that grows and shrinks.
    pub(crate) fn with_parts(&self, low: Slots, stack: Slots) -> AddressSpace {
        AddressSpace { low, stack, ..self.clone() }
    }

    /// The number of the stack that grows and shrinks.
    pub fn stack_number(&self) -> u64 {
        self.target.stack_at(self.stack_start)
    }

    /// The object of an access of `n` bytes, and the offset in it.
    ///
    /// # Errors
    /// The [`Fault`], if the access is not wholly in one live object.
    #[inline(always)]
    pub fn resolve(&self, address: u64, n: u64) -> Result<(&Object, u64), Fault> {
        if let Some(object) = self.object(address) {
            let offset = address.wrapping_sub(object.base);
            if offset < object.certain && n <= object.certain - offset {
                return Ok((object, offset));
            }
        }
        self.resolve_behind_holes(address, n).ok_or_else(|| self.fault(address, n))
    }

    /// The object of an access that is in bounds and in no hole, but not in front of the first hole.
    #[cold]
    fn resolve_behind_holes(&self, address: u64, n: u64) -> Option<(&Object, u64)> {
        let object = self.object(address).filter(|o| o.holes.is_some())?;
        let offset = address.wrapping_sub(object.base);
        let inside = offset < object.size && n <= object.size - offset;
        (inside && object.hole(offset, n).is_none()).then_some((object, offset))
    }

    /// The fault of an access of `n` bytes at `address` that did not resolve.
    #[cold]
    pub fn fault(&self, address: u64, n: u64) -> Fault {
        if address < GUARD {
            return Fault::Null;
        }
        if let Some(o) = self.object(address) {
            let (offset, n) = (address.wrapping_sub(o.base), n.max(1));
            if o.extent.is_some() && offset < o.size && n <= o.size - offset {
                return Fault::Uncertain { base: o.base, offset, end: offset + n };
            }
            if let Some(hole) = o.hole(offset, n) {
                let grave = o.grave(self.target, hole.death);
                return Fault::Dead { grave, offset: Some(offset as i64) };
            }
            return Fault::outside(o, address);
        }
        match self.grave(address) {
            Some((grave, offset)) => Fault::Dead { grave, offset },
            None if (FRAMES.start..1 << 47).contains(&address) => Fault::Frame,
            None => Fault::Wild,
        }
    }

    /// As [`AddressSpace::resolve`], for a caller that has decided that the access is in bounds: it may also be in bytes that
    /// the object has for some inputs only.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve`], but never [`Fault::Uncertain`].
    pub fn resolve_decided(&self, address: u64, n: u64) -> Result<(&Object, u64), Fault> {
        match self.resolve(address, n) {
            Err(Fault::Uncertain { base, offset, .. }) => {
                self.object(base).map(|object| (object, offset)).ok_or(Fault::Wild)
            }
            result => result,
        }
    }

    /// As [`AddressSpace::resolve_decided`], to write.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve_mut`], but never [`Fault::Uncertain`].
    pub fn resolve_decided_mut(&mut self, address: u64, n: u64) -> Result<(&mut Object, u64), Fault> {
        match self.resolve(address, n) {
            Err(Fault::Uncertain { base, offset, .. }) => {
                self.live_mut(base).map(|object| (object, offset)).ok_or(Fault::Wild)
            }
            _ => self.resolve_mut(address, n),
        }
    }

    /// The object that starts at `base`, to write.
    pub(crate) fn live_mut(&mut self, base: u64) -> Option<&mut Object> {
        changed();
        self.live_to_store(base)
    }

    /// As [`AddressSpace::live_mut`], to store known values and nothing else.
    #[inline(always)]
    pub(crate) fn live_to_store(&mut self, base: u64) -> Option<&mut Object> {
        let (stack, slot) = self.place(base);
        let slots = if stack { &mut self.stack } else { &mut self.low };
        match slots.live_mut(slot) {
            None => {
                let target = self.target;
                self.parked.as_mut().and_then(|parked| Rc::make_mut(parked).object_mut(target, base))
            }
            found => found,
        }
    }

    /// Makes the size of the object that starts at `base`, and was just made with room for the greatest one, depend on the
    /// input: it is `extent`, of 64 bits, and at least `least`.
    pub fn set_extent(&mut self, base: u64, least: u64, extent: Term) {
        if let Some(object) = self.live_mut(base) {
            (object.certain, object.extent) = (least.min(object.size), Some(extent));
        }
    }

    /// The path has decided that the object that starts at `base` has at least `end` bytes.
    pub fn make_certain(&mut self, base: u64, end: u64) {
        if let Some(object) = self.live_mut(base) {
            object.certain = object.certain.max(end.min(object.size));
        }
    }

    /// The dead object in whose slots `address` lies, and the offset in it. The offset is not known of an object of several
    /// slots.
    pub fn grave(&self, address: u64) -> Option<(Grave, Option<i64>)> {
        let (stack, slot) = self.place(address);
        let found = self.slots(stack).get(slot).or_else(|| self.parked.as_ref()?.slot(self.target, address));
        let Some(&Slot::Dead(grave)) = found else { return None };
        let start = grave.start().filter(|&start| self.target.slots_of(start, grave.size()) == 1);
        Some((grave, start.map(|start| (address % self.target.slot_size()) as i64 - start as i64)))
    }

    /// As [`AddressSpace::resolve`], to write.
    ///
    /// # Errors
    /// The [`Fault`], if the access is not wholly in one live object that may be written.
    #[inline(always)]
    pub fn resolve_mut(&mut self, address: u64, n: u64) -> Result<(&mut Object, u64), Fault> {
        changed();
        self.resolve_to_store(address, n)
    }

    /// As [`AddressSpace::resolve_mut`], to store known values and nothing else.
    #[inline(always)]
    pub(crate) fn resolve_to_store(&mut self, address: u64, n: u64) -> Result<(&mut Object, u64), Fault> {
        let (base, offset, constant, origin) = {
            let (o, offset) = self.resolve(address, n)?;
            (o.base, offset, o.constant, o.origin)
        };
        if constant {
            return Err(Fault::Constant { origin });
        }
        self.live_to_store(base).map(|object| (object, offset)).ok_or(Fault::Wild)
    }

    /// The `n` bytes (at most 8) at `address` as a number, if they are all known and in one page.
    #[inline(always)]
    pub fn load_known(&self, address: u64, n: usize) -> Option<u64> {
        let (object, offset) = self.resolve(address, n as u64).ok()?;
        object.known(offset, n)
    }

    /// Writes `n` known bytes (at most 8) if they lie in one page of an object that may be written.
    #[inline(always)]
    pub fn store_known(&mut self, address: u64, n: usize, value: u64) -> Option<()> {
        let (object, offset) = self.resolve_to_store(address, n as u64).ok()?;
        object.set_known(offset, n, value)
    }

    /// Reads `n` bytes.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve`].
    pub fn read(&self, address: u64, n: u64) -> Result<Vec<Byte>, Fault> {
        if n == 0 {
            return Ok(Vec::new());
        }
        let (object, offset) = self.resolve(address, n)?;
        Ok((offset..offset + n).map(|i| object.get(i)).collect())
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve_mut`].
    pub fn write(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        // Windows stay where known bytes are written.
        let known = bytes.iter().all(|byte| matches!(byte, Byte::Known(_)));
        let n = bytes.len() as u64;
        let (object, offset) =
            if known { self.resolve_to_store(address, n)? } else { self.resolve_mut(address, n)? };
        object.write(offset, bytes);
        Ok(())
    }

    /// Writes a byte `n` times, each with this shadow.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve_mut`].
    pub fn fill(&mut self, address: u64, n: u64, byte: Byte, shadow: Shadow) -> Result<(), Fault> {
        let (object, offset) = self.resolve_mut(address, n)?;
        object.fill(offset, n, byte, shadow);
        Ok(())
    }

    /// Copies `n` bytes, as if all of them were read before one is written. A byte that nobody has written has the shadow
    /// `fresh` in its new place.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve`] for the source, as [`AddressSpace::resolve_mut`] for the destination.
    pub fn copy(&mut self, to: u64, from: u64, n: u64, fresh: Shadow) -> Result<(), Fault> {
        self.resolve(from, n)?;
        self.resolve(to, n)?;
        self.copy_room(to, from, n, fresh)
    }

    /// As [`AddressSpace::copy`], of bytes that objects of symbolic sizes have room for.
    ///
    /// # Errors
    /// As [`AddressSpace::copy`], but never [`Fault::Uncertain`].
    pub fn copy_room(&mut self, to: u64, from: u64, n: u64, fresh: Shadow) -> Result<(), Fault> {
        let (source, start) = self.resolve_decided(from, n)?;
        let source = source.clone(); // its pages are shared
        let (object, offset) = self.resolve_decided_mut(to, n)?;
        object.copy_from(offset, &source, start, n, fresh);
        Ok(())
    }

    /// Fills all the room of the object that starts at `base`.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve_mut`], but never [`Fault::Uncertain`].
    pub fn fill_room(&mut self, base: u64, byte: Byte, shadow: Shadow) -> Result<(), Fault> {
        let size = self.object(base).map_or(0, |object| object.size);
        let (object, offset) = self.resolve_decided_mut(base, size)?;
        object.fill(offset, size, byte, shadow);
        Ok(())
    }

    /// True if half of the heap is still free when an object of `size` bytes is made. A machine of 32 bits has too few addresses to say
    /// so of any.
    pub fn has_ample_room(&self, size: u64) -> bool {
        self.target == Target::X86_64 && self.heap_bytes + size <= MAX_HEAP / 2
    }

    /// The shadow of each of `n` bytes; `None` if all are plainly defined, or if they are not in one object.
    pub fn shadows(&self, address: u64, n: u64) -> Option<Vec<Shadow>> {
        let (object, offset) = self.resolve(address, n).ok()?;
        if object.is_plain(offset, n) {
            return None;
        }
        Some((offset..offset + n).map(|i| object.shadow(i)).collect())
    }

    /// Sets the shadows of bytes that were just written.
    ///
    /// # Errors
    /// As [`AddressSpace::resolve_mut`].
    pub fn set_shadows(&mut self, address: u64, shadows: &[Shadow]) -> Result<(), Fault> {
        let (object, offset) = self.resolve_mut(address, shadows.len() as u64)?;
        for (i, &shadow) in shadows.iter().enumerate() {
            object.set_shadow(offset + i as u64, shadow);
        }
        Ok(())
    }

    /// True if a heap object of `size` bytes still has addresses: a machine of 32 bits has few.
    pub fn has_room(&self, size: u64) -> bool {
        self.target == Target::X86_64
            || self.low.end + self.target.slots_of(0, size) + 1
                < self.target.stack_base() >> self.target.slot_bits()
    }

    /// As [`AddressSpace::has_room`], of an object of the stack.
    pub fn has_stack_room(&self, size: u64) -> bool {
        self.target == Target::X86_64
            || self.stack.end + self.target.slots_of(0, size) + 1
                < self.target.stack_slots(self.stack_number())
    }

    /// A new heap object of zeros; its address. `None` if `size` is over [`MAX_OBJECT`], or the heap over [`MAX_HEAP`].
    pub fn allocate(&mut self, size: u64, kind: Kind) -> Option<u64> {
        self.allocate_born(size, 1, kind, Birth::default())
    }

    /// As [`AddressSpace::allocate`], of an object with this alignment (a power of two) and birth; `None` too if the alignment
    /// is over [`Target::most_align`].
    pub fn allocate_born(&mut self, size: u64, align: u64, kind: Kind, birth: Birth) -> Option<u64> {
        if align > self.target.most_align() || size > MAX_OBJECT || self.heap_bytes + size > MAX_HEAP {
            return None;
        }
        if !self.has_room(size) {
            return None;
        }
        self.heap_bytes += size;
        let base = (self.low.end << self.target.slot_bits()) + start_in_slot(align);
        self.low.push(self.target, Object::born(base, size, kind, birth));
        Some(base)
    }

    /// A new object of zeros at an address of the program's choice. `false` if it cannot be made: its slots hold other objects,
    /// functions or labels, or lie beyond [`FIXED_END`] or on the stack.
    #[must_use]
    pub fn define(&mut self, address: u64, size: u64) -> bool {
        let last_end = FIXED_END.min(self.target.stack_base());
        let Some(last) = address.checked_add(size).filter(|&end| (1..=last_end).contains(&end)) else {
            return false;
        };
        let (first, end) = (address >> self.target.slot_bits(), last.div_ceil(self.target.slot_size()));
        let functions = FUNCTION_BASE >> self.target.slot_bits();
        let free = |slot| match self.low.get(slot) {
            Some(Slot::Empty) | None => slot < functions || slot >= self.target.first_global_slot(),
            _ => false,
        };
        if size == 0 || size > MAX_OBJECT || !(first..end).all(free) {
            return false;
        }
        self.low.set(first, Slot::Live(Rc::new(Object::new(address, size, Kind::Mapped))));
        for slot in first + 1..end {
            self.low.set(slot, Slot::Inner((slot - first) as u32));
        }
        self.heap_bytes += size;
        // The heap goes on behind it.
        self.low.end = self.low.end.max(end);
        true
    }

    /// Ends the life of the heap (or mapped) object that starts at `address`; `death` is the op that does.
    ///
    /// # Errors
    /// [`FreeFault`] if there is no such object.
    pub fn free(&mut self, address: u64, kind: Kind, death: u32) -> Result<(), FreeFault> {
        let (stack, slot) = self.place(address);
        // No object of `allocate` starts elsewhere in its slot.
        let start = address % self.target.slot_size();
        if stack || start < GUARD || !start.is_power_of_two() {
            return Err(FreeFault::Invalid);
        }
        match self.low.get(slot) {
            Some(Slot::Live(o)) if o.kind == kind && o.base == address => {
                self.heap_bytes -= o.size;
                self.low.kill(self.target, slot, death);
                Ok(())
            }
            Some(Slot::Dead(grave)) if grave.kind == kind && Some(start) == grave.start() => {
                Err(FreeFault::Twice(*grave))
            }
            _ => Err(FreeFault::Invalid),
        }
    }

    /// Writes the initial bytes of a variable to the object that starts at `address`.
    pub fn initialise(&mut self, address: u64, init: &[u8]) {
        if let Ok((object, offset)) = self.resolve_mut(address, init.len() as u64) {
            object.fill_from(offset, init);
        }
    }

    /// A new stack object of zeros; its address. `None` if `size` is over [`MAX_OBJECT`].
    pub fn allocate_stack(&mut self, size: u64, kind: Kind) -> Option<u64> {
        self.allocate_stack_born(size, 1, kind, Birth::default())
    }

    /// As [`AddressSpace::allocate_stack`], of an object with this alignment (a power of two) and birth; `None` too if the
    /// alignment is over [`Target::most_align`].
    pub fn allocate_stack_born(&mut self, size: u64, align: u64, kind: Kind, birth: Birth) -> Option<u64> {
        if align > self.target.most_align() || size > MAX_OBJECT || !self.has_stack_room(size) {
            return None;
        }
        let base = self.target.stack_base()
            + self.stack_start
            + (self.stack.end << self.target.slot_bits())
            + start_in_slot(align);
        self.stack.push(self.target, Object::born(base, size, kind, birth));
        Some(base)
    }

    /// The current end of the stack, for [`AddressSpace::release_stack`] to go back to.
    #[inline]
    pub fn stack_mark(&self) -> u64 {
        self.stack.end
    }

    /// Ends the life of all stack objects made since `mark`; `death` is the op that does.
    #[inline]
    pub fn release_stack(&mut self, mark: u64, death: u32) {
        let mut slot = mark;
        while slot < self.stack.end {
            slot += self.stack.kill(self.target, slot, death);
        }
        self.stack.end = mark.min(self.stack.end);
    }

    /// The scope of the stack object that was made at `address` begins, for the first time or again: its bytes are then
    /// undefined, if `undefined` says so.
    pub fn begin_scope(&mut self, address: u64, undefined: bool) {
        changed();
        let (true, slot) = self.place(address) else { return };
        let (size, place) = match self.stack.get(slot) {
            // An array of variable length has no scope of its own: it ends with its block's stack.
            Some(Slot::Live(o)) if o.extent.is_some() => return,
            Some(Slot::Live(o)) if o.base != address || !undefined || o.is_unwritten() => return,
            Some(Slot::Live(o)) => (o.size, o.birth),
            Some(Slot::Dead(grave)) => (grave.size(), grave.birth),
            _ => return,
        };
        self.stack.put(
            self.target,
            slot,
            Object::born(address, size, Kind::Stack, Birth { place, undefined, allocator: 0 }),
        );
    }

    /// The scope of the stack object at `address` ends; `death` is the op that ends it.
    pub fn end_scope(&mut self, address: u64, death: u32) {
        if let (true, slot) = self.place(address)
            && let Some(Slot::Live(o)) = self.stack.get(slot)
            && o.base == address
        {
            self.stack.kill(self.target, slot, death);
        }
    }

    /// All live objects: those beside the stacks, then those of each stack, by rising address.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        let own = [&self.low, &self.stack].into_iter();
        let all = own.chain(self.parked.iter().flat_map(|parked| parked.all()));
        all.flat_map(|s| s.chunks.iter()).flat_map(|c| c.iter()).filter_map(|slot| match slot {
            Slot::Live(o) => Some(&**o),
            _ => None,
        })
    }

    /// The object that starts at `address`, to be given to another address space that has one there: see
    /// [`AddressSpace::replace`].
    pub fn shared(&self, address: u64) -> Option<Rc<Object>> {
        changed();
        let (stack, slot) = self.place(address);
        match self.slots(stack).get(slot)? {
            Slot::Live(object) if object.base == address => Some(object.clone()),
            _ => None,
        }
    }

    /// Puts an object of another address space in the place of the one that starts at `address`, which has the same size. If
    /// there is none, nothing happens.
    pub fn replace(&mut self, address: u64, by: &Rc<Object>) {
        changed();
        let (stack, slot) = self.place(address);
        let slots = if stack { &mut self.stack } else { &mut self.low };
        let there = |o: &Object| o.base == by.base && o.base == address && o.size == by.size;
        if matches!(slots.get(slot), Some(Slot::Live(o)) if there(o)) {
            slots.set(slot, Slot::Live(by.clone()));
        }
    }

    /// Bytes of the heap in use.
    pub fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: u64 = Target::X86_64.slot_size();

    #[test]
    fn each_thread_sees_and_writes_the_stacks_of_all_and_grows_its_own() {
        let mut space = AddressSpace::default();
        let mine = space.allocate_stack(16, Kind::Stack).unwrap();
        space.change_stack(2);
        assert_eq!(space.stack_mark(), 0);
        let theirs = space.allocate_stack(3 * SLOT, Kind::Stack).unwrap();
        let last = theirs + (3 * SLOT) - 8;
        let before = space.clone();
        for (number, (near, far)) in [(2, (last, mine + 8)), (0, (mine + 8, last))] {
            space.change_stack(number);
            for address in [near, far] {
                let value = address ^ number;
                space.store_known(address, 8, value).unwrap();
                assert_eq!(space.load_known(address, 8), Some(value));
                assert_eq!(before.load_known(address, 8), Some(0), "a fork keeps its own");
            }
        }
        assert!(matches!(space.fault(last + 8, 1), Fault::OutOfBounds { .. }));
        assert_eq!(space.objects().count(), 2);
        space.change_stack(2);
        space.release_stack(0, 7);
        space.change_stack(0);
        assert!(matches!(space.fault(theirs, 1), Fault::Dead { .. }), "its thread has ended");
        assert_eq!(space.stack_mark(), 1);
        assert!(space.resolve(mine, 16).is_ok());
    }

    #[test]
    fn what_is_kept_of_dead_objects_fits_in_their_slots() {
        assert_eq!(size_of::<Slot>(), 16);
        let mut space = AddressSpace::default();
        let birth = Birth { place: 3, undefined: true, allocator: 0 };
        let (large, small) = (3 * SLOT, 10);
        for size in [large, small, MAX_OBJECT, (1 << 32) + 5] {
            let base = space.allocate_born(size, 1, Kind::Heap, birth).unwrap();
            assert_eq!(space.free(base, Kind::Heap, 7), Ok(()));
            let grave = space.grave(base).unwrap().0;
            assert_eq!((grave.kind, grave.size(), grave.birth, grave.death), (Kind::Heap, size, 3, 7));
            let offset = (size == small).then_some(4);
            assert_eq!(space.fault(base + 4, 1), Fault::Dead { grave, offset });
            assert_eq!(space.free(base, Kind::Heap, 8), Err(FreeFault::Twice(grave)));
        }
        let mark = space.stack_mark();
        let local = space.allocate_stack_born(large, 1, Kind::Stack, birth).unwrap();
        space.release_stack(mark, 9);
        let fault = space.fault(local + large - 1, 1);
        let Fault::Dead { grave, offset: None } = fault else { panic!("{fault:?}") };
        assert_eq!((grave.kind, grave.size(), grave.birth, grave.death), (Kind::Stack, large, 3, 9));
    }

    #[test]
    fn objects_start_where_their_alignment_says_and_are_freed_there() {
        let mut space = AddressSpace::default();
        for align in (0..=19).map(|k| 1 << k) {
            for size in [1, SLOT - align, SLOT, 3 * SLOT - 1] {
                let birth = Birth::default();
                let base = space.allocate_born(size, align, Kind::Heap, birth).unwrap();
                let local = space.allocate_stack_born(size, align, Kind::Stack, birth).unwrap();
                assert!(base % align == 0 && local % align == 0, "{align}");
                for (address, n) in [(base, size), (base + size - 1, 1), (local, size)] {
                    assert!(space.resolve(address, n).is_ok(), "{size} by {align}");
                }
                assert!(space.resolve(base + size, 1).is_err() && space.resolve(base - 1, 1).is_err());
                let next = space.allocate(1, Kind::Heap).unwrap();
                assert!(next >= base + size + GUARD);
                assert_eq!(space.free(base + 1, Kind::Heap, 7), Err(FreeFault::Invalid));
                assert_eq!(space.free(base, Kind::Heap, 7), Ok(()));
                assert!(matches!(space.free(base, Kind::Heap, 8), Err(FreeFault::Twice(_))));
                assert!(matches!(space.fault(base + size - 1, 1), Fault::Dead { .. }));
                assert!(space.resolve(next, 1).is_ok());
            }
        }
        assert_eq!(
            space.allocate_born(1, 2 * Target::X86_64.most_align(), Kind::Heap, Birth::default()),
            None
        );
    }

    #[test]
    fn fixed_objects_lie_below_the_functions_or_between_globals_and_stack() {
        for target in [Target::X86_64, Target::I386] {
            let mut space = AddressSpace::of(target);
            for (address, size) in [(0xb8000, 4000), (0x4000_0000, 64)] {
                assert!(space.define(address, size), "{target:?} {address:#x}");
                assert!(space.resolve(address, size).is_ok(), "{target:?} {address:#x}");
            }
            assert!(!space.define(FUNCTION_BASE, 8), "{target:?}: a function's place");
            assert!(!space.define(target.stack_base(), 8), "{target:?}: the stack");
            let wide = target == Target::X86_64;
            assert_eq!(space.define(0xfee0_0000, 8), wide, "{target:?}");
        }
    }

    #[test]
    fn the_end_of_a_fixed_object_leaves_its_neighbour_alone() {
        let mut space = AddressSpace::default();
        let first = (100 * SLOT) + 2 * GUARD;
        let end = 101 * SLOT;
        assert!(space.define(first, end - first) && space.define(end, 8));
        assert_eq!(space.free(first, Kind::Mapped, 7), Ok(()));
        assert_eq!(space.heap_bytes(), 8);
        assert!(space.resolve(first, 1).is_err() && space.resolve(end, 8).is_ok());
        assert_eq!(
            space.free(end, Kind::Mapped, 7),
            Err(FreeFault::Invalid),
            "it starts at no place of ours"
        );
    }

    #[test]
    fn what_nobody_writes_of_a_very_large_object_costs_little() {
        let mut space = AddressSpace::default();
        let birth = Birth { place: 3, undefined: true, allocator: 0 };
        let size = MAX_OBJECT - 3;
        let allocate = |space: &mut AddressSpace| space.allocate_born(size, 1, Kind::Heap, birth).unwrap();
        let (a, b) = (allocate(&mut space), allocate(&mut space));
        space.fill(a + 5, 5 << 30, Byte::Known(7), Shadow::Defined).unwrap();
        space.store_known(a + (6 << 30), 8, 42).unwrap();
        let fork = space.clone();
        // To an aligned place, to one that is not, and within the object itself.
        space.copy(b, a, size, Shadow::Fresh).unwrap();
        space.copy(a + 1, a, size - 1, Shadow::Fresh).unwrap();
        for (base, moved) in [(b, 0), (a, 1)] {
            let at = |i: u64| base + i + moved;
            assert_eq!(space.load_known(at(4), 1), None, "nobody has written it");
            assert_eq!(space.load_known(at(5), 1), Some(7));
            assert_eq!(space.load_known(at((5 << 30) + 4), 1), Some(7));
            assert_eq!(space.load_known(at((5 << 30) + 5), 1), None);
            assert_eq!(space.read(at(6 << 30), 8).unwrap()[0], Byte::Known(42));
        }
        assert_eq!(fork.load_known(a + (6 << 30), 8), Some(42));
        assert_eq!(fork.load_known(b + (6 << 30), 8), None);
        assert!(space.resolve(a + size - 1, 1).is_ok() && space.resolve(a + size, 1).is_err());
    }
}
