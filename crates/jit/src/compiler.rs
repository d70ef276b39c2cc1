//! All compiled functions of a program: which are compiled, and when.

use cleave_program::code::{FuncId, Function, Pc};
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, isa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use crate::context::{Scopes, Windows};
use crate::shape::Shape;
use crate::translation::{Home, Marks, Translation};
use crate::unit::{Code, Left, Running, Unit};

/// Instructions that the engine's loop executes before it asks again, of a function that is not compiled.
const TURN: u64 = 1024;
/// Most ops of a function that is compiled: the time to compile grows faster than they do, to half a second for these.
const MOST_OPS: usize = 2000;
/// Times that a function is not entered because of registers before it is compiled for what they were.
const MOST_FAILED: u32 = 16;
/// Times that a function is compiled.
const MOST_COMPILED: u32 = 4;
/// Runs of a unit after which it is given up if they were shorter than this many instructions each.
const TRIED: u64 = 2048;
const SHORT: u64 = 24;

/// Facts of a function that are not in its code.
pub struct Facts<'a> {
    /// The first slot of its coverage marks, if it has some.
    pub first: Option<u32>,
    /// The slot of a side of a switch: the switch and the target; [`u32::MAX`] for none.
    pub of_switch: &'a dyn Fn(Pc, Pc) -> u32,
    /// Scopes of variables are looked at.
    pub scopes: Option<Scopes>,
}

/// A function as the compiler knows it.
enum Slot {
    /// It was seen so often.
    Cold(u32),
    Compiled {
        unit: Box<Unit>,
        times: u32,
    },
    /// It is not compiled.
    Refused,
}

/// The compiled functions of a program, and the windows of the state that runs.
pub struct Compiler {
    module: Option<JITModule>,
    builder: FunctionBuilderContext,
    context: Context,
    slots: Vec<Slot>,
    windows: Windows,
    /// Times that a function is seen before it is compiled.
    after: u32,
}

impl Compiler {
    /// A compiler for a program of so many functions; each is compiled after it was seen `after` times. `None` if this machine is
    /// not one that code can be made for.
    pub fn new(functions: usize, after: u32) -> Option<Compiler> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        flags.set("is_pic", "false").ok()?;
        flags.set("use_colocated_libcalls", "false").ok()?;
        let isa: isa::OwnedTargetIsa =
            cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Some(Compiler {
            module: Some(module),
            builder: FunctionBuilderContext::new(),
            context,
            slots: (0..functions).map(|_| Slot::Cold(0)).collect(),
            windows: Windows::default(),
            after,
        })
    }

    /// To be called when another state begins to run.
    pub fn begins_run(&mut self) {
        self.windows.clear();
    }

    /// Runs the compiled code of a function from an op on, if there is some; compiles it if it was seen often. Returns where it
    /// left, and the number of instructions at which the engine's loop asks again.
    pub fn run(
        &mut self,
        (func, pc): (FuncId, Pc),
        function: &Function,
        facts: &Facts<'_>,
        running: Running<'_>,
    ) -> (Left, u64) {
        let limit = running.limit;
        if let Slot::Cold(seen) = &mut self.slots[func as usize] {
            *seen += 1;
            if *seen <= self.after {
                return (Left::NotEntered, limit.min(running.instructions + TURN));
            }
            self.compiles(func, function, facts, vec![Home::Known; function.registers as usize], 1);
        }
        let Slot::Compiled { unit, times } = &mut self.slots[func as usize] else {
            return (Left::NotEntered, limit);
        };
        let instructions = running.instructions;
        let left = unit.run(pc, &mut self.windows, running);
        let (failed, times) = (unit.failed, *times);
        let useless = self.after > 0
            && (unit.entered + u64::from(unit.failed)).is_multiple_of(TRIED)
            && unit.gained < SHORT * (unit.entered + u64::from(failed));
        if left == Left::NotEntered && failed >= MOST_FAILED && times < MOST_COMPILED {
            let better = unit.better.clone();
            self.compiles(func, function, facts, better, times + 1);
        } else if useless && unit.entered + u64::from(failed) > 0 {
            self.slots[func as usize] = Slot::Refused;
        }
        // At the next jump there may be an entrance.
        match left {
            Left::At(_, instructions) => (left, limit.min(instructions)),
            Left::NotEntered => (left, limit.min(instructions)),
        }
    }

    fn compiles(
        &mut self,
        func: FuncId,
        function: &Function,
        facts: &Facts<'_>,
        homes: Vec<Home>,
        times: u32,
    ) {
        let unit = self.compiled(function, facts, homes);
        self.slots[func as usize] = match unit {
            Some(unit) => Slot::Compiled { unit: Box::new(unit), times },
            None => Slot::Refused,
        };
    }

    fn compiled(&mut self, function: &Function, facts: &Facts<'_>, homes: Vec<Home>) -> Option<Unit> {
        if function.code.len() > MOST_OPS {
            return None;
        }
        let shape = Shape::of(function);
        if shape.entrances.is_empty() {
            return None;
        }
        let module = self.module.as_mut()?;
        let config = module.target_config();
        let signature = |parameters: &[_], result| {
            let mut signature = Signature::new(config.default_call_conv);
            signature.params = parameters.iter().map(|&t| AbiParam::new(t)).collect();
            signature.returns = vec![AbiParam::new(result)];
            signature
        };
        let context = &mut self.context;
        context.func.signature = signature(&[I64, I32], I32);
        let id = module.declare_anonymous_function(&context.func.signature).ok()?;
        context.func.name = UserFuncName::user(0, id.as_u32());
        let signatures = [signature(&[I64; 3], I64), signature(&[I64; 4], I64)]
            .map(|signature| context.func.import_signature(signature));
        let marks = facts.first.map(|first| Marks { first, of_switch: facts.of_switch });
        let builder = FunctionBuilder::new(&mut context.func, &mut self.builder);
        let (translation, entrance) =
            Translation::new(builder, function, &homes, (marks, facts.scopes), signatures);
        translation.all(&shape, entrance, config);
        let defined = module.define_function(id, context);
        module.clear_context(context);
        defined.ok()?;
        module.finalize_definitions().ok()?;
        // SAFETY: the function was declared with this signature, and is finished.
        let code = unsafe { std::mem::transmute::<*const u8, Code>(module.get_finalized_function(id)) };
        Some(Unit::new(code, function, shape, homes))
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: its code runs only within calls of `run`, and no unit outlives the compiler.
            unsafe { module.free_memory() }
        }
    }
}
