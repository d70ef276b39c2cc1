//! The output of a stream: a list of chunks, of which states share all but the newest. Beside bytes it holds the operations on
//! buffered streams of the C library while numbers in them are not text yet (`buffered.rs`).

use std::rc::Rc;

use cleave_memory::Byte;

use crate::streams::buffered::{Event, Replay, StreamId, What};

/// Chunks shorter than this are copied into the next one.
const CHUNK: usize = 256;

#[derive(Debug)]
struct Chunk {
    before: Option<Rc<Chunk>>,
    what: What,
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // Without recursion, however long the list is.
        let mut next = self.before.take();
        while let Some(chunk) = next {
            next = Rc::into_inner(chunk).and_then(|mut c| c.before.take());
        }
    }
}

/// All output so far. Cloning it costs nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    last: Option<Rc<Chunk>>,
    len: usize,
    /// There are chunks that are no bytes.
    buffered: bool,
}

impl Output {
    pub(crate) fn append(&mut self, bytes: &[Byte]) {
        if !bytes.is_empty() {
            self.len += bytes.len();
            self.push(What::Bytes(bytes.to_vec()));
        }
    }

    /// Something happens to a stream's buffer.
    pub(crate) fn note(&mut self, stream: StreamId, event: Event) {
        self.len += event.len();
        self.buffered = true;
        self.push(What::Event(stream, event));
    }

    /// A process is a copy of another one, and so are the buffers of its streams.
    pub(crate) fn forks(&mut self, parent: u64, child: u64) {
        if self.buffered {
            self.note(StreamId { pid: parent, at: 0 }, Event::Forks { child });
        }
    }

    fn push(&mut self, mut what: What) {
        let before = match self.last.take() {
            Some(last) => match joined(&last.what, &what) {
                Some(both) => {
                    what = both;
                    last.before.clone()
                }
                None => Some(last),
            },
            None => None,
        };
        self.last = Some(Rc::new(Chunk { before, what }));
    }

    /// Length of the output: bytes and events. It grows with each.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All chunks, the oldest first.
    pub(crate) fn chunks(&self) -> Vec<&What> {
        let mut chunks = Vec::new();
        let mut at = self.last.as_deref();
        while let Some(chunk) = at {
            chunks.push(&chunk.what);
            at = chunk.before.as_deref();
        }
        chunks.reverse();
        chunks
    }

    /// The output, if no number waits in it.
    pub(crate) fn bytes(&self) -> Vec<Byte> {
        Replay::of(&self.chunks(), |_| Vec::new()).written
    }

    /// The program's output, with these values for its bytes.
    pub(crate) fn collect(&self, value: &mut dyn FnMut(Byte) -> u8) -> Vec<u8> {
        let written = Replay::of(&self.chunks(), |number| number.text(value)).written;
        written.into_iter().map(value).collect()
    }
}

/// Both pieces as one, if the first is short.
fn joined(first: &What, next: &What) -> Option<What> {
    match (first, next) {
        (What::Bytes(first), What::Bytes(second)) if first.len() < CHUNK => {
            Some(What::Bytes([&first[..], second].concat()))
        }
        (
            What::Event(stream, Event::Writes { bytes, parts }),
            What::Event(other, Event::Writes { bytes: more, parts: others }),
        ) if stream == other && bytes.len() < CHUNK => {
            let (bytes, parts) = ([&bytes[..], more].concat(), [&parts[..], others].concat());
            Some(What::Event(*stream, Event::Writes { bytes, parts }))
        }
        _ => None,
    }
}
