//! What was written to a stream: a list of chunks, of which states share all but the newest.

use std::rc::Rc;

use cleave_memory::Byte;

/// Chunks shorter than this are copied into the next one.
const CHUNK: usize = 256;

#[derive(Debug)]
struct Chunk {
    before: Option<Rc<Chunk>>,
    bytes: Vec<Byte>,
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
}

impl Output {
    pub(crate) fn append(&mut self, bytes: &[Byte]) {
        if bytes.is_empty() {
            return;
        }
        self.len += bytes.len();
        let chunk = match self.last.take() {
            Some(last) if last.bytes.len() < CHUNK => {
                let bytes = last.bytes.iter().chain(bytes).copied().collect();
                Chunk { before: last.before.clone(), bytes }
            }
            before => Chunk { before, bytes: bytes.to_vec() },
        };
        self.last = Some(Rc::new(chunk));
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn collect(&self) -> Vec<Byte> {
        let mut chunks = Vec::new();
        let mut at = self.last.as_deref();
        while let Some(chunk) = at {
            chunks.push(&chunk.bytes);
            at = chunk.before.as_deref();
        }
        let mut all = Vec::with_capacity(self.len);
        chunks.iter().rev().for_each(|bytes| all.extend_from_slice(bytes));
        all
    }
}
