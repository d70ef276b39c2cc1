//! Panics of Rust that end the program: std has told the user of it on standard error, and calls `abort`. The place is that of the program's
//! own line, which std passes from function to function.

use cleave_memory::Byte;
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::states::frame::Frame;
use crate::states::state::State;
use crate::stop::{Bug, TraceLine};

/// The function of std that every panic comes to, and the register of its argument with the place: a wide pointer stands before it.
const PANICS: (&str, usize) = ("std::panicking::rust_panic_with_hook", 2);
/// The texts of std around a message: in front of the place, which ends its line, and behind the message.
const AT: &str = "panicked at ";
const BEHIND: &str = "\nnote: ";
/// Bytes of a message that are told.
const MOST: usize = 400;
/// Where the parts of `core::panic::Location` lie: address and length of the file's name, then the line.
const LENGTH: u64 = 8;
const LINE: u64 = 16;
/// Longest name of a file that is believed.
const LONGEST: u64 = 4096;

impl Engine {
    /// The panic that a call of `abort` belongs to, if it does to one.
    pub(crate) fn panic(&self, state: &State) -> Option<Bug> {
        let name = |frame: &Frame| self.program.functions.get(frame.func as usize).map_or("", |f| &f.name);
        let frame = state.frames().find(|frame| name(frame) == PANICS.0)?;
        let place = frame.regs.get(PANICS.1).filter(|register| register.is_known());
        let place = place.and_then(|register| self.location(state, register.value));
        let own = |line: &TraceLine| !line.library;
        let mut trace: Vec<TraceLine> = self.trace(state).into_iter().skip_while(|line| !own(line)).collect();
        if let (Some((file, line)), Some(first)) =
            (place.filter(|(file, _)| !is_of_std(file)), trace.first_mut())
        {
            (first.file, first.line) = (Some(file), line);
        }
        Some(Bug { kind: BugKind::Panic, message: message(state), trace })
    }

    /// The file and line of a `Location` at an address.
    fn location(&self, state: &State, at: u64) -> Option<(String, u32)> {
        let known = |at: u64, len: u64| -> Option<Vec<u8>> {
            let byte = |byte: &Byte| if let Byte::Known(byte) = byte { Some(*byte) } else { None };
            state.memory.read(at, len).ok()?.iter().map(byte).collect()
        };
        let word = |at: u64| Some(u64::from_le_bytes(known(at, 8)?.try_into().ok()?));
        let (file, length) = (word(at)?, word(at.checked_add(LENGTH)?)?);
        let line = u32::from_le_bytes(known(at.checked_add(LINE)?, 4)?.try_into().ok()?);
        let file = known(file, Some(length).filter(|length| *length <= LONGEST)?)?;
        Some((String::from_utf8(file).ok()?, line))
    }
}

/// Returns true if a place is in std: a mistake that it notices in itself, as of unsafe code.
fn is_of_std(file: &str) -> bool {
    file.starts_with("library/") || cleave_program::is_of_rust(file)
}

/// The message that std has printed last, without the place. Bytes that depend on the input are `?`.
fn message(state: &State) -> String {
    let printed = state.kernel.stderr(|byte| if let Byte::Known(byte) = byte { byte } else { b'?' });
    let printed = String::from_utf8_lossy(&printed);
    let last = printed.rsplit_once(AT).and_then(|(_, behind)| behind.split_once(":\n"));
    let text = last.map_or("", |(_, text)| text.split(BEHIND).next().unwrap_or(text));
    let text = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ");
    match text.char_indices().nth(MOST) {
        _ if text.is_empty() => "the program panics".into(),
        Some((end, _)) => format!("panic: {}...", &text[..end]),
        None => format!("panic: {text}"),
    }
}
