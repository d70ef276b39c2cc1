//! Functions that the engine executes itself when a program calls them by name. `step.rs` executes direct calls of them here,
//! `calls.rs` those through a pointer.

use std::convert::Infallible;
use std::rc::Rc;

use cleave_expr::Witness;
use cleave_linux::env::{ArgSpec, EnvSpec, SymbolicVariable};
use cleave_memory::Byte;
use cleave_program::code::{Builtin, NO_REG};
use cleave_program::{heap_builtins, klee_builtins};
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::library::guest::Called;
use crate::library::unwinding::frame_address;
use crate::memory::overlap::bad_length;
use crate::states::state::{JumpPoint, Reg, State};
use crate::stop::{End, Flow, Stop};
use crate::threads::execution;
use crate::threads::spins::spins_no_more;
use crate::threads::switching;

impl Engine {
    pub(crate) fn builtin(
        &mut self,
        state: &mut State,
        witness: &Witness,
        what: Builtin,
        dst: u32,
        args: &[Reg],
    ) -> Result<Flow, Stop> {
        use Builtin::*;
        let arg = |i: usize| args.get(i).copied().unwrap_or(Reg::ZERO);
        let result: Option<Reg> = match what {
            heap_builtins!() => self.allocator(state, what, args)?,
            Allocate | SizedInput => Some(self.start_object(state, what, [arg(0), arg(1), arg(2)])?),
            TextEnds => self.text_ends(state, arg(0), arg(1)).map(|()| None)?,
            Undefined => self.undefined(state, args).map(|()| None)?,
            Member => self.member_access(state, args).map(|()| None)?,
            SectionMember => self.section_access(state, args).map(|()| None)?,
            ExitStatus => self.status_returned(state, arg(0)).map(|()| None)?,
            Stuck => return Err(self.stuck(state, arg(0))),
            Misused => self.misused(state, arg(0)).map(|()| None)?,
            Closed => self.closed(state, arg(0)).map(|()| None)?,
            NumberWaits => Some(Reg::known(self.number_waits(state, args)?.into())),
            StreamCall => Some(self.stream_call(state, args)?),
            Memcpy | Memmove | Memset => Some(self.copy_or_fill(state, what, args)?),
            Copies => self.copies(state, args).map(|()| None)?,
            Syscall => return self.system_call(state, dst, args),
            SignalFrame => self.signal_frame(state, arg(0), arg(1)).map(|()| None)?,
            SignalReturn => return self.signal_return(state, arg(0)),
            Point | Ordered | BadUnlock | AtomicPoint | AtomicBegins | AtomicEnds => {
                return self.meeting(state, what, [arg(0), arg(1), arg(2)], dst);
            }
            ThreadLocal => Some(Reg::known(self.thread_local(state, arg(0))?)),
            ThreadPointer => Some(Reg::known(state.thread_pointer)),
            SetThreadPointer => {
                state.thread_pointer = self.concrete(state, arg(0))?;
                Some(Reg::ZERO)
            }
            EnvGet => {
                let (key, index) = (self.concrete(state, arg(0))?, self.concrete(state, arg(1))?);
                Some(Reg::known(self.environment(state, key, index as usize)))
            }
            EnvCopy | EnvCopyVar => {
                self.copy_environment(state, what, arg(0), arg(1))?;
                None
            }
            // A program that was started by `execve` finds the files made.
            MakeFiles if state.start.is_some() => None,
            MakeFiles => {
                self.kernel_call(state, |kernel, guest| kernel.make_files(guest))?;
                None
            }
            Setjmp => {
                self.set_jump(state, arg(0), args.get(1), dst)?;
                Some(Reg::ZERO)
            }
            Longjmp => return self.long_jump(state, arg(0), arg(1)),
            UnwindNext | UnwindValue | UnwindTo | Terminates => {
                return self.unwinding(state, what, dst, args);
            }
            FrameAddress | ReturnAddress => Some(self.frame_address(state, what, arg(0))?),
            CycleCounter => Some(Reg::known(state.kernel.look_at_clock())),
            VaStart => self.va_start(state, arg(0)).map(|()| None)?,
            VaCopy => self.va_copy(state, arg(0), arg(1)).map(|()| None)?,
            StackSave => Some(Reg::known(state.memory.stack_mark())),
            StackRestore => {
                let mark = self.concrete(state, arg(0))?;
                let death = self.here(state).to_raw();
                state.memory.release_stack(mark.max(state.frame.stack_mark), death);
                None
            }
            AssertFail => return Err(self.assertion(state, args)),
            Abort => return self.aborts(state),
            Rejects => return Err(Stop::End(End::Rejected)),
            ReachError => return Err(Stop::bug(BugKind::Reported, "the program reaches its error function")),
            Trap => return Err(Stop::bug(BugKind::Trap, "the program executes a trap")),
            Breakpoint => return Err(Stop::bug(BugKind::Breakpoint, "the program executes a breakpoint")),
            SetRounding | GetRounding | FltRounds | Exceptions => {
                Some(self.float_environment(state, what, arg(0))?)
            }
            Cpuid => Some(self.processor(state, arg(0), arg(1), arg(2))?),
            klee_builtins!() => self.intrinsic(state, witness, what, args)?,
        };
        if let Some(value) = result
            && dst != NO_REG
        {
            state.frame.regs[dst as usize] = value;
        }
        Ok(Flow::Next)
    }

