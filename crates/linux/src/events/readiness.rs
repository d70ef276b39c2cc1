//! Readiness of descriptors. A set of descriptors is ready where one of its members is, so this goes from sets to members.

use crate::events::counter_calls::MOST_EVENTS;
use crate::events::objects::{EDGE, Epoll, ONE_SHOT, Special, Watched};
use crate::files::descriptions::OpenFile;
use crate::files::inode::{Direction, FileNode};
use crate::kernel::state::Call;

/// Flags of a request of `epoll` that are no events.
pub(crate) const FLAGS: u32 = ONE_SHOT | EDGE | 1 << 29 | EXCLUSIVE;
pub(crate) const EXCLUSIVE: u32 = 1 << 28;

impl Call<'_> {
    /// Events that `poll` reports for a descriptor.
    pub(crate) fn readiness(&self, fd: i32) -> u16 {
        const NVAL: u16 = 32;
        self.file(fd).map_or(NVAL, |file| self.file_readiness(file))
    }

    /// As [`Call::readiness`], of an open file description.
    fn file_readiness(&self, file: &OpenFile) -> u16 {
        const IN: u16 = 0x41;
        const OUT: u16 = 0x104;
        const ERR: u16 = 8;
        const HUP: u16 = 16;
        const NVAL: u16 = 32;
        let Ok(inode) = self.inode(file.ino) else { return NVAL };
        match &inode.node {
            FileNode::Pipe(held) => {
                let other =
                    |test: fn(&OpenFile) -> bool| self.files().iter().any(|f| f.ino == file.ino && test(f));
                let mut events = 0;
                if file.readable() {
                    events |= if held.is_empty() { 0 } else { IN };
                    let quiet = other(OpenFile::writable) || file.writers_before == held.writers;
                    events |= if quiet { 0 } else { HUP };
                }
                if file.writable() {
                    events |= if held.is_full() { 0 } else { OUT };
                    events |= if other(OpenFile::readable) { 0 } else { ERR };
                }
                events
            }
            FileNode::Stream(_) | FileNode::Terminal(Direction::Output(_)) => OUT,
            FileNode::Special(special) => self.special_readiness(special),
            FileNode::Endpoint(socket) => self.socket_readiness(file.ino, socket),
            _ => IN | OUT,
        }
    }

    /// Events that `poll` reports for a file of its own kind.
    fn special_readiness(&self, special: &Special) -> u16 {
        const IN: u16 = 1;
        const OUT: u16 = 4;
        const NORMAL: u16 = 0x40;
        let when = |holds: bool, events: u16| if holds { events } else { 0 };
        match special {
            Special::Event { count, .. } => when(*count > 0, IN) | when(*count < MOST_EVENTS, OUT),
            Special::Timer(timer) => when(timer.expirations(self.kernel.clock) > 0, IN),
            Special::Signals(set) => when(self.process().signals.pending() & set != 0, IN),
            Special::Inotify(inotify) => when(!inotify.is_quiet(), IN | NORMAL),
            Special::Epoll(epoll) => when(self.some_ready(epoll), IN | NORMAL),
        }
    }

    /// The events of a descriptor that are told of now.
    pub(crate) fn told(&self, watched: &Watched) -> u32 {
        // The descriptor may be closed by now, while another one stands for the same.
        match self.files().get(watched.key) {
            Ok(file) if watched.events & !FLAGS != 0 => u32::from(self.file_readiness(file)) & watched.events,
            _ => 0,
        }
    }

    fn some_ready(&self, epoll: &Epoll) -> bool {
        epoll.watched.iter().any(|watched| watched.ready_since.is_some() && self.told(watched) != 0)
    }
}
