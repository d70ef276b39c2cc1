//! A compiled function, and a run of it.

use std::cell::Cell;

use cleave_memory::{AddressSpace, Reg};
use cleave_program::code::{Function, Op, Pc};

use crate::context::{Context, Header, LeftFrame, RETURNED};
use crate::counts::{Counts, Sites};
use crate::shape::{MOST_RESULTS, Shape, jumps, targets};
use crate::translation::Home;
use crate::windows::Windows;

/// Compiled code: it gets the context, the registers and the number of the entrance, and returns the place where it left, or
/// [`RETURNED`].
pub(crate) type Code = unsafe extern "C" fn(*mut Context<'_>, *mut Reg, u32) -> u32;

/// Instructions that are left up to the limit below which the loop runs alone.
const NEAR: u64 = 64;
/// Times that code leaves at an op before there is an entrance behind it, and such times of other ops that get one with it.
const OFTEN: u32 = 64;
const SOMETIMES: u32 = 16;
/// Room for the frames of functions that compiled code calls, in registers: 128 KB. It also bounds the stack of this thread: a frame
/// there is smaller than one here, but for some words, and each takes three registers at least.
const ROOM: usize = 1 << 13;

/// The stack of the program under test.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Bytes in use.
    pub bytes: u64,
    /// The most that may be in use.
    pub limit: u64,
    /// The number of the next frame.
    pub next_frame: u64,
    /// Bytes that the running frame takes.
    pub weight: u64,
}

/// The state that runs, as far as compiled code reads and changes it.
pub struct Running<'a> {
    /// The registers of the running function.
    pub registers: &'a mut [Reg],
    /// The registers that are all that was written since compiled code left this frame, if it did: the first, and their number.
    pub written: Option<(u32, u32)>,
    /// The address space.
    pub memory: &'a mut AddressSpace,
    /// The bytes of all coverage slots: 0 where a mark is to be passed.
    pub marks: &'a [Cell<u8>],
    /// Instructions of the path.
    pub instructions: u64,
    /// The number of instructions at which the path stops at a jump, a call or a return.
    pub limit: u64,
    /// The stack.
    pub stack: &'a mut Stack,
    /// Counts and marks, if there are some: the same as when the function was compiled.
    pub counting: Option<Counts<'a>>,
}

/// The end of a run of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It left in front of this op of the innermost frame, or of the call of a frame; with so many instructions of the path.
    At(Pc, u64),
    /// As [`Left::At`], behind a jump at which the limit was reached.
    AtLimit(Pc, u64),
    /// It came to this return of the function that was entered. The return itself is counted, and not done.
    Returned(Pc, u64),
    /// It was not entered: there is no entrance, a register is not known, or the limit is near.
    NotEntered,
}

/// A frame that compiled code has made and not ended.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its function.
    pub func: u32,
    /// The op that runs next; the call, in a frame that is not the innermost.
    pub pc: Pc,
    /// The number of the frame on its path.
    pub id: u32,
    /// The end of the stack's objects when the function was called.
    pub stack_mark: u64,
    /// Bytes of the stack that it takes.
    pub weight: u64,
    /// Its registers.
    pub registers: &'a [Reg],
}

/// The frames that compiled code makes.
pub(crate) struct Frames {
    room: Vec<Reg>,
    /// Those that were left, the innermost first.
    left: Vec<LeftFrame>,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames { room: vec![Reg::ZERO; ROOM], left: Vec::new() }
    }
}

impl Frames {
    /// The frames that were left, the outermost first.
    pub(crate) fn left<'a>(&'a self, functions: &'a [Function]) -> impl Iterator<Item = Frame<'a>> {
        self.left.iter().rev().map(|&LeftFrame { registers, func, pc }| {
            let n = functions[func as usize].registers as usize;
            // SAFETY: compiled code has made the frame in `room`, for this function and with a header in front. Nothing was written
            // there since it left: the next run needs `self` exclusively.
            let (header, registers) =
                unsafe { (*registers.cast::<Header>().sub(1), std::slice::from_raw_parts(registers, n)) };
            let Header { id, stack_mark, weight, .. } = header;
            Frame { func, pc, id: id as u32, stack_mark, weight, registers }
        })
    }
}

