//! The bytes of a file: pages that are holes, known, or partly symbolic; shared between states until written.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::PAGE_SIZE;

const PAGE: usize = PAGE_SIZE as usize;

/// One page; bytes past the end of the file are zero in it.
#[derive(Clone, Debug, PartialEq)]
enum Page {
    Hole,
    Known(Rc<[u8]>),
    Mixed(Rc<[Byte]>),
}

impl Page {
    fn get(&self, i: usize) -> Byte {
        match self {
            Page::Hole => Byte::Known(0),
            Page::Known(bytes) => Byte::Known(bytes[i]),
            Page::Mixed(bytes) => bytes[i],
        }
    }

    fn put(&mut self, at: usize, new: &[Byte]) {
        let known = |b: &Byte| matches!(b, Byte::Known(_));
        if matches!(self, Page::Hole) {
            *self = Page::Known(Rc::from(vec![0; PAGE]));
        }
        if let Page::Known(old) = self
            && !new.iter().all(known)
        {
            *self = Page::Mixed(old.iter().map(|&b| Byte::Known(b)).collect());
        }
        match self {
            Page::Hole => {}
            Page::Known(bytes) => {
                for (old, new) in Rc::make_mut(bytes)[at..].iter_mut().zip(new) {
                    if let Byte::Known(b) = new {
                        *old = *b;
                    }
                }
            }
            Page::Mixed(bytes) => Rc::make_mut(bytes)[at..at + new.len()].copy_from_slice(new),
        }
    }
}

/// Bytes of a regular file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    len: u64,
    pages: Vec<Page>,
}

impl Content {
    pub(crate) fn of(bytes: &[Byte]) -> Content {
        let mut content = Content::default();
        content.write(0, bytes);
        content
    }

    /// As [`Content::of`], if nothing is symbolic.
    pub(crate) fn of_known(bytes: &[u8]) -> Content {
        let page = |part: &[u8]| {
            let mut page = vec![0; PAGE];
            page[..part.len()].copy_from_slice(part);
            Page::Known(Rc::from(page))
        };
        Content { len: bytes.len() as u64, pages: bytes.chunks(PAGE).map(page).collect() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Pages that take room.
    pub(crate) fn pages(&self) -> u64 {
        self.pages.iter().filter(|p| !matches!(p, Page::Hole)).count() as u64
    }

    /// Number of new pages that a write of `len` bytes at `at` takes.
    pub(crate) fn pages_needed(&self, at: u64, len: u64) -> u64 {
        if len == 0 {
            return 0;
        }
        let range = at / PAGE_SIZE..=(at + len - 1) / PAGE_SIZE;
        range.filter(|&p| self.is_hole(p)).count() as u64
    }

    fn is_hole(&self, page: u64) -> bool {
        !matches!(self.pages.get(page as usize), Some(Page::Known(_) | Page::Mixed(_)))
    }

    /// At most `len` bytes from `at` on, fewer at the end.
    pub(crate) fn read(&self, at: u64, len: u64) -> Vec<Byte> {
        let end = at.saturating_add(len).min(self.len);
        let byte = |i: u64| {
            let page = self.pages.get((i / PAGE_SIZE) as usize);
            page.map_or(Byte::Known(0), |p| p.get((i % PAGE_SIZE) as usize))
        };
        (at..end).map(byte).collect()
    }

    /// Writes, extending the file if need be. The caller has checked the limits.
    pub(crate) fn write(&mut self, at: u64, bytes: &[Byte]) {
        let mut done = 0;
        while done < bytes.len() {
            let i = at + done as u64;
            let offset = (i % PAGE_SIZE) as usize;
            let n = (PAGE - offset).min(bytes.len() - done);
            self.page(i / PAGE_SIZE).put(offset, &bytes[done..done + n]);
            done += n;
        }
        if !bytes.is_empty() {
            self.len = self.len.max(at + bytes.len() as u64);
        }
    }

    fn page(&mut self, page: u64) -> &mut Page {
        let page = page as usize;
        if self.pages.len() <= page {
            self.pages.resize(page + 1, Page::Hole);
        }
        &mut self.pages[page]
    }

    /// Cuts off, or extends by a hole.
    pub(crate) fn resize(&mut self, len: u64) {
        if len < self.len {
            self.pages.truncate(len.div_ceil(PAGE_SIZE) as usize);
            let rest = (len % PAGE_SIZE) as usize;
            if rest > 0 && !self.is_hole(len / PAGE_SIZE) {
                self.page(len / PAGE_SIZE).put(rest, &vec![Byte::Known(0); PAGE - rest]);
            }
        }
        self.len = len;
    }

    /// Takes room for a range without changing a byte.
    pub(crate) fn allocate(&mut self, at: u64, len: u64) {
        for page in at / PAGE_SIZE..=(at + len - 1) / PAGE_SIZE {
            self.page(page).put(0, &[]);
        }
    }

    /// Makes a range read as zero and gives its whole pages back.
    pub(crate) fn punch(&mut self, at: u64, len: u64) {
        let end = at.saturating_add(len).min(self.pages.len() as u64 * PAGE_SIZE);
        let mut i = at;
        while i < end {
            let n = (PAGE_SIZE - i % PAGE_SIZE).min(end - i);
            if n == PAGE_SIZE {
                *self.page(i / PAGE_SIZE) = Page::Hole;
            } else if !self.is_hole(i / PAGE_SIZE) {
                self.page(i / PAGE_SIZE).put((i % PAGE_SIZE) as usize, &vec![Byte::Known(0); n as usize]);
            }
            i += n;
        }
    }

    /// The next position at or after `at` that is data (`true`) or a hole; the end is a hole. `None` if there is no such data, or
    /// `at` is past the end.
    pub(crate) fn seek(&self, at: u64, data: bool) -> Option<u64> {
        if at >= self.len {
            return None;
        }
        let mut i = at;
        while i < self.len && self.is_hole(i / PAGE_SIZE) == data {
            i = (i / PAGE_SIZE + 1) * PAGE_SIZE;
        }
        if i < self.len { Some(i) } else { (!data).then_some(self.len) }
    }
}
