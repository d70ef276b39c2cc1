//! The terminal: its controls (`ioctl`), which are its settings, its window and who is in its foreground, and reads from it.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::files::terminal::SETTINGS;
use crate::kernel::errno::{CallResult, EINVAL, ENOTTY, EPERM, fail, unsupported};
use crate::kernel::state::Call;

const TCGETS: u32 = 0x5401;
const TCSETS: u32 = 0x5402;
const TCSETSF: u32 = 0x5404;
const TCSBRK: u32 = 0x5409;
const TCXONC: u32 = 0x540a;
const TCFLSH: u32 = 0x540b;
const TIOCEXCL: u32 = 0x540c;
const TIOCNXCL: u32 = 0x540d;
const TIOCGPGRP: u32 = 0x540f;
const TIOCSPGRP: u32 = 0x5410;
const TIOCOUTQ: u32 = 0x5411;
const TIOCGWINSZ: u32 = 0x5413;
const TIOCSWINSZ: u32 = 0x5414;
const TIOCGSID: u32 = 0x5429;
const TCSBRKP: u32 = 0x5425;
/// Numbers of all controls of terminals; of some the upper half has more, such as the size of the argument.
const OF_TERMINALS: std::ops::RangeInclusive<u32> = 0x5401..=0x545f;

/// Places of fields in the settings, in bytes.
const CONTROL: usize = 8;
const LOCAL: usize = 12;
/// Bit of the local modes for input by lines.
const CANONICAL: u8 = 2;
/// The longest line that a terminal takes, in bytes.
const LONGEST_LINE: usize = 4095;

impl Call<'_> {
    /// A control of the terminal. It is that of the program's session, and the program is in its foreground.
    pub(crate) fn control_terminal(&mut self, request: u32, argument: u64) -> CallResult {
        let Some(terminal) = self.kernel.terminal.clone() else { return fail(ENOTTY) };
        match request {
            TCGETS => self.guest.write(argument, &terminal.settings)?,
            // What is typed ahead is not lost: it is typed when it is read.
            TCSETS..=TCSETSF => {
                let settings = self.guest.read(argument, SETTINGS as u64)?;
                self.put_settings(&settings);
            }
            TIOCGWINSZ => self.guest.write(argument, &terminal.window)?,
            TIOCSWINSZ => {
                let window = self.guest.read(argument, terminal.window.len() as u64)?;
                self.put_window(&window);
            }
            TCSBRK | TCSBRKP | TIOCEXCL | TIOCNXCL => {}
            TCXONC if argument as u32 > 3 => return fail(EINVAL),
            TCFLSH if argument as u32 > 2 => return fail(EINVAL),
            TCXONC | TCFLSH => {}
            TIOCGPGRP | TIOCGSID => {
                let process = self.process();
                let number = if request == TIOCGPGRP { process.group } else { process.session };
                self.put(argument, &(number as u32).to_le_bytes())?;
            }
            TIOCSPGRP => {
                let (group, session) = (self.word(argument, 4)?, self.process().session);
                let is_there =
                    self.kernel.processes().iter().any(|p| p.group == group && p.session == session);
                if !is_there {
                    return fail(EPERM);
                }
                if group != self.process().group {
                    return unsupported("another process group in the foreground of the terminal");
                }
            }
            TIOCOUTQ => {
                self.put(argument, &[0; 4])?;
            }
            _ if OF_TERMINALS.contains(&(request & 0xffff)) => {
                return unsupported(format!("ioctl {request:#x} of a terminal"));
            }
            _ => return fail(ENOTTY),
        }
        Ok(0)
    }

    /// Changes the terminal's settings. A pseudoterminal takes eight bits a character without parity, and no others.
    fn put_settings(&mut self, settings: &[Byte]) {
        let terms = self.guest.terms();
        let given = Byte::word(terms, &settings[CONTROL..LOCAL]);
        let [parity_and_size, set] = [!0x130u32, 0xb0].map(|bits| terms.constant_of(32, bits.into()));
        let kept = terms.and(given, parity_and_size);
        let control = terms.or(kept, set);
        let control = Byte::of_word(terms, control);
        if let Some(terminal) = self.kernel.terminal.as_mut().map(Rc::make_mut) {
            terminal.settings.copy_from_slice(settings);
            terminal.settings[CONTROL..LOCAL].copy_from_slice(&control);
        }
    }

    /// Changes the size of the terminal's window.
    fn put_window(&mut self, window: &[Byte]) {
        if let Some(terminal) = self.kernel.terminal.as_mut().map(Rc::make_mut) {
            terminal.window.copy_from_slice(window);
        }
    }

    /// The bytes of one read from the terminal, of those that could be had: in canonical mode up to the first newline.
    pub(crate) fn one_line(&mut self, mut bytes: Vec<Byte>) -> CallResult<Vec<Byte>> {
        let local = self.kernel.terminal.as_ref().map_or(Byte::Known(0), |terminal| terminal.settings[LOCAL]);
        if !self.has_bits(local, CANONICAL, CANONICAL)? {
            return Ok(bytes);
        }
        // Behind the last byte the read ends anyway.
        for i in 0..bytes.len().saturating_sub(1) {
            if self.has_bits(bytes[i], 0xff, b'\n')? {
                bytes.truncate(i + 1);
                break;
            }
        }
        if bytes.len() > LONGEST_LINE {
            return unsupported("a line of more than 4095 bytes from the terminal");
        }
        Ok(bytes)
    }

    /// Returns true if these bits of a byte have this value: one decision if the byte is an input.
    fn has_bits(&mut self, byte: Byte, bits: u8, value: u8) -> CallResult<bool> {
        let terms = self.guest.terms();
        let [bits, value] = [bits, value].map(|constant| terms.constant_of(8, constant.into()));
        let byte = byte.term(terms);
        let masked = terms.and(byte, bits);
        let same = terms.eq(masked, value);
        self.decided(same)
    }
}
