//! `inotify`: watches of files and directories, and the events that wait to be read.

use std::collections::VecDeque;

use cleave_memory::Byte;

/// The number of an inode.
type Ino = u64;
/// A name in a directory. Its bytes may be symbolic.
type Name = Vec<Byte>;

pub(crate) const ACCESS: u32 = 1;
pub(crate) const MODIFY: u32 = 2;
pub(crate) const ATTRIB: u32 = 4;
pub(crate) const CLOSE_WRITE: u32 = 8;
pub(crate) const CLOSE_NOWRITE: u32 = 0x10;
pub(crate) const OPEN: u32 = 0x20;
pub(crate) const MOVED_FROM: u32 = 0x40;
pub(crate) const MOVED_TO: u32 = 0x80;
pub(crate) const CREATE: u32 = 0x100;
pub(crate) const DELETE: u32 = 0x200;
pub(crate) const DELETE_SELF: u32 = 0x400;
pub(crate) const MOVE_SELF: u32 = 0x800;
/// All of these.
pub(crate) const ALL_EVENTS: u32 = 0xfff;
const OVERFLOW: u32 = 0x4000;
/// The watch is gone.
const IGNORED: u32 = 0x8000;
/// Of an event: it happens to a directory.
pub(crate) const DIRECTORY: u32 = 0x4000_0000;

/// Events that wait at most (`/proc/sys/fs/inotify/max_queued_events`).
const MOST_EVENTS: usize = 16_384;
/// The size of an event without its name, in bytes; the size of a name is a multiple of it.
const HEAD: usize = 16;

/// A watch of an inode.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Watch {
    /// Its number.
    pub(crate) number: i32,
    pub(crate) ino: Ino,
    /// The events that are told of.
    pub(crate) mask: u32,
    /// Entries of a directory that were removed are not told of.
    pub(crate) not_removed: bool,
    /// It is gone after one event.
    pub(crate) once: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Event {
    watch: i32,
    mask: u32,
    /// The same for the two sides of a rename.
    cookie: u32,
    /// The entry of a directory that it is about; empty for the watched inode itself.
    name: Name,
}

impl Event {
    fn size(&self) -> usize {
        if self.name.is_empty() { HEAD } else { HEAD + (self.name.len() + 1).next_multiple_of(HEAD) }
    }

    fn put(self, bytes: &mut Vec<Byte>) {
        let end = bytes.len() + self.size();
        for word in [self.watch as u32, self.mask, self.cookie, (self.size() - HEAD) as u32] {
            bytes.extend(word.to_le_bytes().map(Byte::Known));
        }
        bytes.extend(self.name);
        bytes.resize(end, Byte::Known(0));
    }
}

/// An `inotify`: its watches, and the events that wait, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inotify {
    pub(crate) watches: Vec<Watch>,
    /// Number of watches that were made.
    made: i32,
    events: VecDeque<Event>,
}

impl Inotify {
    /// Watches an inode that is not watched yet; the watch's number.
    pub(crate) fn watch(&mut self, ino: Ino, mask: u32, not_removed: bool, once: bool) -> i32 {
        self.made += 1;
        self.watches.push(Watch { number: self.made, ino, mask, not_removed, once });
        self.made
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }

    /// Bytes that can be read.
    pub(crate) fn len(&self) -> usize {
        self.events.iter().map(Event::size).sum()
    }

    /// Takes as many events as fit into `len` bytes; `None` if the first one does not.
    pub(crate) fn take(&mut self, len: u64) -> Option<Vec<Byte>> {
        let mut bytes = Vec::new();
        while let Some(first) = self.events.front() {
            if (bytes.len() + first.size()) as u64 > len {
                break;
            }
            if let Some(event) = self.events.pop_front() {
                event.put(&mut bytes);
            }
        }
        (!bytes.is_empty()).then_some(bytes)
    }

    /// Adds an event. An event equal to the last one in the queue is not added again.
    fn add(&mut self, event: Event) {
        let same = |last: &Event| {
            last.mask & IGNORED == 0
                && (last.watch, last.mask) == (event.watch, event.mask)
                && last.name == event.name
        };
        if self.events.len() >= MOST_EVENTS {
            if self.events.back().is_none_or(|last| last.mask != OVERFLOW) {
                let name = Name::new();
                self.events.push_back(Event { watch: -1, mask: OVERFLOW, cookie: 0, name });
            }
        } else if !self.events.back().is_some_and(same) {
            self.events.push_back(event);
        }
    }

    /// Adds an event of the watched inode, or of an entry of it.
    pub(crate) fn tell(&mut self, ino: Ino, mask: u32, cookie: u32, name: &Name, removed: bool) {
        let Some(at) = self.watches.iter().position(|w| w.ino == ino) else { return };
        let Watch { number, mask: wanted, not_removed, once, .. } = self.watches[at];
        if mask & wanted & ALL_EVENTS == 0 || removed && not_removed {
            return;
        }
        self.add(Event { watch: number, mask, cookie, name: name.clone() });
        if once {
            self.forget(at);
        }
    }

    /// A watch is gone.
    pub(crate) fn forget(&mut self, at: usize) {
        let watch = self.watches.remove(at).number;
        self.add(Event { watch, mask: IGNORED, cookie: 0, name: Name::new() });
    }
}
