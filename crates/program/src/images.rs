//! Images: the programs that can be executed in one run, as parts of one [`Program`].
//!
//! Each image has functions, globals and addresses of its own, and calls nothing of another. Only one runs in a process at a
//! time. The first, [`Program::main`], is where a run starts.

use std::ops::Range;

use crate::layout::{FUNCTION_BASE, FUNCTION_STRIDE, GLOBAL_BASE};
use crate::register_code::code::{Image, Op, Place, Program};
use crate::register_code::fields::FieldMut;
use crate::register_code::verify::VerifyError;

impl Program {
    /// First addresses of the next image.
    pub fn next_place(&self) -> Place {
        let last = self.others.last().unwrap_or(&self.main);
        Place { function: last.functions.end, slot: last.heap_slot }
    }

    /// Adds a program that was loaded for [`Program::next_place`] as an image with this name. Gives its number.
    ///
    /// # Errors
    /// [`VerifyError`] if the program was loaded for another place, or there are more functions than have addresses.
    pub fn add_image(&mut self, name: &str, part: Program) -> Result<u32, VerifyError> {
        let wrong = |what: &str| VerifyError::Program(what.into());
        if part.main.place != self.next_place() || !part.others.is_empty() {
            return Err(wrong("one of its images was loaded for another place"));
        }
        if part.target != self.target {
            return Err(wrong("one of its images is for another machine: all have 32 bits, or none"));
        }
        let [functions, globals, strings, positions] =
            [self.functions.len(), self.globals.len(), self.strings.len(), self.positions.len()]
                .map(|n| n as u32);
        let moved = |range: Range<u32>, by: u32| range.start + by..range.end + by;
        let Program { functions: code, globals: data, main, strings: texts, positions: places, .. } = part;
        for mut function in code {
            for op in &mut function.code {
                move_op(op, functions, strings);
            }
            let line = |line: &mut u32| *line = line.checked_add(positions).unwrap_or(u32::MAX);
            let pieces = function.pieces.iter_mut().flat_map(|piece| &mut piece.lines);
            let loops = function.loops.iter_mut().map(|known| &mut known.line);
            let places = function.positions.iter_mut().chain([&mut function.defined_at]);
            places.chain(pieces).chain(loops).for_each(line);
            self.functions.push(function);
        }
        self.globals.extend(data);
        self.strings.extend(texts);
        self.positions.extend(places.into_iter().map(|mut place| {
            place.file += strings;
            place
        }));
        self.others.push(Image {
            name: name.into(),
            entry: main.entry + functions,
            functions: moved(main.functions, functions),
            globals: moved(main.globals, globals),
            ..main
        });
        if self.next_place().function as u64 * FUNCTION_STRIDE + FUNCTION_BASE > GLOBAL_BASE {
            return Err(wrong("its images have more functions than there are addresses for"));
        }
        Ok(self.others.len() as u32)
    }
}

/// Adds `functions` and `strings` to the numbers of functions and texts in an op.
fn move_op(op: &mut Op, functions: u32, strings: u32) {
    op.fields_mut(|field| match field {
        FieldMut::Callee(func) => *func += functions,
        FieldMut::Text(text) => *text += strings,
        FieldMut::Reg(_)
        | FieldMut::Operand(_)
        | FieldMut::Target(_)
        | FieldMut::Table(_)
        | FieldMut::Plain => {}
    });
}
