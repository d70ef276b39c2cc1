//! Buffered streams of the C library that hold numbers whose text is not known yet.
//!
//! Such a number has no length. So the library's buffer cannot hold it, and cannot say when it is full. From the first one on the
//! library (runtime/musl/numbers.c) hands each write to the kernel, which notes it in the output: the *events* of a stream. When
//! all inputs are known, the output replays the events as musl's buffer would have taken them, and has the same text, and has
//! lost the same when the program ends without a flush.

use std::collections::BTreeMap;

use cleave_memory::Byte;

use crate::streams::float_text::{self, Conversion};

/// A stream of the C library: its process, and the address of its `FILE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamId {
    pub(crate) pid: u64,
    pub(crate) at: u64,
}

/// A piece of an output: bytes, or an event of a stream.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Bytes(Vec<Byte>),
    Event(StreamId, Event),
}

/// A number of 80 bits and how it is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) value: [Byte; 10],
    pub(crate) how: Conversion,
}

impl Number {
    /// The writes that its text is made by, where each byte of it has this value.
    pub(crate) fn text(&self, value: &mut dyn FnMut(Byte) -> u8) -> Vec<Vec<Byte>> {
        let mut bytes = [0; 16];
        for (to, &byte) in bytes.iter_mut().zip(&self.value) {
            *to = value(byte);
        }
        let bits = u128::from_le_bytes(bytes);
        let writes = float_text::text(bits as u64, (bits >> 64) as u16, self.how);
        writes.iter().map(|text| text.iter().map(|&c| Byte::Known(c)).collect()).collect()
    }
}

/// One write of the C library to a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Bytes of it.
    pub(crate) len: usize,
    /// Of these, those up to the last end of a line, where the stream may be buffered by lines.
    pub(crate) lines: usize,
}

/// An event of a stream.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// From here on its buffer is here.
    Opens(Buffer),
    /// The C library writes to it.
    Writes { bytes: Vec<Byte>, parts: Vec<Part> },
    /// It writes a number.
    Number(Number),
    /// The text of a number, by its place among the numbers of the output: one write of several.
    Text { number: u32, bytes: Vec<Byte> },
    /// All is written that is in the buffer. The buffer is the library's again.
    Flushes,
    /// The library has its buffer again, with its contents.
    Settles,
    /// The stream's process is copied.
    Forks { child: u64 },
}

impl Event {
    /// Length that it adds to an output.
    pub(crate) fn len(&self) -> usize {
        match self {
            Event::Writes { bytes, .. } => bytes.len(),
            Event::Opens(_) | Event::Number(_) | Event::Text { .. } => 1,
            Event::Flushes | Event::Settles | Event::Forks { .. } => 1,
        }
    }
}

/// The buffer of a stream, as musl's `FILE` has it.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// Bytes that it can hold.
    pub(crate) size: usize,
    /// Ends of lines are written at once.
    pub(crate) lines: bool,
    /// No more once something was written: the stream is standard output, and no terminal.
    pub(crate) first: bool,
    pub(crate) held: Vec<Byte>,
}

/// The output as it came out of the program.
#[derive(Default)]
pub(crate) struct Replay {
    buffers: BTreeMap<StreamId, Buffer>,
    pub(crate) written: Vec<Byte>,
}

impl Replay {
    /// Replays all of an output; `text` makes numbers text that the program has not made text itself.
    pub(crate) fn of(chunks: &[&What], mut text: impl FnMut(&Number) -> Vec<Vec<Byte>>) -> Replay {
        let mut made: BTreeMap<u32, Vec<Vec<Byte>>> = BTreeMap::new();
        for chunk in chunks {
            if let What::Event(_, Event::Text { number, bytes }) = chunk {
                made.entry(*number).or_default().push(bytes.clone());
            }
        }
        let mut replay = Replay::default();
        let mut numbers = 0;
        for chunk in chunks {
            match chunk {
                What::Bytes(bytes) => replay.written.extend_from_slice(bytes),
                What::Event(stream, Event::Number(number)) => {
                    let writes = made.remove(&numbers).unwrap_or_else(|| text(number));
                    writes.iter().for_each(|bytes| replay.write(*stream, bytes, 0));
                    numbers += 1;
                }
                What::Event(stream, event) => replay.event(*stream, event),
            }
        }
        replay
    }

    fn event(&mut self, stream: StreamId, event: &Event) {
        match event {
            Event::Opens(buffer) => {
                self.buffers.insert(stream, buffer.clone());
            }
            Event::Writes { bytes, parts } => {
                let mut rest = &bytes[..];
                for part in parts {
                    let (now, later) = rest.split_at(part.len.min(rest.len()));
                    self.write(stream, now, part.lines);
                    rest = later;
                }
            }
            Event::Flushes => {
                let buffer = self.buffers.remove(&stream);
                self.written.extend(buffer.into_iter().flat_map(|b| b.held));
            }
            Event::Settles => {
                self.buffers.remove(&stream);
            }
            Event::Forks { child } => {
                let own = self.buffers.iter().filter(|(id, _)| id.pid == stream.pid);
                let copies: Vec<_> =
                    own.map(|(id, buffer)| (StreamId { pid: *child, at: id.at }, buffer.clone())).collect();
                self.buffers.extend(copies);
            }
            Event::Number(_) | Event::Text { .. } => {}
        }
    }

    /// musl's `__fwritex`: bytes that do not fit are written at once, behind the buffer's contents.
    fn write(&mut self, stream: StreamId, bytes: &[Byte], lines: usize) {
        let Some(buffer) = self.buffers.get_mut(&stream) else { return };
        let fits = bytes.len() <= buffer.size.saturating_sub(buffer.held.len());
        let out = match fits {
            false => bytes.len(),
            true if buffer.lines => lines.min(bytes.len()),
            true => 0,
        };
        if out > 0 || !fits {
            self.written.append(&mut buffer.held);
            self.written.extend_from_slice(&bytes[..out]);
            buffer.lines &= !buffer.first;
        }
        buffer.held.extend_from_slice(&bytes[out..]);
    }

    /// The buffer of a stream.
    pub(crate) fn buffer(&mut self, stream: StreamId) -> Option<Buffer> {
        self.buffers.remove(&stream)
    }
}
