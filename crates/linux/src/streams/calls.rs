//! Calls by which the C library reports its streams while numbers wait in them (`buffered.rs`, runtime/musl/numbers.c). The
//! engine passes them on ([`Kernel::stream_call`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use cleave_memory::Byte;

use crate::files::inode::{Direction, FileNode, Stream};
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::Kernel;
use crate::processes::process::WaitingStream;
use crate::streams::buffered::{Buffer, Event, Number, Part, Replay, StreamId, What};
use crate::streams::float_text::Conversion;
use crate::streams::output::Output;

/// Offset of the printing options in the library's `struct number`: width, precision, flags, letter, 4 bytes each. In front of
/// that are its 10 bytes.
const HOW: u64 = 12;

impl Kernel {
    /// Returns true if a descriptor of the running process leads to the program's original standard output or standard error.
    pub fn is_output(&self, fd: u64) -> bool {
        self.output_of(fd as i32).is_some()
    }

    fn output_of(&self, fd: i32) -> Option<Stream> {
        let file = self.files.get(self.process.key(fd).ok()?).ok()?;
        match self.fs.inode(file.ino).ok()?.node {
            FileNode::Stream(stream) | FileNode::Terminal(Direction::Output(stream)) if file.writable() => {
                Some(stream)
            }
            _ => None,
        }
    }

    /// One call of `cleave_stream`: an event, and its stream, by the address of the `FILE`.
    ///
    /// # Errors
    /// [`Stop`] as of any call.
    pub fn stream_call(&mut self, guest: &mut dyn Guest, call: [u64; 6]) -> Result<u64, Stop> {
        let [what, at, fd, a, b, c] = call;
        let fd = fd as i32;
        match what {
            0 => self.opens(guest, at, fd, [a, b, c]),
            7 => {
                let mut waiting = self.process.waiting.iter();
                Ok(waiting.find(|(_, waits)| waits.fd == fd).map_or(0, |(&at, _)| at))
            }
            1..=6 => {
                let stream = StreamId { pid: self.process.pid, at };
                let Some(output) = self.process.waiting.get(&at).copied() else { return Ok(0) };
                if what < 4 && (output.fd != fd || self.output_of(fd) != Some(output.stream)) {
                    let why = "another descriptor, by a system call of the program's own, for a stream in which numbers wait";
                    return Err(Stop::Unsupported(why.into()));
                }
                self.goes_on(guest, stream, output.stream, [what, a, b, c])
            }
            _ => Err(Stop::Unsupported("a call of the C library's own that is not known".into())),
        }
    }

    fn opens(&mut self, guest: &mut dyn Guest, at: u64, fd: i32, held: [u64; 3]) -> Result<u64, Stop> {
        let Some(stream) = self.output_of(fd) else { return Ok(0) };
        let [address, len, kind] = held;
        let held = if len == 0 { Vec::new() } else { guest.read(address, len)? };
        let (lines, first) = (kind >> 32 & 1 != 0, kind >> 33 & 1 != 0);
        let buffer = Buffer { size: (kind & 0xffff_ffff) as usize, lines, first, held };
        let id = StreamId { pid: self.process.pid, at };
        self.output(stream).note(id, Event::Opens(buffer));
        Rc::make_mut(&mut self.process).waiting.insert(at, WaitingStream { fd, stream });
        Ok(1)
    }

    fn goes_on(
        &mut self,
        guest: &mut dyn Guest,
        id: StreamId,
        stream: Stream,
        [what, a, b, c]: [u64; 4],
    ) -> Result<u64, Stop> {
        let event = match what {
            1 => {
                let part = Part { len: b as usize, lines: c as usize };
                Event::Writes { bytes: guest.read(a, b)?, parts: vec![part] }
            }
            2 => Event::Number(read_number(guest, a)?),
            3 => {
                Rc::make_mut(&mut self.process).waiting.remove(&id.at);
                Event::Flushes
            }
            4 => return self.next_number(guest, id, stream, a),
            5 => Event::Text { number: c as u32, bytes: guest.read(a, b)? },
            _ => return self.settles(guest, id, stream, a),
        };
        self.output(stream).note(id, event);
        Ok(0)
    }