    /// The address of a frame on the stack, or its return address; `level` counts the callers above the running function.
    fn frame_address(&mut self, state: &State, what: Builtin, level: Reg) -> Result<Reg, Stop> {
        let level = self.concrete(state, level)?;
        Ok(Reg::known(frame_address(state, what, level)))
    }

    /// A system call. Another process may have the turn afterwards.
    fn system_call(&mut self, state: &mut State, dst: u32, args: &[Reg]) -> Result<Flow, Stop> {
        let arg = |i: usize| args.get(i).copied().unwrap_or(Reg::ZERO);
        let nr = self.concrete(state, arg(0))?;
        if nr == cleave_linux::EXIT && state.kernel.has_threads() {
            return self.thread_ends(state);
        }
        if cleave_linux::EXITS.contains(&nr) {
            // An exit ends the other threads in the middle of their work, so it is a point between threads.
            if self.explores(state) && self.is_seen(state, nr) {
                return self.call_point(state, nr, [0; 6]);
            }
            // `_exit` ends a program without the end of it: LeakSanitizer does not look there either.
            let frames = state.stack().map(|(func, _)| &self.program.functions[func as usize]);
            let orderly = frames.into_iter().any(|f| f.library && f.name == "exit");
            if state.kernel.maps_files() {
                let leaves = |kernel: &mut cleave_linux::Kernel, guest: &mut dyn cleave_linux::Guest| {
                    kernel.leave_files(guest);
                    Ok(())
                };
                self.kernel_call(state, leaves)?;
            }
            return self.exit(state, arg(1), orderly).map(|never| match never {});
        }
        let (rest, place) = self.call_arguments(state, nr, args)?;
        if nr != cleave_linux::SCHED_YIELD {
            spins_no_more(state);
        }
        if self.explores(state) && self.is_seen(state, nr) {
            return self.call_point(state, nr, rest);
        }
        if cleave_linux::TRANSFERS.contains(&nr) && (rest[2] as i64) < 0 {
            return Err(bad_length(cleave_linux::name_of(nr), rest[2]));
        }
        if cleave_linux::GIVES_MEMORY_BACK.contains(&nr) {
            switching::keep_shared(state);
        }
        if let Some(place) = state.kernel.far_position(nr, &rest) {
            let result = self.reg(place);
            return self.call_returns(state, dst, result);
        }
        let called = self.kernel_call_that_may_fail(state, nr, rest)?;
        self.call_is_made(state);
        let result = match called {
            Called::Done(result) => {
                self.accesses_are_ordered(state)?;
                self.order_of_call(state, nr);
                result
            }
            Called::Waits(wait) => {
                let futex = (nr == cleave_linux::FUTEX).then_some(rest[0]);
                return self.waits(state, &wait, futex).map(|()| Flow::Again);
            }
            Called::Executes(start) => return self.execute(state, *start).map(|()| Flow::Elsewhere),
        };
        self.check_descriptor(nr, rest[0], result)?;
        if self.after_call(state, dst, result)? {
            self.call_due_elsewhere(state)?;
            return Ok(Flow::Elsewhere);
        }
        let result = self.result_of_call(state, &rest, result, place);
        self.call_returns(state, dst, result)
    }

    /// The end of the program with this status, of which the low eight bits count: they must be defined. It is `orderly` by
    /// `exit` or by the end of `main`: then no object of the heap must be lost.
    pub(crate) fn exit(&mut self, state: &mut State, status: Reg, orderly: bool) -> Result<Infallible, Stop> {
        self.used_low(state, status, 8, "the exit status")?;
        self.decides(state, status);
        if orderly && self.options.checks.has(Family::Leak) {
            self.nothing_leaked(state)?;
        }
        Err(Stop::End(End::Exit(match status.term() {
            None => Byte::Known(status.value as u8),
            Some(t) => {
                let low = self.terms.resize(t, 8);
                Byte::from_term(&self.terms, low)
            }
        })))
    }

    /// Checks the result of `main`, which is about to return. It is the exit status, unless the program has called `main`
    /// itself; undefined bits of it are reported here, at the place that the program has the value from.
    fn status_returned(&mut self, state: &State, status: Reg) -> Result<(), Stop> {
        let caller = state.stack().nth(1);
        if caller.is_some_and(|(func, _)| !self.program.functions[func as usize].library) {
            return Ok(());
        }
        self.used_low(state, status, 8, "the exit status")
    }

