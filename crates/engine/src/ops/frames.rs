//! Frames of calls: made, ended, and the stack that they take. Ended ones are kept for later calls.

use std::rc::Rc;
use std::sync::Arc;

use cleave_program::code::{FuncId, NO_REG, Program, Reg as RegIndex};
#[cfg(feature = "jit")]
use cleave_program::code::{Function, Op};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::states::state::{Caller, Reg, State, Variable};
use crate::stop::Stop;

/// Bytes of stack that a program has, as on Linux.
pub(crate) const STACK_LIMIT: u64 = 8 << 20;
/// Bytes that a frame takes beside its variables: return address, saved registers.
pub(crate) const FRAME_COST: u64 = 48;
/// Maximum number of ended frames kept for later calls.
const MOST_SPARE: usize = 64;

impl Engine {
    /// Calls a function that the program does not call itself, with these arguments. Its result goes nowhere.
    pub(crate) fn enter_values(
        &mut self,
        program: &Arc<Program>,
        state: &mut State,
        func: FuncId,
        values: &[Reg],
    ) -> Result<(), Stop> {
        let mut link = self.spare.pop().unwrap_or_default();
        let regs = registers(&mut link)?;
        regs.clear();
        regs.extend_from_slice(values);
        self.enter_with(program, state, func, NO_REG, link, None)
    }

    /// As [`Engine::enter`]; the registers of `link` are the arguments' values, and become the new frame's. The link
    /// then holds the caller's frame.
    pub(crate) fn enter_with(
        &mut self,
        program: &Arc<Program>,
        state: &mut State,
        func: FuncId,
        dst: RegIndex,
        mut link: Rc<Caller>,
        varargs: Option<Rc<[Variable]>>,
    ) -> Result<(), Stop> {
        let callee = &program.functions[func as usize];
        if callee.code.is_empty() {
            return Err(Stop::unsupported(cleave_program::missing(&callee.name)));
        }
        let caller = own(&mut link)?;
        caller.frame.regs.truncate(callee.params as usize);
        caller.frame.regs.resize(callee.registers as usize, Reg::ZERO);
        caller.next = state.callers.take();
        std::mem::swap(&mut caller.frame, &mut state.frame);
        let height = caller.frame.height + 1;
        let frame = &mut state.frame;
        (frame.func, frame.pc, frame.dst) = (func, 0, dst);
        (frame.stack_mark, frame.weight, frame.id) =
            (state.memory.stack_mark(), FRAME_COST, state.next_frame);
        (frame.varargs, frame.other_type, frame.height) = (varargs, false, height);
        state.next_frame += 1;
        state.stack_bytes += FRAME_COST;
        state.callers = Some(link);
        self.check_stack(state)
    }

    pub(crate) fn check_stack(&self, state: &State) -> Result<(), Stop> {
        if state.stack_bytes > STACK_LIMIT {
            return Err(Stop::bug(
                BugKind::StackOverflow,
                "the stack of 8 MiB is full: a recursion without end?",
            ));
        }
        if let Some(most) = self.options.max_stack_frames
            && state.frame.height >= most
        {
            return Err(Stop::bug(
                BugKind::TooManyFrames,
                format!("more than {most} functions are running, the most that --max-stack-frames allows"),
            ));
        }
        Ok(())
    }

    /// Ends the running frame; the caller's goes on at its call.
    pub(crate) fn pop_frame(&mut self, state: &mut State) {
        if state.memory.stack_mark() != state.frame.stack_mark {
            let death = self.here(state).to_raw();
            state.memory.release_stack(state.frame.stack_mark, death);
        }
        state.stack_bytes = state.stack_bytes.saturating_sub(state.frame.weight);
        let Some(mut link) = state.callers.take() else { return };
        match Rc::get_mut(&mut link) {
            Some(caller) => {
                state.callers = caller.next.take();
                std::mem::swap(&mut caller.frame, &mut state.frame);
                caller.frame.varargs = None;
                if self.spare.len() < MOST_SPARE {
                    self.spare.push(link);
                }
            }
            None => {
                state.callers.clone_from(&link.next);
                state.frame.copy_from(&link.frame);
            }
        }
    }
}

/// Makes a frame that compiled code has made and not ended a frame of a state that stands at its call.
#[cfg(feature = "jit")]
pub(crate) fn push_frame(
    spare: &mut Vec<Rc<Caller>>,
    state: &mut State,
    functions: &[Function],
    made: cleave_jit::Frame<'_>,
) -> Result<(), Stop> {
    let Op::Call { dst, .. } = functions[state.frame.func as usize].code[state.frame.pc as usize] else {
        return Err(Stop::impossible("a frame that no call has made"));
    };
    let mut link = spare.pop().unwrap_or_default();
    let caller = own(&mut link)?;
    caller.frame.regs.clear();
    caller.frame.regs.extend_from_slice(made.registers);
    caller.next = state.callers.take();
    std::mem::swap(&mut caller.frame, &mut state.frame);
    let height = caller.frame.height + 1;
    let frame = &mut state.frame;
    (frame.func, frame.pc, frame.dst) = (made.func, made.pc, dst);
    (frame.stack_mark, frame.weight, frame.id) = (made.stack_mark, made.weight, made.id);
    (frame.varargs, frame.other_type, frame.height) = (None, false, height);
    state.callers = Some(link);
    Ok(())
}

/// Exclusive access to a spare link; an error if it is shared.
pub(crate) fn own(link: &mut Rc<Caller>) -> Result<&mut Caller, Stop> {
    Rc::get_mut(link).ok_or_else(|| Stop::impossible("a spare frame that somebody holds"))
}

/// The registers of a spare link.
pub(crate) fn registers(link: &mut Rc<Caller>) -> Result<&mut Vec<Reg>, Stop> {
    Ok(&mut own(link)?.frame.regs)
}
