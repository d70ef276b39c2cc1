//! Texts of memory bugs: the object that a pointer belongs to, where it was made, and where its life ended.

use cleave_memory::{Fault, Grave, Kind, Object};
use cleave_program::code::Storage;
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE};
use cleave_program::missing_data;
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::states::places::OpPlace;
use crate::states::state::State;
use crate::stop::Stop;

/// The known facts of an object, alive or not.
struct Outline {
    kind: Kind,
    size: u64,
    /// The size depends on the input.
    symbolic: bool,
    origin: u32,
    birth: OpPlace,
}

/// A size in words; a `symbolic` one is a maximum.
pub(crate) fn size_in_words(size: u64, symbolic: bool) -> String {
    if symbolic { format!("a symbolic size (at most {size} bytes)") } else { format!("{size} bytes") }
}

impl Engine {
    /// An object by its kind and size, with the place where it was made.
    pub(crate) fn object_name(&self, object: &Object) -> String {
        let Object { kind, size, extent, origin, birth, .. } = *object;
        let (symbolic, birth) = (extent.is_some(), OpPlace::from_raw(birth));
        self.outline_name(&Outline { kind, size, symbolic, origin, birth })
    }

    fn outline_name(&self, object: &Outline) -> String {
        let size = size_in_words(object.size, object.symbolic);
        let place = || self.place_text(object.birth);
        match (object.kind, self.program.globals.get(object.origin as usize)) {
            (Kind::Global, Some(g)) if g.storage == Storage::Missing => {
                format!("the variable `{}`, which is defined nowhere", g.name)
            }
            (Kind::Global, Some(g)) if g.storage == Storage::Section => {
                format!("the section `{}` of {size}", g.name)
            }
            (Kind::Global, Some(g)) => format!("the global `{}` of {size}", g.name),
            (Kind::Start, _) if object.birth != OpPlace::default() => {
                let whose = match self.program.is_fuzz_target() {
                    true => "the input of the fuzz target",
                    false => "an input of the function",
                };
                format!("{whose}, of {size}")
            }
            (Kind::Start, _) => format!("an argument or environment string of {size}"),
            (Kind::Stack, _) => format!("a local object of {size} of {}", place()),
            (Kind::Heap, _) => format!("a heap object of {size}, allocated in {}", place()),
            (Kind::Mapped, _) => format!("a mapped object of {size}, mapped in {}", place()),
            (kind, _) => format!("a {} object of {size}", kind.word()),
        }
    }

    /// An object that is no more, with the place where its life ended.
    pub(crate) fn dead_name(&self, grave: Grave) -> String {
        let Grave { kind, birth, death, .. } = grave;
        let birth = OpPlace::from_raw(birth);
        let (size, symbolic) = (grave.size(), grave.is_symbolic());
        let name = self.outline_name(&Outline { kind, size, symbolic, origin: 0, birth });
        let death = OpPlace::from_raw(death);
        let place = self.place_text(death);
        let how = match kind {
            Kind::Stack if self.ended_with_scope(grave) => ", whose scope ended in",
            Kind::Stack => ", which has returned in",
            Kind::Mapped => " and unmapped in",
            _ => " and freed in",
        };
        format!("{name}{how} {place}")
    }

    fn dead_kind(&self, grave: Grave) -> BugKind {
        if self.ended_with_scope(grave) { BugKind::UseAfterScope } else { BugKind::UseAfterFree }
    }

    /// The name of the variable that is defined nowhere, if an object stands for one.
    pub(crate) fn missing_variable(&self, kind: Kind, origin: u32) -> Option<&str> {
        let global = self.program.globals.get(origin as usize).filter(|_| kind == Kind::Global)?;
        (global.storage == Storage::Missing).then_some(global.name.as_str())
    }