    /// `cleave_env_get`: the start-up code asks for the argument list (see runtime/start.c).
    fn environment(&self, state: &State, key: u64, index: usize) -> u64 {
        if let Some(start) = &state.start {
            return execution::environment(start, key, index);
        }
        let env = &self.options.env;
        let spec = env.args.get(index);
        match (key, spec) {
            (0, _) => env.args.len() as u64,
            (1, Some(ArgSpec::Concrete(_))) => 0,
            (1, Some(ArgSpec::Symbolic { .. })) => 1,
            (1, Some(ArgSpec::Range { .. })) => 2,
            (2, Some(ArgSpec::Range { min, .. })) => *min as u64,
            (3, Some(ArgSpec::Range { max, .. })) => *max as u64,
            (4, Some(ArgSpec::Range { len, .. } | ArgSpec::Symbolic { len, .. })) => *len as u64,
            (5, Some(ArgSpec::Concrete(text))) => text.len() as u64,
            (6, _) => (env.vars.len() + env.symbolic_vars.len()) as u64,
            (10, _) => symbolic_var(env, index).map_or(0, |var| u64::from(var.len) + 1),
            (9, Some(ArgSpec::Range { least, .. } | ArgSpec::Symbolic { least, .. })) => *least as u64,
            (8, _) => env.fuzz_data.unwrap_or(0).into(),
            (7, _) => variable_text(env, index).len() as u64,
            _ => 0,
        }
    }

    fn copy_environment(
        &mut self,
        state: &mut State,
        what: Builtin,
        index: Reg,
        dst: Reg,
    ) -> Result<(), Stop> {
        let index = self.concrete(state, index)? as usize;
        let dst = self.concrete(state, dst)?;
        if let Some(start) = &state.start {
            let text = execution::text(start, what, index);
            return state.memory.write(dst, &text).map_err(|f| self.pointer_bug(&f));
        }
        let env = &self.options.env;
        let mut text = match (what, env.args.get(index)) {
            (Builtin::EnvCopy, Some(ArgSpec::Concrete(text))) => text.clone(),
            (Builtin::EnvCopyVar, _) => variable_text(env, index),
            _ => Vec::new(),
        };
        text.push(0);
        let bytes: Vec<_> = text.into_iter().map(cleave_memory::Byte::Known).collect();
        state.memory.write(dst, &bytes).map_err(|f| self.pointer_bug(&f))
    }

    /// The buffer gets the number of the place, from 1. The signal mask is kept if `saves` is not zero (`sigsetjmp`).
    fn set_jump(
        &mut self,
        state: &mut State,
        buffer: Reg,
        saves: Option<&Reg>,
        dst: u32,
    ) -> Result<(), Stop> {
        let buffer = self.concrete(state, buffer)?;
        let saves = match saves {
            Some(&saves) => self.concrete(state, saves)? as u32 != 0,
            None => false,
        };
        let mask = saves.then(|| state.kernel.signal_mask());
        let number = state.jumps.len() as u64 + 1;
        self.store(state, Reg::known(number), Reg::known(buffer), 0, 64)?;
        let point = JumpPoint { frame: state.frame.id, pc: state.frame.pc, dst, mask };
        Rc::make_mut(&mut state.jumps).push(point);
        Ok(())
    }

    fn long_jump(&mut self, state: &mut State, buffer: Reg, value: Reg) -> Result<Flow, Stop> {
        let number = self.load(state, buffer, 0, 64)?;
        let number = self.concrete(state, number)?;
        let value = self.concrete(state, value)? & 0xffff_ffff;
        let bad = || Stop::bug(BugKind::BadCall, "a longjmp to no place that setjmp has set");
        let point = *state.jumps.get((number as usize).wrapping_sub(1)).ok_or_else(bad)?;
        if !frame_lives(state, point.frame) {
            return Err(Stop::bug(BugKind::BadCall, "a longjmp to a function that has returned"));
        }
        while state.frame.id != point.frame {
            self.leave_by_jump(state);
        }
        if point.dst != NO_REG {
            state.frame.regs[point.dst as usize] = Reg::known(if value == 0 { 1 } else { value });
        }
        state.frame.pc = point.pc + 1;
        self.block_again(state, point.mask)?;
        Ok(Flow::Elsewhere)
    }

    fn assertion(&mut self, state: &State, args: &[Reg]) -> Stop {
        let text = match args.first() {
            Some(&expr) => self.text_at(state, expr).unwrap_or_default(),
            None => String::new(),
        };
        Stop::bug(BugKind::Assertion, format!("the assertion `{text}` fails"))
    }
}

/// The variable with this index, if its value is an input: these stand behind the known ones.
fn symbolic_var(env: &EnvSpec, index: usize) -> Option<&SymbolicVariable> {
    env.symbolic_vars.get(index.checked_sub(env.vars.len())?)
}

/// The known part of the text of the variable with this index, without its NUL.
fn variable_text(env: &EnvSpec, index: usize) -> Vec<u8> {
    match env.vars.get(index) {
        Some((name, value)) => [name, &b"="[..], value].concat(),
        None => symbolic_var(env, index).map_or_else(Vec::new, |var| [var.name.as_bytes(), b"="].concat()),
    }
}

fn frame_lives(state: &State, id: u32) -> bool {
    if state.frame.id == id {
        return true;
    }
    let mut next = state.callers.as_deref();
    while let Some(caller) = next {
        if caller.frame.id == id {
            return true;
        }
        next = caller.next.as_deref();
    }
    false
}
