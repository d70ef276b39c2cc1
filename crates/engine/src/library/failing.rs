//! Allocations and system calls that fail because the options of the run let them, and reads and writes that move less: each
//! call is a decision, on an input of its own.

use cleave_expr::Term;
use cleave_linux::{
    Errno, FAILING_CALL_OBJECT, FAULTED_CALL, Failures, Guest, Kernel, SHORT_CALL_OBJECT, Stop as KernelStop,
    succeeded,
};
use cleave_memory::Byte;
use cleave_program::code::Builtin;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::library::guest::Called;
use crate::memory::heap::{EINVAL, ENOMEM};
use crate::states::state::{Failing, Reg, State};
use crate::stop::Stop;

/// The input that decides if a call of the allocator fails: one byte, which is not zero if it does. The native runtime looks
/// for this name in a test (runtime/allocations.c).
const FAILING_OBJECT: &str = "malloc_fails";

impl Engine {
    /// `malloc` and its relatives: the result, if there is one.
    pub(crate) fn allocator(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Option<Reg>, Stop> {
        if what == Builtin::MallocUsableSize {
            let pointer = args.first().copied().unwrap_or(Reg::ZERO);
            return self.usable_size(state, pointer).map(Some);
        }
        let allocates = what != Builtin::Free;
        let fails = allocates
            && state.failing.left > 0
            && self.fails(state, |s| &mut s.failing, FAILING_OBJECT, 1)?;
        let result = match (fails, what) {
            (false, _) => self.heap(state, what, args)?,
            (true, Builtin::PosixMemalign) => Some(ENOMEM),
            (true, _) => Some(0),
        };
        if result == Some(0) && allocates && what != Builtin::PosixMemalign {
            let refused =
                what == Builtin::Memalign && !fails && self.asked_alignment(state, args[0], 0)?.is_none();
            self.set_errno(state, if refused { EINVAL } else { ENOMEM })?;
        }
        state.failing.decided(fails);
        if let Some(address) = result.filter(|_| allocates) {
            self.note_allocation(state, address);
        }
        Ok(result.map(Reg::known))
    }

    /// One system call on the model of the kernel, or its failure: the value that it leaves in `rax`. A call that has waited
    /// was decided when it ran first.
    pub(crate) fn kernel_call_that_may_fail(
        &mut self,
        state: &mut State,
        nr: u64,
        args: [u64; 6],
    ) -> Result<Called<u64>, Stop> {
        let moved = match self.waits_for_outcome(state) {
            true => self.outcome(state, nr, args)?,
            false => None,
        };
        let failure = self.failure(state, nr, args, moved)?;
        let short = failure.is_none() && self.is_short(state, nr, args, moved)?;
        let result = match failure {
            Some(errno) => Called::Done(errno.result()),
            None => {
                let faults = !self.options.checks.has(Family::Efault);
                self.kernel_call(state, |kernel, guest| {
                    let (nr, args) = match short {
                        true => kernel.shortened(nr, args, guest)?.unwrap_or((nr, args)),
                        false => (nr, args),
                    };
                    call(kernel, guest, nr, args, faults)
                })?
            }
        };
        state.failing_calls.decided(failure.is_some());
        state.short_calls.decided(short);
        Ok(result)
    }

    /// True if the ways in which a call can fail depend on the result that it would have.
    fn waits_for_outcome(&self, state: &State) -> bool {
        let named = self.options.env.failures == Failures::Named;
        !state.kernel.resumes() && (state.short_calls.left > 0 || state.failing_calls.left > 0 && named)
    }

    /// The value that the call leaves in `rax` if it is done unchanged; `None` if it fails, or does not return.
    fn outcome(&mut self, state: &State, nr: u64, args: [u64; 6]) -> Result<Option<u64>, Stop> {
        let faults = !self.options.checks.has(Family::Efault);
        let mut trial = state.clone();
        let to_its_end = |kernel: &mut Kernel, guest: &mut dyn Guest| {
            let result = kernel.syscall_to_its_end(nr, args, guest);
            if faults && matches!(result, Err(KernelStop::Fault { .. })) { Ok(FAULTED_CALL) } else { result }
        };
        match self.kernel_call(&mut trial, to_its_end) {
            Ok(Called::Done(result)) => Ok(Some(result).filter(|&result| succeeded(result))),
            Ok(Called::Waits(_) | Called::Executes(_)) => Ok(None),
            Err(open @ (Stop::Decide { .. } | Stop::Uncertain { .. })) => Err(open),
            Err(_) => Ok(None),
        }
    }

    /// The error with which a call fails at will, if it does. It is decided from the greatest error down: a byte that
    /// is none of the errors means the one below it.
    fn failure(
        &mut self,
        state: &mut State,
        nr: u64,
        args: [u64; 6],
        outcome: Option<u64>,
    ) -> Result<Option<Errno>, Stop> {
        let failures = self.options.env.failures;
        let named = failures == Failures::Named;
        if state.failing_calls.left == 0 || state.kernel.resumes() || named && outcome.is_none() {
            return Ok(None);
        }
        let errors = state.kernel.failures(failures, nr, args);
        let Some((&first, others)) = errors.split_first() else { return Ok(None) };
        let least = failures.least_byte(first);
        if !self.fails(state, |s| &mut s.failing_calls, FAILING_CALL_OBJECT, least)? {
            return Ok(None);
        }
        for &errno in others.iter().rev() {
            let least = failures.least_byte(errno);
            if self.fails(state, |s| &mut s.failing_calls, FAILING_CALL_OBJECT, least)? {
                return Ok(Some(errno));
            }
        }
        Ok(Some(first))
    }

    /// Decides if a read or write of several bytes moves only one.
    fn is_short(
        &mut self,
        state: &mut State,
        nr: u64,
        args: [u64; 6],
        outcome: Option<u64>,
    ) -> Result<bool, Stop> {
        if state.short_calls.left == 0 || outcome.is_none_or(|moved| moved < 2) {
            return Ok(false);
        }
        let mut trial = state.clone();
        let shorter = self.kernel_call(&mut trial, |kernel, guest| kernel.shortened(nr, args, guest))?;
        let shorter = matches!(shorter, Called::Done(Some(_)));
        Ok(shorter && self.fails(state, |s| &mut s.short_calls, SHORT_CALL_OBJECT, 1)?)
    }

    /// Decides if the byte of the call at hand, in its input under this name, is at least `least`.
    fn fails(
        &mut self,
        state: &mut State,
        failing: fn(&mut State) -> &mut Failing,
        name: &str,
        least: u8,
    ) -> Result<bool, Stop> {
        let byte = self.byte_at_will(state, failing, name);
        let fails = match least {
            1 => {
                let zero = self.terms.constant_of(8, 0);
                self.terms.ne(byte, zero)
            }
            _ => {
                let least = self.terms.constant_of(8, least.into());
                self.terms.ule(least, byte)
            }
        };
        self.decide(state, fails)
    }

    /// Decides if the byte of the choice at hand, in its input under this name, is `value`.
    pub(crate) fn is_byte(
        &mut self,
        state: &mut State,
        of: fn(&mut State) -> &mut Failing,
        name: &str,
        value: u8,
    ) -> Result<bool, Stop> {
        let byte = self.byte_at_will(state, of, name);
        let value = self.terms.constant_of(8, value.into());
        let is = self.terms.eq(byte, value);
        self.decide(state, is)
    }

    /// The one byte of the input of the call or choice at hand.
    fn byte_at_will(
        &mut self,
        state: &mut State,
        failing: fn(&mut State) -> &mut Failing,
        name: &str,
    ) -> Term {
        let object = match failing(state).asked {
            Some(object) => object,
            None => {
                let object = state.inputs.len() as u32;
                self.new_input(&mut state.inputs, name, 1);
                failing(state).asked = Some(object);
                object
            }
        };
        self.terms.byte(object, 0)
    }

    fn set_errno(&mut self, state: &mut State, errno: u64) -> Result<(), Stop> {
        let at = state.thread_pointer.wrapping_add(self.program.target.errno_offset());
        let bytes = (errno as u32).to_le_bytes().map(Byte::Known);
        match state.thread_pointer {
            0 => Ok(()),
            _ => state.memory.write(at, &bytes).map_err(|f| self.pointer_bug(&f)),
        }
    }
}

/// One call of the kernel. With `faults`, a call with a bad pointer has no effect, and fails with EFAULT.
fn call(
    kernel: &mut Kernel,
    guest: &mut dyn Guest,
    nr: u64,
    args: [u64; 6],
    faults: bool,
) -> Result<u64, KernelStop> {
    // Only with `faults`: while a copy is held, the kernel copies each part that it changes.
    let before = faults.then(|| kernel.clone());
    match (kernel.syscall(nr, args, guest), before) {
        (Err(KernelStop::Fault { .. }), Some(before)) => {
            *kernel = before;
            Ok(FAULTED_CALL)
        }
        (other, _) => other,
    }
}
