//! Exceptions: answers to the unwinder's questions about the stack (runtime/cxx/unwind.c), the jump to a landing pad, and the end of a
//! program by `std::terminate`. The unwinder names a frame by the number of frames below it, plus one.

use cleave_program::code::{Builtin, FuncId, Op, Pc, Reg as RegIndex, UnwindValue};
use cleave_program::layout::{
    FRAME_STRIDE, FRAMES, FRAMES_STRIDE_BITS, FUNCTION_BASE, FUNCTION_STRIDE, RETURN_PLACE_BITS,
};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::states::frame::Frame;
use crate::states::state::{Reg, State};
use crate::stop::{End, Flow, Stop};

/// The functions that throw: what stands above them on the stack belongs to the end of the program.
const THROWERS: [&str; 3] = ["__cxa_throw", "__cxa_rethrow", "std::rethrow_exception(std::exception_ptr)"];
/// A function of the compiler, which ends a program whose exception comes to a function that lets none pass.
const LETS_NONE_PASS: &str = "__clang_call_terminate";
/// The words in front of the exception in the text of libc++abi.
const DUE_TO: &str = "terminating due to ";

/// The words in front of the mistake in the text of a failed assertion of libc++.
const FAILED: &str = " failed: ";

/// The landing pad behind the call in which a frame is.
#[derive(Clone, Copy)]
struct Pad {
    /// The op that knows of it.
    at: Pc,
    pc: Pc,
    number: u32,
    dst: RegIndex,
}

fn number(frame: &Frame) -> u64 {
    u64::from(frame.height) + 1
}

impl Engine {
    fn pad(&self, frame: &Frame) -> Option<Pad> {
        let at = frame.pc.checked_add(1)?;
        let code = &self.program.functions.get(frame.func as usize)?.code;
        let Op::Lands { pad, number, dst, .. } = *code.get(at as usize)? else { return None };
        Some(Pad { at, pc: pad, number, dst })
    }

    /// Returns true if an exception that comes to a frame does not just go on to its caller.
    fn stops(&self, frame: &Frame) -> bool {
        self.never_unwinds(frame.func) || self.pad(frame).is_some()
    }

    fn never_unwinds(&self, func: FuncId) -> bool {
        self.program.functions.get(func as usize).is_some_and(|f| f.unwinding.never)
    }

    /// The builtins of the unwinder, and the end of a program that it asks for.
    pub(crate) fn unwinding(
        &mut self,
        state: &mut State,
        what: Builtin,
        dst: u32,
        args: &[Reg],
    ) -> Result<Flow, Stop> {
        let arg = |i: usize| args.get(i).copied().unwrap_or(Reg::ZERO);
        let (first, second, third) = (arg(0), arg(1), arg(2));
        let result = match what {
            Builtin::UnwindNext => self.unwind_next(state, first, second)?,
            Builtin::UnwindValue => self.unwind_value(state, first, second)?,
            Builtin::UnwindTo => return self.unwind_to(state, first, [second, third]),
            _ => return self.terminates(state, first),
        };
        if let Some(register) = state.frame.regs.get_mut(dst as usize) {
            *register = result;
        }
        Ok(Flow::Next)
    }

    /// `cleave_unwind_next`.
    fn unwind_next(&mut self, state: &State, frame: Reg, all: Reg) -> Result<Reg, Stop> {
        let (below, all) = (self.concrete(state, frame)?, self.concrete(state, all)? as u32 != 0);
        let mut above = state.frames().skip(1).filter(|f| below == 0 || number(f) < below);
        Ok(Reg::known(above.find(|f| all || self.stops(f)).map_or(0, number)))
    }

