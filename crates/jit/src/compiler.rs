//! All compiled functions of a program: which are compiled, and when.

use cleave_memory::Reg;
use cleave_program::code::{FuncId, Function, Pc};
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, isa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use crate::counts::Sites;
use crate::facts::Facts;
use crate::shape::Shape;
use crate::translation::{Home, Signatures, Translation};
use crate::unit::{Code, Frame, Frames, Left, Running, Unit};
use crate::windows::Windows;

/// Most ops of a function that is compiled: the time to compile grows faster than they do, to half a second for these.
const MOST_OPS: usize = 2000;
/// Instructions of the loop for an op of a function that are as much as a hundredth of the time to compile it.
const INSTRUCTIONS: u64 = 32;
/// Instructions of the loop that an op which was compiled needs before the next function is: twice as long as its compilation.
const OP: u64 = 32_000;
/// Instructions that an entry of compiled code is worth.
const ENTRY: u64 = 100;
/// Times that a function is not entered because of registers before it is compiled for what they were.
const MOST_FAILED: u32 = 16;
/// Times that a function is compiled.
const MOST_COMPILED: u32 = 32;
/// Runs of a unit after which it is entered no more, but from compiled code, if they were shorter than this many instructions each.
const TRIED: u64 = 2048;
const SHORT: u64 = 16;

/// A function as the compiler knows it.
enum Slot {
    /// The loop has executed so many instructions of it.
    Cold(u64),
    Compiled {
        unit: Box<Unit>,
        times: u32,
        /// It is to be compiled again, for what was seen.
        is_stale: bool,
        /// It is entered by compiled code alone.
        is_idle: bool,
    },
    /// It is not compiled.
    Refused,
}

/// The next thing to do with a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The loop executes it for some time.
    Cold,
    /// The loop executes it.
    Loop,
    /// It is to be compiled first.
    Compile,
    /// Its compiled code runs.
    Run,
}

/// The compiled functions of a program, and the windows of the state that runs.
pub struct Compiler {
    module: Option<JITModule>,
    builder: FunctionBuilderContext,
    context: Context,
    slots: Vec<Slot>,
    /// By function the address of its code, or 0. Compiled code knows where they are.
    codes: Vec<usize>,
    windows: Windows,
    frames: Frames,
    sites: Sites,
    /// Instructions for each op of a function that the loop executes before it is compiled.
    after: u64,
    /// Instructions that the loop has executed, and others for entries of compiled code.
    executed: u64,
    /// Ops that were compiled.
    ops: u64,
    /// The function that the loop executes, and the number of instructions of the path where it began.
    begun: Option<(FuncId, u64)>,
}