    /// The bug of an access at an address that is wrong.
    pub(crate) fn pointer_bug(&self, fault: &Fault) -> Stop {
        if let Fault::OutOfBounds { kind, origin, .. } = *fault
            && let Some(name) = self.missing_variable(kind, origin)
        {
            return Stop::unsupported(missing_data(name));
        }
        let kind = match *fault {
            Fault::Constant { .. } => BugKind::ReadOnly,
            Fault::Null => BugKind::NullPointer,
            Fault::Wild => BugKind::WildPointer,
            Fault::Frame => return Stop::unsupported(self.fault_message(fault)),
            Fault::Dead { grave, .. } => self.dead_kind(grave),
            Fault::OutOfBounds { kind: Kind::Variable, .. } => BugKind::MissingArgument,
            Fault::OutOfBounds { .. } => BugKind::OutOfBounds,
            Fault::Uncertain { base, offset, end } => return Stop::Uncertain { base, offset, end },
        };
        Stop::bug(kind, self.fault_message(fault))
    }

    /// A fault as a sentence without its full stop.
    pub(crate) fn fault_message(&self, fault: &Fault) -> String {
        match *fault {
            Fault::Null => "an access through a null pointer".into(),
            Fault::Wild => "an access through a pointer to no object".into(),
            Fault::Frame => "an access to a function's frame, by __builtin_frame_address".into(),
            Fault::Dead { grave, offset } => {
                let place = offset.map_or("to".into(), |offset| format!("at offset {offset} of"));
                format!("an access {place} {}", self.dead_name(grave))
            }
            Fault::OutOfBounds { kind: Kind::Variable, .. } => {
                "an argument is read that was not passed: va_arg beyond the last one, or of another kind"
                    .into()
            }
            Fault::Uncertain { offset, .. } => {
                format!("an access at offset {offset} of an object whose size depends on the input")
            }
            Fault::OutOfBounds { kind, size, symbolic, offset, origin, birth, .. } => {
                let object = Outline { kind, size, symbolic, origin, birth: OpPlace::from_raw(birth) };
                format!("an access at offset {offset} of {}", self.outline_name(&object))
            }
            Fault::Constant { origin } => {
                let global = self.program.globals.get(origin as usize);
                let what = match global.map(|g| g.storage) {
                    Some(Storage::Section) => "section of constants",
                    _ => "constant",
                };
                format!("a write to the {what} `{}`", global.map_or("", |g| g.name.as_str()))
            }
        }
    }

    /// The bug of an access at a symbolic address that is in none of the objects that the pointer may point into; `known` is
    /// true if there are such objects. `close` and `dead` are the objects that the pointer is made from.
    pub(crate) fn outside_bug(
        &self,
        state: &State,
        known: bool,
        close: Option<u64>,
        dead: Option<Grave>,
    ) -> Stop {
        let close = close.and_then(|base| state.memory.object(base));
        if let Some(name) = close.and_then(|o| self.missing_variable(o.kind, o.origin)) {
            return Stop::unsupported(missing_data(name));
        }
        let text = match (close, dead) {
            (Some(o), _) => format!("an access at a symbolic offset outside of {}", self.object_name(o)),
            (None, Some(grave)) => {
                let text = format!("an access at a symbolic offset of {}", self.dead_name(grave));
                return Stop::bug(self.dead_kind(grave), text);
            }
            (None, None) if known => "an access at a symbolic offset outside of all objects".into(),
            (None, None) => "an access through a symbolic pointer to no object".into(),
        };
        Stop::bug(if known { BugKind::OutOfBounds } else { BugKind::WildPointer }, text)
    }

    /// The target of a pointer that is no start of a heap object, as the rest of a sentence.
    pub(crate) fn pointed_to(&self, state: &State, address: u64) -> String {
        if let Some(o) = state.memory.object(address) {
            let (offset, name) = (address.wrapping_sub(o.base) as i64, self.object_name(o));
            return match (offset, o.kind) {
                (0, _) => format!("points to {name}, which is not from malloc"),
                (_, Kind::Heap) => format!("points to offset {offset} of {name}, not to its start"),
                _ => format!("points to offset {offset} of {name}, which is not from malloc"),
            };
        }
        if let Some((grave, offset)) = state.memory.grave(address) {
            let place = offset.map_or(String::new(), |offset| format!("offset {offset} of "));
            return format!("points to {place}{}", self.dead_name(grave));
        }
        let function = address.wrapping_sub(FUNCTION_BASE) / FUNCTION_STRIDE;
        match self.program.functions.get(function as usize) {
            Some(f) if self.image(state).has_function_at(address) => {
                format!("points to the function `{}`", f.name)
            }
            _ => format!("is {address:#x}, where no object is"),
        }
    }
}
