//! The terminal that standard input, output and error may be (`--sym-terminal`). A stream is a pipe or a file until the first call
//! that shows whether it is the terminal; that call decides it.
//!
//! The line discipline has done its work already: the bytes of standard input are those that programs get. In canonical mode a read
//! ends behind a newline. What a program writes is recorded as it is written, and nothing is echoed.

use cleave_expr::Term;
use cleave_memory::Byte;

use crate::env::world;
use crate::files::content::Content;
use crate::files::fs::{Fs, STDERR, STDIN, STDOUT};
use crate::files::inode::{Direction, FileNode, Ino};

/// Bytes of the kernel's `struct termios`.
pub(crate) const SETTINGS: usize = 36;

/// The streams by the bits of the input `terminal`, lowest first.
pub(crate) const STREAMS: [Ino; 3] = [STDIN, STDOUT, STDERR];

/// The state of the terminal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Terminal {
    /// For each of [`STREAMS`]: the condition that it is the terminal (one bit), until that is decided.
    pub(crate) open: [Option<Term>; 3],
    /// `struct termios` in the kernel's layout.
    pub(crate) settings: [Byte; SETTINGS],
    /// `struct winsize`: rows, columns, width and height in pixels, 16 bits each.
    pub(crate) window: [Byte; 8],
}

impl Terminal {
    /// A new terminal; for each of [`STREAMS`] the condition that it is the terminal, if that is not decided.
    pub(crate) fn new(open: [Option<Term>; 3]) -> Terminal {
        let mut settings = [Byte::Known(0); SETTINGS];
        // Modes of input, output, control and local modes, as a new pseudoterminal has them.
        let modes = [0x500u32, 5, 0xbf, 0x8a3b].into_iter().flat_map(u32::to_le_bytes);
        // The line discipline, and the characters by their places.
        let characters = [0, 3, 0x1c, 0x7f, 0x15, 4, 0, 1, 0, 0x11, 0x13, 0x1a, 0, 0x12, 0xf, 0x17, 0x16];
        for (place, value) in settings.iter_mut().zip(modes.chain(characters)) {
            *place = Byte::Known(value);
        }
        let window = world::TERMINAL_SIZE.into_iter().chain([0, 0]).flat_map(u16::to_le_bytes);
        let window: Vec<Byte> = window.map(Byte::Known).collect();
        Terminal { open, settings, window: std::array::from_fn(|i| window[i]) }
    }
}

impl Fs {
    /// Makes a stream the terminal.
    pub(crate) fn become_terminal(&mut self, stream: Ino) {
        let Ok(inode) = self.inode_mut(stream) else { return };
        inode.node = FileNode::Terminal(match std::mem::replace(&mut inode.node, FileNode::Socket) {
            FileNode::Stream(stream) => Direction::Output(stream),
            FileNode::Sealed(content) => Direction::Input(content),
            _ => Direction::Input(Content::default()),
        });
        (inode.mode, inode.links) = (world::TERMINAL_MODE, 1);
        (inode.uid, inode.gid) = (world::UID, world::TERMINAL_GROUP);
    }
}
