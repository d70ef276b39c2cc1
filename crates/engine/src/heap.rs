//! The heap, and copying and filling of memory.

use cleave_memory::{Birth, Byte, FreeFault, Kind, MAX_OBJECT, Shadow};
use cleave_program::code::Builtin;
use cleave_program::layout::MOST_ALIGN;
use cleave_program::{klee_builtins, system_builtins};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::failing::{EINVAL, ENOMEM};
use crate::overlap::{bad_length, no_object_has};
use crate::state::{Reg, State};
use crate::stop::Stop;

/// More bytes than this no machine gives a program: its address space ends here.
const MOST_ANYWHERE: u64 = 1 << 47;

/// Copies and fills of more bytes than this share pages, so that what nobody has written stays cheap.
const MANY: u64 = 1 << 16;

/// What `size` bytes of the heap were answered with. A refusal that is the model's own is noted.
fn noted(state: &mut State, size: u64, address: Option<u64>) -> Option<u64> {
    if address.is_none() && size < MOST_ANYWHERE {
        let limit =
            if size > MAX_OBJECT { "an object of more than 16 GiB" } else { "a heap of more than 64 GiB" };
        state.kernel.make_up(&format!("malloc of {limit} fails (NULL)"));
    }
    address
}

/// As [`noted`], of an address with an alignment.
fn noted_aligned(state: &mut State, size: u64, align: u64, address: Option<u64>) -> Option<u64> {
    if align > MOST_ALIGN {
        state.kernel.make_up("memory with an alignment of more than 512 KiB is refused (NULL)");
        return None;
    }
    noted(state, size, address)
}

/// The name of a memory function, as programs write it.
fn name(what: Builtin) -> &'static str {
    match what {
        Builtin::Memset => "memset",
        Builtin::Memmove => "memmove",
        _ => "memcpy",
    }
}

impl Engine {
    /// `malloc` and its relatives: the result, if there is one.
    pub(crate) fn heap(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Option<u64>, Stop> {
        let mut values = [0; 3];
        for (i, (value, &arg)) in values.iter_mut().zip(args).enumerate() {
            let pointer =
                i == 0 && matches!(what, Builtin::Free | Builtin::Realloc | Builtin::MallocUsableSize);
            *value = if pointer { self.heap_pointer(state, arg)? } else { self.concrete(state, arg)? };
        }
        let [a, b, c] = values;
        let birth = self.birth(self.here_in_program(state));
        Ok(Some(match what {
            Builtin::Malloc => {
                let got = state.memory.allocate_born(a, 1, Kind::Heap, birth);
                noted(state, a, got).unwrap_or(0)
            }
            Builtin::Calloc => match a.checked_mul(b) {
                Some(size) => {
                    let birth = Birth { undefined: false, ..birth };
                    let got = state.memory.allocate_born(size, 1, Kind::Heap, birth);
                    noted(state, size, got).unwrap_or(0)
                }
                None => 0,
            },
            Builtin::Realloc => self.reallocate(state, a, b, birth)?,
            Builtin::Free => {
                self.free(state, a)?;
                return Ok(None);
            }
            Builtin::Memalign => match a.is_power_of_two() {
                true => {
                    let got = state.memory.allocate_born(b, a, Kind::Heap, birth);
                    noted_aligned(state, b, a, got).unwrap_or(0)
                }
                false => 0,
            },
            Builtin::PosixMemalign => {
                if !b.is_power_of_two() || b < 8 {
                    EINVAL
                } else {
                    let got = state.memory.allocate_born(c, b, Kind::Heap, birth);
                    match noted_aligned(state, c, b, got) {
                        Some(address) => {
                            self.store(state, Reg::known(address), Reg::known(a), 0, 64)?;
                            0
                        }
                        None => ENOMEM,
                    }
                }
            }
            Builtin::MallocUsableSize => match state.memory.object(a) {
                Some(o) if o.base == a => o.size,
                _ => 0,
            },
            klee_builtins!() | system_builtins!() => {
                return Err(Stop::impossible("a builtin that is no function of the heap"));
            }
        }))
    }

    /// A pointer that is to be the start of an object of the heap, or null: a path for each that it can be, and where it
    /// can be anything else, one for all of that, which is the bug.
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

    fn reallocate(&mut self, state: &mut State, old: u64, size: u64, birth: Birth) -> Result<u64, Stop> {
        if old == 0 {
            let got = state.memory.allocate_born(size, 1, Kind::Heap, birth);
            return Ok(noted(state, size, got).unwrap_or(0));
        }
        let kept = match state.memory.object(old) {
            Some(o) if o.base == old && o.kind == Kind::Heap => o.size.min(size),
            _ => 0,
        };
        if kept == 0 {
            self.free(state, old)?;
            let got = state.memory.allocate_born(size, 1, Kind::Heap, birth);
            return Ok(noted(state, size, got).unwrap_or(0));
        }
        let got = state.memory.allocate_born(size, 1, Kind::Heap, birth);
        let Some(new) = noted(state, size, got) else { return Ok(0) };
        self.copied(state, new, old, kept)?;
        self.free(state, old)?;
        Ok(new)
    }

    /// `memcpy`, `memmove` and `memset`; the result is the first argument.
    pub(crate) fn copy_or_fill(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Reg, Stop> {
        let [dst, second, len] = args else {
            return Err(Stop::impossible("a memory function without arguments"));
        };
        let len = self.concrete(state, *len)?;
        if len == 0 {
            return Ok(*dst);
        }
        if no_object_has(state, len) {
            return Err(bad_length(name(what), len));
        }
        let to = self.address(state, *dst, len)?;
        if what == Builtin::Memset {
            let t = self.term(32, *second);
            let t = self.terms.resize(t, 8);
            let byte = Byte::from_term(&self.terms, t);
            let shadow = self.truncated(8, *second).shade().map_or(Shadow::Defined, Shadow::Shaded);
            self.filled(state, to, len, (byte, shadow))?;
        } else {
            let from = self.address(state, *second, len)?;
            state.memory.resolve(from, len).map_err(|f| self.pointer_bug(&f))?;
            if what == Builtin::Memcpy && to != from && to.abs_diff(from) < len {
                self.overlapping_copy(state, (to, from), len)?;
            }
            self.copied(state, to, from, len)?;
        }
        Ok(Reg::known(to))
    }

    fn filled(
        &mut self,
        state: &mut State,
        to: u64,
        len: u64,
        (byte, shadow): (Byte, Shadow),
    ) -> Result<(), Stop> {
        self.note_access(state, to, len, true);
        if len > MANY {
            return state.memory.fill(to, len, byte, shadow).map_err(|f| self.pointer_bug(&f));
        }
        state.memory.resolve(to, len).map_err(|f| self.pointer_bug(&f))?;
        let shadows = (shadow != Shadow::Defined).then(|| vec![shadow; len as usize]);
        self.write_shadowed(state, to, &vec![byte; len as usize], shadows.as_deref())
    }

    /// Copies bytes with what is known of their definedness; the two places may overlap.
    fn copied(&mut self, state: &mut State, to: u64, from: u64, len: u64) -> Result<(), Stop> {
        self.note_access(state, from, len, false);
        self.note_access(state, to, len, true);
        if len > MANY {
            let fresh = self.fresh_shadow(state, from);
            return state.memory.copy(to, from, len, fresh).map_err(|f| self.pointer_bug(&f));
        }
        let bytes = state.memory.read(from, len).map_err(|f| self.pointer_bug(&f))?;
        let shadows = self.shadows_at(state, from, len);
        self.write_shadowed(state, to, &bytes, shadows.as_deref())
    }
}