impl Compiler {
    /// A compiler for a program of so many functions; each is compiled once the loop has executed `after` times [`INSTRUCTIONS`] for each
    /// op of it. `None` if this machine is not one that code can be made for.
    pub fn new(functions: usize, after: u32) -> Option<Compiler> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        // Where everything is compiled it is tested.
        let verifies = cfg!(debug_assertions) && after == 0;
        flags.set("enable_verifier", if verifies { "true" } else { "false" }).ok()?;
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
            codes: vec![0; functions],
            windows: Windows::default(),
            frames: Frames::default(),
            sites: Sites::default(),
            after: u64::from(after) * INSTRUCTIONS,
            executed: 0,
            ops: 0,
            begun: None,
        })
    }

    /// To be called when another state begins to run.
    pub fn begins_run(&mut self) {
        self.windows.clear();
        self.sites.clear();
        self.begun = None;
    }

    /// The next thing to do with a function at which a state stands with so many instructions.
    #[inline]
    pub fn wish(&mut self, func: FuncId, instructions: u64, function: &Function) -> Wish {
        if let Some((func, before)) = self.begun.take() {
            let more = instructions.saturating_sub(before);
            self.executed += more;
            if let Slot::Cold(executed) = &mut self.slots[func as usize] {
                *executed += more;
            }
        }
        // Compiling may take a part of the time that the loop takes.
        let pays = self.after == 0 || self.ops * OP <= self.executed;
        match &mut self.slots[func as usize] {
            Slot::Cold(executed) if !pays || *executed < self.after * function.code.len() as u64 => {
                self.begun = Some((func, instructions));
                Wish::Cold
            }
            Slot::Cold(_) => Wish::Compile,
            Slot::Compiled { is_stale: true, .. } if pays => Wish::Compile,
            Slot::Compiled { is_idle: false, .. } => Wish::Run,
            Slot::Compiled { .. } | Slot::Refused => {
                self.begun = Some((func, instructions));
                Wish::Loop
            }
        }
    }

    /// Runs the compiled code of a function from an op on, if there is some and the op is an entrance.
    pub fn run_from(
        &mut self,
        functions: &[Function],
        (func, pc): (FuncId, Pc),
        running: Running<'_>,
    ) -> Left {
        let Slot::Compiled { unit, times, is_stale, is_idle } = &mut self.slots[func as usize] else {
            return Left::NotEntered;
        };
        let left = unit.run(pc, &mut self.windows, &mut self.frames, &mut self.sites, running);
        self.executed += ENTRY;
        if *times < MOST_COMPILED {
            let wants = std::mem::take(&mut unit.wants_entrance)
                && !unit.wanted(&functions[func as usize]).is_empty();
            *is_stale |= wants || (left == Left::NotEntered && unit.failed >= MOST_FAILED);
        }
        let tries = unit.entered + u64::from(unit.failed);
        if self.after > 0 && tries > 0 && tries.is_multiple_of(TRIED) && unit.gained < SHORT * tries {
            let is_better = *times < MOST_COMPILED && !unit.wanted(&functions[func as usize]).is_empty();
            (*is_stale, *is_idle) = (*is_stale | is_better, !is_better);
        }
        left
    }

    /// The frames that compiled code has made and not ended when it left, the outermost first.
    pub fn left<'a>(&'a self, functions: &'a [Function]) -> impl Iterator<Item = Frame<'a>> {
        self.frames.left(functions)
    }

    /// The registers that an op of the loop writes if control goes on behind it: the first, and their number. `None` if it may be
    /// others.
    pub fn written(functions: &[Function], func: FuncId, pc: Pc) -> Option<(u32, u32)> {
        let function = &functions[func as usize];
        crate::shape::written(functions, function, &function.code[pc as usize])
    }

    /// Compiles a function, for what was seen of it.
    pub fn compile(&mut self, facts: &Facts<'_>) {
        let function = &facts.functions[facts.func as usize];
        let (homes, places, times): (_, Vec<Pc>, _) = match &self.slots[facts.func as usize] {
            Slot::Compiled { unit, times, .. } => {
                let places = unit.places().chain(unit.wanted(function)).collect();
                (unit.better.clone(), places, *times + 1)
            }
            Slot::Cold(_) | Slot::Refused => (vec![Home::Known; function.registers as usize], Vec::new(), 1),
        };
        let shape = Shape::of(facts, &places);
        if shape.entrances.is_empty() && times == 1 && self.after > 0 {
            // Control has not come to an op that is compiled: it is seen anew.
            self.slots[facts.func as usize] = Slot::Cold(0);
            return;
        }
        let unit = self.compiled(facts, shape, homes, times);
        self.ops += unit.as_ref().map_or(0, |unit| unit.ops() as u64);
        let callable = unit.as_ref().filter(|unit| unit.is_callable());
        self.codes[facts.func as usize] = callable.map_or(0, |unit| unit.code as usize);
        self.slots[facts.func as usize] = match unit {
            Some(unit) => Slot::Compiled { unit: Box::new(unit), times, is_stale: false, is_idle: false },
            None => Slot::Refused,
        };
    }

    fn compiled(&mut self, facts: &Facts<'_>, shape: Shape, homes: Vec<Home>, times: u32) -> Option<Unit> {
        let function = &facts.functions[facts.func as usize];
        if shape.entrances.is_empty() || shape.effects.iter().flatten().count() > MOST_OPS {
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
        let own = || signature(&[I64, I64, I32], I32);
        let context = &mut self.context;
        context.func.signature = own();
        let id = module.declare_anonymous_function(&context.func.signature).ok()?;
        context.func.name = UserFuncName::user(0, id.as_u32());
        let functions = [signature(&[I64; 3], I64), signature(&[I64; 4], I64), signature(&[I64; 5], I64)]
            .map(|signature| context.func.import_signature(signature));
        let signatures = Signatures { compiled: context.func.import_signature(own()), functions };
        let builder = FunctionBuilder::new(&mut context.func, &mut self.builder);
        let (translation, entrance) =
            Translation::new(builder, function, facts, (&self.codes, &mut self.sites), &homes, signatures);
        translation.all(&shape, entrance, config);
        let defined = module.define_function(id, context);
        module.clear_context(context);
        defined.ok()?;
        module.finalize_definitions().ok()?;
        // SAFETY: the function was declared with this signature, and is finished.
        let code = unsafe { std::mem::transmute::<*const u8, Code>(module.get_finalized_function(id)) };
        Some(Unit::new(code, function, shape, homes, times))
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

/// A known zero is all zeros: compiled code makes registers of a new frame so.
const _: () = assert!(size_of::<Reg>() == 16);