/// A compiled function.
pub(crate) struct Unit {
    pub(crate) code: Code,
    /// The number of the entrance at an op; [`u32::MAX`] for none.
    entrances: Vec<u32>,
    shape: Shape,
    homes: Vec<Home>,
    /// Registers that are known at each entrance.
    known: Vec<u32>,
    /// By entrance: registers that are known there.
    known_at: Vec<Vec<u32>>,
    /// Number of parameters; none if control may come to the first op again.
    params: Option<u32>,
    /// Times that it was not entered because of a register.
    pub(crate) failed: u32,
    /// Homes of registers that were not known at an entrance.
    pub(crate) better: Vec<Home>,
    /// By op: times that the code left there, for another reason than the limit.
    times_left: Vec<u32>,
    often: u32,
    /// There is an op at which it leaves often, without an entrance behind it.
    pub(crate) wants_entrance: bool,
    pub(crate) entered: u64,
    pub(crate) gained: u64,
}

impl Unit {
    /// A unit whose code was made for `shape` and `homes`.
    pub(crate) fn new(code: Code, function: &Function, shape: Shape, homes: Vec<Home>, times: u32) -> Unit {
        let mut entrances = vec![u32::MAX; function.code.len()];
        for (i, entrance) in shape.entrances.iter().enumerate() {
            entrances[entrance.at as usize] = i as u32;
        }
        let home = |r: u32, home: Home| homes[r as usize] == home;
        let known = shape.touched.iter().filter(|&r| home(r, Home::Known)).collect();
        let of_entrance =
            |lives: &crate::shape::Set| lives.iter().filter(|&r| home(r, Home::Written)).collect();
        let known_at = shape.entrances.iter().map(|entrance| of_entrance(&entrance.lives)).collect();
        let again = function.code.iter().any(|op| jumps(op) && targets(function, op).contains(&0));
        let params = (!again).then_some(function.params);
        let ops = shape.effects.iter().flatten().count() as u32;
        let (better, times_left) = (homes.clone(), vec![0; function.code.len() + 1]);
        Unit {
            code,
            entrances,
            shape,
            homes,
            known,
            known_at,
            params,
            failed: 0,
            better,
            times_left,
            often: OFTEN * (1 + ops / 64) * times.div_ceil(4),
            wants_entrance: false,
            entered: 0,
            gained: 0,
        }
    }

    /// Runs from an op on. `windows` are those of the address space, or of none.
    pub(crate) fn run(
        &mut self,
        at: Pc,
        windows: &mut Windows,
        frames: &mut Frames,
        sites: &mut Sites,
        running: Running<'_>,
    ) -> Left {
        let Running { registers, written, memory, marks, instructions, limit, stack, mut counting } = running;
        let entrance = self.entrances[at as usize];
        if entrance == u32::MAX && self.shape.effects[at as usize].is_none() {
            self.left_at(at);
        }
        if entrance == u32::MAX
            || limit.saturating_sub(instructions) < NEAR
            || registers.len() != self.homes.len()
        {
            return Left::NotEntered;
        }
        if !self.are_known(at, entrance, written, registers) {
            self.fails(entrance, registers);
            return Left::NotEntered;
        }
        windows.refresh();
        frames.left.clear();
        let room = frames.room.as_mut_ptr_range();
        let mut context = Context {
            instructions,
            stop: limit,
            outer: registers.as_mut_ptr(),
            marks: marks.as_ptr().cast(),
            windows: windows.entries.as_mut_ptr(),
            value: 0,
            top: room.start,
            end: room.end,
            stack_bytes: stack.bytes,
            stack_limit: stack.limit,
            next_frame: stack.next_frame,
            stack_mark: memory.stack_mark(),
            weight: stack.weight,
            far_start: 0,
            far_size: 0,
            is_at_limit: 0,
            results: [0; MOST_RESULTS],
            memory,
            kept: windows,
            left: &raw mut frames.left,
            visits: counting.as_mut().map_or(std::ptr::null_mut(), |counts| counts.visits.as_mut_ptr()),
            counting,
            sites,
        };
        // SAFETY: the code was made for this function, whose frame has these registers, and for this entrance. All pointers of the
        // context are valid and exclusive for the call. A window points to bytes of `memory`, because whatever moves or frees
        // them counts as a change, and changed windows were dropped above and are dropped by the functions of the context.
        let left = unsafe { (self.code)(&raw mut context, context.outer, entrance) };
        // SAFETY: the call is over, and these are what it was given.
        unsafe { (*context.kept).settle(&mut *context.memory) };
        self.entered += 1;
        self.gained += context.instructions - instructions;
        stack.bytes = context.stack_bytes;
        (stack.next_frame, stack.weight) = (context.next_frame, context.weight);
        if left == RETURNED {
            return Left::Returned(context.value as Pc, context.instructions);
        }
        if context.is_at_limit != 0 {
            return Left::AtLimit(left, context.instructions);
        }
        if frames.left.is_empty() {
            self.left_at(left);
        }
        Left::At(left, context.instructions)
    }

