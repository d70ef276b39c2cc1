//! The shapes of functions, each found once, and which of two arms is further behind.

use std::cmp::Ordering;
use std::rc::Rc;

use cleave_program::Shape;
use cleave_program::code::{FuncId, Pc, Program};

use crate::states::state::{Frame, State};

/// The shapes of the functions that were asked for.
#[derive(Default)]
pub(crate) struct Shapes(Vec<Option<Rc<Shape>>>);

impl Shapes {
    /// The shape of a function.
    pub(crate) fn get(&mut self, program: &Program, func: FuncId) -> Rc<Shape> {
        if self.0.is_empty() {
            self.0.resize(program.functions.len(), None);
        }
        let Some(shape) = self.0.get_mut(func as usize) else { return Rc::new(Shape::of(program, func)) };
        shape.get_or_insert_with(|| Rc::new(Shape::of(program, func))).clone()
    }

    /// The place of an op in its function's order.
    pub(crate) fn order(&mut self, program: &Program, func: FuncId, pc: Pc) -> u32 {
        match self.0.get(func as usize) {
            Some(Some(shape)) => shape.order(pc),
            _ => self.get(program, func).order(pc),
        }
    }

    /// Which of two arms of a path is further behind; the greater one is ahead. Equal where both stand at one op of one call.
    pub(crate) fn compare(&mut self, program: &Program, a: &State, b: &State) -> Ordering {
        let height = a.frame.height.min(b.frame.height);
        let frames_a = a.frames().skip_while(|f| f.height > height);
        let frames_b = b.frames().skip_while(|f| f.height > height);
        // In one frame, an arm inside of a call is ahead of one in front of it; of different calls the frame below both tells.
        let mut tie = a.frame.height.cmp(&b.frame.height);
        for (x, y) in frames_a.zip(frames_b) {
            if x.id == y.id {
                return self.in_frame(program, x, y).then(tie);
            }
            tie = x.id.cmp(&y.id);
        }
        a.frame.id.cmp(&b.frame.id)
    }

    fn in_frame(&mut self, program: &Program, x: &Frame, y: &Frame) -> Ordering {
        if x.pc == y.pc {
            return Ordering::Equal;
        }
        self.order(program, x.func, x.pc).cmp(&self.order(program, y.func, y.pc))
    }
}
