//! The heap: `failing.rs` calls the allocator.

use cleave_memory::{Birth, Byte, Fault, FreeFault, Kind, Shadow};
use cleave_program::code::Builtin;
use cleave_program::layout::Target;
use cleave_program::{klee_builtins, system_builtins};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::memory::addresses::{FEW_ADDRESSES, MOST_ANYWHERE};
use crate::memory::alignments::LEAST_OF_POSIX;
use crate::memory::pointers::AccessTarget;
use crate::memory::sizes::Size;
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::undefined::shaded_memory::{birth_of, mixed};

pub(crate) const ENOMEM: u64 = 12;
pub(crate) const EINVAL: u64 = 22;

/// Least size in bytes for which the heap of 32 bits may have no room, while it has for others. A path with fewer bytes to
/// allocate, and no room, has made more objects than there are slots, which is no program's fault.
const LARGE: u64 = 1 << 24;

/// Maximum number of bytes of an object of symbolic size that `realloc` moves byte by byte. Of larger ones it moves pages, and what was behind
/// the end of the old object counts as set in the new one if anything ever stood there.
const MOST_MOVED: u64 = 1 << 20;

impl Engine {
    /// `malloc` and its relatives that make or free objects: the result, if there is one.
    pub(crate) fn heap(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Option<u64>, Stop> {
        let arg = |i: usize| args.get(i).copied().unwrap_or(Reg::ZERO);
        let mut birth = self.birth(self.here_in_program(state));
        birth.allocator = self.allocator_at_hand(state);
        Ok(Some(match what {
            Builtin::Malloc => {
                let size = self.size_given(state, arg(0))?;
                self.allocated(state, size, birth)?.unwrap_or(0)
            }
            Builtin::Calloc => {
                let size = self.size_of_elements(state, arg(0), arg(1))?;
                let birth = Birth { undefined: false, ..birth };
                let address = size.map(|size| self.allocated(state, size, birth)).transpose()?;
                address.flatten().unwrap_or(0)
            }
            Builtin::Realloc => {
                let old = self.heap_pointer(state, arg(0))?;
                let size = self.size_given(state, arg(1))?;
                self.came_to(state, arg(0));
                self.reallocate(state, old, size, birth)?
            }
            Builtin::Free => {
                let address = self.heap_pointer(state, arg(0))?;
                if address != 0 {
                    self.plain_point(state, None)?;
                    self.freed_by_its_kind(state, address)?;
                    self.came_to(state, arg(0));
                }
                self.free(state, address)?;
                return Ok(None);
            }
            Builtin::Memalign => {
                let Some(align) = self.asked_alignment(state, arg(0), 0)? else { return Ok(Some(0)) };
                let size = self.size_given(state, arg(1))?;
                self.allocated_aligned(state, size, align, birth)?.unwrap_or(0)
            }
            Builtin::PosixMemalign => self.posix_memalign(state, [arg(0), arg(1), arg(2)], birth)?,
            Builtin::MallocUsableSize | klee_builtins!() | system_builtins!() => {
                return Err(Stop::impossible("a builtin that makes or frees no object of the heap"));
            }
        }))
    }

    fn allocated(&self, state: &mut State, size: Size, birth: Birth) -> Result<Option<u64>, Stop> {
        self.allocated_aligned(state, size, 1, birth)
    }

    /// A new object; `None` if there is no memory for it. A refusal that is the model's own is noted.
    fn allocated_aligned(
        &self,
        state: &mut State,
        size: Size,
        align: u64,
        birth: Birth,
    ) -> Result<Option<u64>, Stop> {
        let (bytes, largest) = (size.most(), self.largest_object());
        if bytes < LARGE && !state.memory.has_room(bytes) {
            return Err(Stop::unsupported(FEW_ADDRESSES));
        }
        let address = if bytes > largest { None } else { self.heap_object(state, size, align, birth) };
        if align > self.program.target.most_align() {
            state.kernel.make_up(match self.program.target {
                Target::X86_64 => "memory with an alignment of more than 512 KiB is refused (NULL)",
                Target::I386 => "memory with an alignment of more than 8 KiB is refused (NULL)",
            });
        } else if address.is_none() && bytes < MOST_ANYWHERE {
            let limit = match (bytes > largest, self.program.target) {
                (true, Target::X86_64) => "an object of more than 16 GiB",
                (true, Target::I386) => "an object of more than 1 GiB",
                (false, Target::X86_64) => "a heap of more than 64 GiB",
                (false, Target::I386) => "a heap of more than 2 GiB",
            };
            state.kernel.make_up(&format!("malloc of {limit} fails (NULL)"));
        }
        Ok(address)
    }

    fn posix_memalign(
        &mut self,
        state: &mut State,
        [to, align, size]: [Reg; 3],
        birth: Birth,
    ) -> Result<u64, Stop> {
        let to = self.concrete(state, to)?;
        let Some(align) = self.asked_alignment(state, align, LEAST_OF_POSIX)? else { return Ok(EINVAL) };
        let size = self.size_given(state, size)?;
        // The address's target is checked before the allocation: an op decides before it changes anything.
        if let Err(fault @ Fault::Uncertain { .. }) =
            state.memory.resolve(to, self.program.target.pointer_bytes())
        {
            return Err(self.pointer_bug(&fault));
        }
        let Some(address) = self.allocated_aligned(state, size, align, birth)? else { return Ok(ENOMEM) };
        let bits = 8 * self.program.target.pointer_bytes() as u8;
        self.store(state, Reg::known(address), Reg::known(to), 0, bits)?;
        Ok(0)
    }

    /// `malloc_usable_size`: the size that was asked for.
    pub(crate) fn usable_size(&mut self, state: &State, pointer: Reg) -> Result<Reg, Stop> {
        let address = self.heap_pointer(state, pointer)?;
        Ok(match state.memory.object(address) {
            Some(o) if o.base == address => o.extent.map_or(Reg::known(o.size), Reg::symbolic),
            _ => Reg::ZERO,
        })
    }

    /// A pointer that is to be the start of an object of the heap, or null: a path for each such value that it can have. All
    /// its other values, if it has some, are one path, which ends in the bug.
    fn heap_pointer(&mut self, state: &State, r: Reg) -> Result<u64, Stop> {
        self.used(state, r, "a pointer to the heap")?;
        let Some(t) = r.term() else { return Ok(r.value) };
        let t = self.value(state, t);
        if self.terms.constant64(t).is_some() || self.few_values(t).is_some() {
            return self.concrete_term(state, t);
        }
        let (starts, certain) = match self.all_values(t) {
            Some(values) => (values, true),
            None => {
                let (lo, hi) = self.terms.range(t);
                let heap = state.memory.objects().filter(|o| o.kind == Kind::Heap).map(|o| o.base);
                (std::iter::once(0).chain(heap).filter(|a| (lo..=hi).contains(a)).collect(), false)
            }
        };
        match self.among(state, t, &starts, certain)? {
            Some(address) => Ok(address),
            None => {
                let what = self.symbolically_pointed_to(state, t);
                Err(Stop::bug(BugKind::InvalidFree, format!("the pointer that is freed {what}")))
            }
        }
    }

    fn free(&mut self, state: &mut State, address: u64) -> Result<(), Stop> {
        if address == 0 {
            return Ok(());
        }
        let size = state.memory.object(address).filter(|o| o.base == address).map_or(0, |o| o.size);
        self.note_access(state, address, size, true);
        let death = self.here_in_program(state).to_raw();
        state.memory.free(address, Kind::Heap, death).map_err(|fault| match fault {
            FreeFault::Twice(grave) => {
                let object = self.dead_name(grave);
                Stop::bug(BugKind::DoubleFree, format!("{object} is freed again"))
            }
            FreeFault::Invalid => {
                let what = self.pointed_to(state, address);
                Stop::bug(BugKind::InvalidFree, format!("the pointer that is freed {what}"))
            }
        })
    }

    fn reallocate(&mut self, state: &mut State, old: u64, size: Size, birth: Birth) -> Result<u64, Stop> {
        if old == 0 {
            return Ok(self.allocated(state, size, birth)?.unwrap_or(0));
        }
        let kept = match state.memory.object(old) {
            Some(o) if o.base == old && o.kind == Kind::Heap => o.size.min(size.most()),
            _ => 0,
        };
        if kept == 0 {
            self.free(state, old)?;
            return Ok(self.allocated(state, size, birth)?.unwrap_or(0));
        }
        let Some(new) = self.allocated(state, size, birth)? else { return Ok(0) };
        self.moved(state, new, old, kept)?;
        self.free(state, old)?;
        Ok(new)
    }

    /// Copies the bytes that `realloc` keeps, from the start of one object to that of another: at most `room` bytes of both.
    fn moved(&mut self, state: &mut State, new: u64, old: u64, room: u64) -> Result<(), Stop> {
        let symbolic = |base| state.memory.object(base).is_some_and(|o| o.extent.is_some());
        if !symbolic(old) && !symbolic(new) {
            return self.copied(state, AccessTarget::At(new), AccessTarget::At(old), room);
        }
        self.note_access(state, old, room, false);
        self.note_access(state, new, room, true);
        let fresh = self.fresh_shadow(state, old);
        if room > MOST_MOVED {
            return state.memory.copy_room(new, old, room, fresh).map_err(|f| self.pointer_bug(&f));
        }
        let fault = |fault: Fault| self.pointer_bug(&fault);
        let (from, _) = state.memory.resolve_decided(old, room).map_err(fault)?;
        let mut bytes: Vec<(Byte, Shadow)> = (0..room).map(|i| (from.get(i), from.shadow(i))).collect();
        for (_, shadow) in bytes.iter_mut().filter(|(_, shadow)| *shadow == Shadow::Fresh) {
            *shadow = fresh;
        }
        let (certain, extent) = (from.certain.min(room), from.extent);
        let (to, _) = state.memory.resolve_decided_mut(new, room).map_err(fault)?;
        // The program has set no byte behind the end of the old object.
        if let Some(extent) = extent {
            let (born, unset) = (birth_of(to), to.shadow(0));
            for (i, (byte, shadow)) in bytes.iter_mut().enumerate().skip(certain as usize) {
                let i = self.terms.constant_of(64, i as u128);
                let kept = self.terms.ult(i, extent);
                *shadow = mixed(&mut self.terms, &mut self.shades, kept, *shadow, unset, born);
                if *byte != Byte::Known(0) {
                    let (old, zero) = (byte.term(&mut self.terms), self.terms.constant_of(8, 0));
                    let t = self.terms.ite(kept, old, zero);
                    *byte = Byte::from_term(&self.terms, t);
                }
            }
        }
        for (i, (byte, shadow)) in (0..).zip(bytes) {
            to.set(i, byte);
            if shadow != Shadow::Defined {
                to.set_shadow(i, shadow);
            }
        }
        Ok(())
    }
}