    fn output(&mut self, stream: Stream) -> &mut Output {
        match stream {
            Stream::Out => &mut self.stdout,
            Stream::Err => &mut self.stderr,
        }
    }

    /// Gives the library the oldest number of a stream that has no text; its place among the numbers of the output plus one, or 0.
    fn next_number(
        &mut self,
        guest: &mut dyn Guest,
        id: StreamId,
        stream: Stream,
        at: u64,
    ) -> Result<u64, Stop> {
        let Some((place, number)) = oldest_without_text(&self.output(stream).chunks(), id) else {
            return Ok(0);
        };
        guest.write(at, &number.value)?;
        let Conversion { flags, width, precision, letter } = number.how;
        for (word, value) in [width, precision as u32, flags, letter.into()].into_iter().enumerate() {
            let bytes = value.to_le_bytes().map(Byte::Known);
            guest.write(at + HOW + 4 * word as u64, &bytes)?;
        }
        Ok(u64::from(place) + 1)
    }

    /// The library gets its buffer back at an address. Returns the number of bytes in it, and bit 32 if ends of lines do not
    /// count any more. All numbers of the stream have texts.
    fn settles(&mut self, guest: &mut dyn Guest, id: StreamId, stream: Stream, at: u64) -> Result<u64, Stop> {
        let output = self.output(stream);
        let Some(buffer) = Replay::of(&output.chunks(), |_| Vec::new()).buffer(id) else { return Ok(0) };
        output.note(id, Event::Settles);
        Rc::make_mut(&mut self.process).waiting.remove(&id.at);
        if !buffer.held.is_empty() {
            guest.write(at, &buffer.held)?;
        }
        Ok(buffer.held.len() as u64 | u64::from(buffer.first && !buffer.lines) << 32)
    }
}

/// The oldest number that a stream's buffer may hold and that has no text, with its place among all numbers of the output. A process
/// has those of the process that it is a copy of.
fn oldest_without_text(chunks: &[&What], id: StreamId) -> Option<(u32, Number)> {
    let mut waiting: BTreeMap<StreamId, Vec<(u32, Number)>> = BTreeMap::new();
    let mut count = 0;
    for chunk in chunks {
        let What::Event(of, event) = chunk else { continue };
        match event {
            Event::Opens(_) | Event::Flushes | Event::Settles => drop(waiting.remove(of)),
            Event::Number(number) => {
                waiting.entry(*of).or_default().push((count, *number));
                count += 1;
            }
            Event::Text { number: made, .. } => {
                waiting.values_mut().for_each(|numbers| numbers.retain(|(n, _)| n != made));
            }
            Event::Forks { child } => {
                let own = waiting.iter().filter(|(stream, _)| stream.pid == of.pid);
                let copies: Vec<_> =
                    own.map(|(s, numbers)| (StreamId { pid: *child, at: s.at }, numbers.clone())).collect();
                waiting.extend(copies);
            }
            Event::Writes { .. } => {}
        }
    }
    waiting.get(&id)?.first().copied()
}

fn read_number(guest: &mut dyn Guest, at: u64) -> Result<Number, Stop> {
    let mut value = [Byte::Known(0); 10];
    value.copy_from_slice(&guest.read(at, 10)?);
    let how = guest.read(at + HOW, 16)?;
    let mut words = [0; 4];
    for (to, bytes) in words.iter_mut().zip(how.chunks(4)) {
        let word = Byte::word(guest.terms(), bytes);
        *to = guest.value(word)? as u32;
    }
    let [width, precision, flags, letter] = words;
    Ok(Number { value, how: Conversion { flags, width, precision: precision as i32, letter: letter as u8 } })
}