    /// The frame of a number among the callers of the running function, and how far it is from there.
    fn caller<'s>(&self, state: &'s State, wanted: u64) -> Result<(u64, &'s Frame), Stop> {
        let found = (0..).zip(state.frames()).skip(1).find(|(_, f)| number(f) == wanted);
        found.ok_or_else(|| Stop::bug(BugKind::BadCall, "an unwinding to a function that does not run"))
    }

    /// `cleave_unwind_value`.
    fn unwind_value(&mut self, state: &State, frame: Reg, what: Reg) -> Result<Reg, Stop> {
        let (wanted, what) = (self.concrete(state, frame)?, self.concrete(state, what)? as u32);
        let (level, frame) = self.caller(state, wanted)?;
        let unwinding = self.program.functions[frame.func as usize].unwinding;
        let pad = self.pad(frame);
        let Some(what) = UnwindValue::from_raw(what.into()) else {
            return Err(Stop::unsupported("an unknown question of the unwinder"));
        };
        Ok(Reg::known(match what {
            UnwindValue::Personality => unwinding.personality,
            UnwindValue::Table => unwinding.table,
            UnwindValue::Pad => pad.map_or(0, |pad| pad.number.into()),
            UnwindValue::Function => FUNCTION_BASE + u64::from(frame.func) * FUNCTION_STRIDE,
            UnwindValue::Address => frame_address(state, Builtin::ReturnAddress, level - 1),
            UnwindValue::Stack => frame_address(state, Builtin::FrameAddress, level),
            UnwindValue::Never => u64::from(unwinding.never && pad.is_none()),
        }))
    }

    /// `cleave_unwind_to`: ends the functions up to a frame, which goes on at its landing pad with two values.
    fn unwind_to(&mut self, state: &mut State, frame: Reg, values: [Reg; 2]) -> Result<Flow, Stop> {
        let wanted = self.concrete(state, frame)?;
        let (_, frame) = self.caller(state, wanted)?;
        let Some(pad) = self.pad(frame) else {
            return Err(Stop::bug(BugKind::BadCall, "an unwinding to a call that has no landing pad"));
        };
        let second = self.truncated(32, values[1]);
        while number(&state.frame) != wanted {
            self.leave_by_jump(state);
        }
        if let Some(slot) = self.coverage.open_landing(state.frame.func, pad.at) {
            self.pass(state, slot);
        }
        for (r, value) in [(pad.dst, values[0]), (pad.dst + 1, second)] {
            if let Some(register) = state.frame.regs.get_mut(r as usize) {
                *register = value;
            }
        }
        state.frame.pc = pad.pc;
        Ok(Flow::Elsewhere)
    }

    /// `cleave_terminates`: as `abort`, for this reason.
    fn terminates(&mut self, state: &mut State, text: Reg) -> Result<Flow, Stop> {
        let text = cleave_program::shortened(self.text_at(state, text).unwrap_or_default());
        let text = text.trim_end();
        match self.aborts(state) {
            Err(Stop::End(End::Bug(bug))) if bug.kind == BugKind::Abort => {
                Err(match (text.strip_prefix(DUE_TO), text.split_once(FAILED)) {
                    (Some(what), _) => {
                        Stop::bug(BugKind::UncaughtException, format!("{what}{}", self.where_it_stops(state)))
                    }
                    (None, Some((_, what))) => Stop::bug(
                        BugKind::Assertion,
                        format!("an assertion of the C++ library fails: {what}"),
                    ),
                    (None, None) => {
                        Stop::bug(BugKind::Abort, format!("the C++ library ends the program: {text}"))
                    }
                })
            }
            other => other,
        }
    }

    /// The function that lets the exception not pass, as a part of a sentence.
    fn where_it_stops(&self, state: &State) -> String {
        let function = |f: &Frame| self.program.functions.get(f.func as usize);
        let name = |f: &Frame| function(f).map_or("", |f| f.name.as_str());
        let mut frames = state.frames();
        if frames.any(|f| name(f) == LETS_NONE_PASS) {
            return match frames.next() {
                Some(f) if self.never_unwinds(f.func) => {
                    format!(", which must not leave `{}` (noexcept)", name(f))
                }
                Some(f) => {
                    format!(", thrown by a destructor while another exception unwinds `{}`", name(f))
                }
                None => String::new(),
            };
        }
        let mut thrown = state.frames().skip_while(|f| !THROWERS.contains(&name(f))).skip(1);
        let Some(wall) = thrown.find(|f| self.stops(f) && self.pad(f).is_none() || name(f) == "main") else {
            return String::new();
        };
        if name(wall) == "main" {
            return String::new();
        }
        // The function of the library that the program has called is better known than those behind it.
        let library = |f: &&Frame| function(f).is_some_and(|f| f.library);
        let called = thrown.take_while(library).last().filter(|_| library(&wall)).unwrap_or(wall);
        format!(", which cannot pass `{}`: it was compiled without exceptions", name(called))
    }
}

/// The frame of the function that is `level` callers above the running one, or its return address; null if there is none.
/// Frames of callers stand higher, as they do natively.
pub(crate) fn frame_address(state: &State, what: Builtin, level: u64) -> u64 {
    let level = usize::try_from(level).unwrap_or(usize::MAX);
    if what == Builtin::FrameAddress {
        let Some(frame) = state.frames().nth(level) else { return 0 };
        let above = (state.kernel.running_thread() % 256) << FRAMES_STRIDE_BITS;
        return FRAMES.end - above - (u64::from(frame.height) + 1) * FRAME_STRIDE;
    }
    let Some(caller) = state.frames().nth(level.saturating_add(1)) else { return 0 };
    let place = (u64::from(caller.func) << RETURN_PLACE_BITS) + u64::from(caller.pc) + 1;
    FRAMES.end + place % (FRAMES.end - FRAMES.start)
}
