//! Calls and returns: the call ops of `step.rs`. `frames.rs` makes and ends the frames.

use std::rc::Rc;
use std::sync::Arc;

use cleave_expr::Witness;
use cleave_program::code::{Args, FuncId, Function, NO_REG, Op, Operand, Program, Reg as RegIndex};
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE};
use cleave_program::{branch_ops, float_ops, other_ops, plain_ops, wide_ops};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::ops::frames::registers;
use crate::ops::signatures;
use crate::states::state::{Reg, State, Variable};
use crate::stop::{Flow, Stop};

fn run_of(function: &Function, args: Args) -> &[Operand] {
    &function.args[args.start as usize..args.start as usize + args.len as usize]
}

impl Engine {
    pub(crate) fn call_op(
        &mut self,
        program: &Arc<Program>,
        state: &mut State,
        witness: &Witness,
        op: &Op,
    ) -> Result<Flow, Stop> {
        let function = &program.functions[state.frame.func as usize];
        match *op {
            Op::Call { func, dst, args, n } => {
                self.enter(program, state, func, dst, run_of(function, args), None)?;
                state.instructions += n as u64;
            }
            Op::CallVar { func, dst, args, varargs, n } => {
                let variable = self.variables(state, function, varargs);
                self.enter(program, state, func, dst, run_of(function, args), Some(variable))?;
                state.instructions += n as u64;
            }
            Op::CallIndirect { call, n } => {
                let call = &function.indirect[call as usize];
                let pointer = state.get(&function.constants, call.target);
                self.used(state, pointer, "the function that is called")?;
                let target = self.called(state, pointer)?;
                self.came_to(state, pointer);
                let id = target.wrapping_sub(FUNCTION_BASE) / FUNCTION_STRIDE;
                let exact = target >= FUNCTION_BASE
                    && target.wrapping_sub(FUNCTION_BASE).is_multiple_of(FUNCTION_STRIDE);
                let own = program.others.is_empty() || self.image(state).functions.contains(&(id as FuncId));
                let Some(callee) = program.functions.get(id as usize).filter(|_| exact && own) else {
                    return Err(Stop::bug(
                        BugKind::BadCall,
                        "a call through a pointer that is no function's",
                    ));
                };
                let mut link = self.spare.pop().unwrap_or_default();
                let values = registers(&mut link)?;
                values.clear();
                values.extend(run_of(function, call.args).iter().map(|&o| state.get(&function.constants, o)));
                let mut variable = call.varargs.map(|list| self.variables(state, function, list));
                let other_type = call.signature != callee.signature;
                if other_type {
                    let passed = self.passed(state, call, callee, values, variable)?;
                    (*values, variable) = (passed.regs, passed.variable);
                }
                if let Some(what) = callee.builtin {
                    self.beside_others(state, what)?;
                    let flow = self.builtin(state, witness, what, call.dst, values)?;
                    if !matches!(flow, Flow::Again) {
                        state.instructions += n as u64;
                    }
                    return Ok(flow);
                }
                self.enter_with(program, state, id as FuncId, call.dst, link, variable)?;
                state.frame.other_type = other_type;
                state.instructions += n as u64;
            }
            Op::Ret { vals, n } => {
                let vals = run_of(function, vals);
                self.leave(program, state, vals)?;
                state.instructions += n as u64;
            }
            plain_ops!() | branch_ops!() | other_ops!() | wide_ops!() | float_ops!() => {
                return Err(Stop::impossible("an op that is no call"));
            }
        }
        Ok(Flow::Elsewhere)
    }

    fn variables(&self, state: &State, function: &Function, list: u32) -> Rc<[Variable]> {
        let list = &function.varargs[list as usize];
        list.iter()
            .map(|v| Variable {
                low: state.get(&function.constants, v.value),
                high: if v.bits > 64 { state.get(&function.constants, v.value.high()) } else { Reg::ZERO },
                bits: v.bits,
                float: v.float,
                byval: v.byval,
                align: v.align,
                class: v.class,
            })
            .collect()
    }

    fn enter(
        &mut self,
        program: &Arc<Program>,
        state: &mut State,
        func: FuncId,
        dst: RegIndex,
        args: &[Operand],
        varargs: Option<Rc<[Variable]>>,
    ) -> Result<(), Stop> {
        let constants = &program.functions[state.frame.func as usize].constants;
        let params = program.functions[func as usize].params as usize;
        let mut link = self.spare.pop().unwrap_or_default();
        let regs = registers(&mut link)?;
        regs.clear();
        regs.extend(args.iter().take(params).map(|&o| state.get(constants, o)));
        self.enter_with(program, state, func, dst, link, varargs)
    }

    fn leave(&mut self, program: &Arc<Program>, state: &mut State, vals: &[Operand]) -> Result<(), Stop> {
        let constants = &program.functions[state.frame.func as usize].constants;
        let one: [Reg; 1];
        let mut many: Vec<Reg>;
        let mut values: &[Reg] = match vals {
            [] => &[],
            [a] => {
                one = [state.get(constants, *a)];
                &one
            }
            _ => {
                many = vals.iter().map(|&o| state.get(constants, o)).collect();
                &many
            }
        };
        if state.callers.is_none() {
            let status = values.first().copied().unwrap_or(Reg::ZERO);
            return self.exit(state, status, true).map(|never| match never {});
        }
        let (dst, func, other_type) = (state.frame.dst, state.frame.func, state.frame.other_type);
        let caller = state.callers.as_ref().filter(|_| other_type);
        if let Some(wanted) = caller.and_then(|caller| signatures::wanted(program, &caller.frame)) {
            many = self.returned(state, &program.functions[func as usize], values, wanted)?;
            values = &many;
        }
        self.pop_frame(state);
        if dst != NO_REG {
            for (i, &v) in values.iter().enumerate() {
                if let Some(r) = state.frame.regs.get_mut(dst as usize + i) {
                    *r = v;
                }
            }
        }
        state.frame.pc += 1;
        Ok(())
    }
}
