//! Allocations and system calls that fail because the options of the run let them: each call is a decision, on an input of
//! its own.

use cleave_linux::{FAILED_CALL, FAILING_CALL_OBJECT, FAULTED_CALL};
use cleave_memory::Byte;
use cleave_program::code::Builtin;

use crate::checks::Family;
use crate::engine::Engine;
use crate::state::{Failing, Reg, State};
use crate::stop::Stop;

/// The input that says whether a call of the allocator fails: one byte, which is not zero where it does. The native runtime looks for this
/// name in a test (runtime/allocations.c).
const FAILING_OBJECT: &str = "malloc_fails";

pub(crate) const ENOMEM: u64 = 12;
pub(crate) const EINVAL: u64 = 22;
/// Where errno is, from the thread pointer on; runtime/musl/init_tls.c checks it.
const ERRNO_OFFSET: u64 = 52;

impl Engine {
    /// `malloc` and its relatives: the result, if there is one.
    pub(crate) fn allocator(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Option<u64>, Stop> {
        let allocates = !matches!(what, Builtin::Free | Builtin::MallocUsableSize);
        let fails =
            allocates && state.failing.left > 0 && self.fails(state, |s| &mut s.failing, FAILING_OBJECT)?;
        let result = match (fails, what) {
            (false, _) => self.heap(state, what, args)?,
            (true, Builtin::PosixMemalign) => Some(ENOMEM),
            (true, _) => Some(0),
        };
        if result == Some(0) && allocates && what != Builtin::PosixMemalign {
            let refused =
                what == Builtin::Memalign && !fails && !self.concrete(state, args[0])?.is_power_of_two();
            self.set_errno(state, if refused { EINVAL } else { ENOMEM })?;
        }
        state.failing.decided(fails);
        Ok(result)
    }

    /// One system call on the model of the kernel, or its failure: what it leaves in `rax`.
    pub(crate) fn kernel_call_that_may_fail(
        &mut self,
        state: &mut State,
        nr: u64,
        args: [u64; 6],
    ) -> Result<u64, Stop> {
        let fails = state.failing_calls.left > 0
            && state.kernel.may_fail(nr, args)
            && self.fails(state, |s| &mut s.failing_calls, FAILING_CALL_OBJECT)?;
        let result = match fails {
            true => FAILED_CALL,
            false => {
                let faults = !self.options.checks.has(Family::Efault);
                self.kernel_call(state, |kernel, guest| {
                    // Only for what may be taken back: whoever holds a copy has the kernel copy what it changes.
                    let before = faults.then(|| kernel.clone());
                    match (kernel.syscall(nr, args, guest), before) {
                        (Err(cleave_linux::Stop::Fault { .. }), Some(before)) => {
                            *kernel = before;
                            Ok(FAULTED_CALL)
                        }
                        (other, _) => other,
                    }
                })?
            }
        };
        state.failing_calls.decided(fails);
        Ok(result)
    }

    fn fails(
        &mut self,
        state: &mut State,
        failing: fn(&mut State) -> &mut Failing,
        name: &str,
    ) -> Result<bool, Stop> {
        let object = match failing(state).asked {
            Some(object) => object,
            None => {
                let object = state.inputs.len() as u32;
                let mut inputs = std::mem::take(&mut state.inputs);
                self.new_input(&mut inputs, name, 1);
                state.inputs = inputs;
                failing(state).asked = Some(object);
                object
            }
        };
        let byte = self.terms.byte(object, 0);
        let zero = self.terms.constant_of(8, 0);
        let fails = self.terms.ne(byte, zero);
        self.decide(state, fails)
    }

    fn set_errno(&mut self, state: &mut State, errno: u64) -> Result<(), Stop> {
        let at = state.thread_pointer.wrapping_add(ERRNO_OFFSET);
        let bytes = (errno as u32).to_le_bytes().map(Byte::Known);
        match state.thread_pointer {
            0 => Ok(()),
            _ => state.memory.write(at, &bytes).map_err(|f| self.pointer_bug(&f)),
        }
    }
}