    /// True if the registers are known that code takes for known behind an entrance.
    fn are_known(&self, at: Pc, entrance: u32, written: Option<(u32, u32)>, registers: &[Reg]) -> bool {
        let is_known = |&r: &u32| registers[r as usize].is_known();
        let all = match (written, self.params) {
            (Some((first, n)), _) => (first..first + n)
                .filter(|&r| {
                    self.homes.get(r as usize) == Some(&Home::Known) && self.shape.touched.contains(r)
                })
                .all(|r| is_known(&r)),
            // A function that was just called has zeros in all but its parameters.
            (None, Some(params)) if at == 0 => {
                (0..params).filter(|&r| self.homes[r as usize] == Home::Known).all(|r| is_known(&r))
            }
            (None, _) => self.known.iter().all(is_known),
        };
        all && self.known_at[entrance as usize].iter().all(is_known)
    }

    /// Number of its ops.
    pub(crate) fn ops(&self) -> usize {
        self.shape.effects.iter().flatten().count()
    }

    /// Counts a leave.
    fn left_at(&mut self, pc: Pc) {
        let times = &mut self.times_left[pc as usize];
        *times = times.saturating_add(1);
        self.wants_entrance |= *times == self.often;
    }

    /// Places behind ops at which the code leaves often, that are no entrances.
    pub(crate) fn wanted(&self, function: &Function) -> Vec<Pc> {
        let mut wanted = Vec::new();
        for (pc, op) in function.code.iter().enumerate().filter(|&(pc, _)| self.times_left[pc] >= SOMETIMES) {
            // The op itself is not compiled, but those behind it may be.
            if self.shape.effects[pc].is_none() {
                wanted.push(pc as Pc);
            }
            match op {
                op if jumps(op) => wanted.extend(targets(function, op)),
                Op::IndirectBranch { .. } => wanted.extend(function.targets(op)),
                op if op.is_terminator() => {}
                _ => wanted.push(pc as Pc + 1),
            }
        }
        wanted.retain(|&pc| {
            let is_new = !self.shape.seen.contains(pc) || self.shape.effects[pc as usize].is_some();
            self.entrances.get(pc as usize) == Some(&u32::MAX) && is_new
        });
        wanted
    }

    /// True if the first entrance is at the first op, where compiled code enters it.
    pub(crate) fn is_callable(&self) -> bool {
        self.entrances.first() == Some(&0)
    }

    /// The entrances of the code.
    pub(crate) fn places(&self) -> impl Iterator<Item = Pc> {
        self.shape.entrances.iter().map(|entrance| entrance.at)
    }

    /// Notes the registers that were not known at an entrance.
    #[cold]
    fn fails(&mut self, entrance: u32, registers: &[Reg]) {
        self.failed += 1;
        let lives = &self.shape.entrances[entrance as usize].lives;
        for r in self.shape.touched.iter().filter(|&r| !registers[r as usize].is_known()) {
            let home = &mut self.better[r as usize];
            *home = match (lives.contains(r), self.homes[r as usize]) {
                (true, _) | (_, Home::Memory) => Home::Memory,
                (false, _) if *home == Home::Memory => Home::Memory,
                (false, _) => Home::Written,
            };
        }
    }
}
