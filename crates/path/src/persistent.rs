//! Persistent containers of the path condition: a clone shares everything, a write copies little.

use std::rc::Rc;

use crate::policy::lists;

/// A list that grows at its front. Clones share their tails.
pub struct List<T>(Option<Rc<Cell<T>>>);

struct Cell<T> {
    value: T,
    next: List<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List(None)
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        List(self.0.clone())
    }
}

impl<T> List<T> {
    /// Adds an element at the front.
    pub fn push(&mut self, value: T) {
        let next = List(self.0.take());
        self.0 = Some(Rc::new(Cell { value, next }));
    }

    /// The address of the list, unique while a copy of it exists; `None` if it is empty.
    pub fn place(&self) -> Option<usize> {
        self.0.as_ref().map(|cell| Rc::as_ptr(cell) as usize)
    }

    /// The element pushed last.
    pub fn first(&self) -> Option<&T> {
        self.0.as_deref().map(|cell| &cell.value)
    }

    /// Returns true if there is another copy of the list, or of a list that extends it.
    pub fn is_shared(&self) -> bool {
        self.0.as_ref().is_some_and(|cell| Rc::strong_count(cell) > 1)
    }

    /// The list without the element pushed last.
    pub fn rest(&self) -> Option<&List<T>> {
        self.0.as_deref().map(|cell| &cell.next)
    }

    /// From the last pushed to the first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mut at = self;
        std::iter::from_fn(move || {
            let cell = at.0.as_deref()?;
            at = &cell.next;
            Some(&cell.value)
        })
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        // One by one: the derived drop would recurse once an element.
        let mut next = self.0.take();
        while let Some(cell) = next {
            next = match Rc::try_unwrap(cell) {
                Ok(mut cell) => cell.next.0.take(),
                Err(_) => None,
            };
        }
    }
}

type Leaf<T> = [T; lists::LEAF];
type Middle<T> = [Option<Rc<Leaf<T>>>; lists::MIDDLE];

/// A vector without an end: unwritten elements have the default value. It has three levels, so that a write after a
/// clone copies few pointers even with thousands of elements.
pub(crate) struct Chunked<T> {
    chunks: Rc<Vec<Rc<Middle<T>>>>,
}

impl<T> Clone for Chunked<T> {
    fn clone(&self) -> Self {
        Chunked { chunks: self.chunks.clone() }
    }
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Chunked { chunks: Rc::new(Vec::new()) }
    }
}

impl<T: Clone + Default> Chunked<T> {
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<&T> {
        let middle = self.chunks.get(i / (lists::LEAF * lists::MIDDLE))?;
        let leaf = middle[i / lists::LEAF % lists::MIDDLE].as_ref()?;
        Some(&leaf[i % lists::LEAF])
    }

    pub(crate) fn get_mut(&mut self, i: usize) -> &mut T {
        let chunks = Rc::make_mut(&mut self.chunks);
        let c = i / (lists::LEAF * lists::MIDDLE);
        if c >= chunks.len() {
            chunks.resize_with(c + 1, || Rc::new(std::array::from_fn(|_| None)));
        }
        let middle = Rc::make_mut(&mut chunks[c]);
        let leaf = middle[i / lists::LEAF % lists::MIDDLE]
            .get_or_insert_with(|| Rc::new(std::array::from_fn(|_| T::default())));
        &mut Rc::make_mut(leaf)[i % lists::LEAF]
    }

    /// All elements of the chunks that were ever written to, with their indexes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let middles = self.chunks.iter().enumerate();
        let leaves = middles.flat_map(|(c, m)| {
            m.iter().enumerate().filter_map(move |(l, leaf)| Some((c * lists::MIDDLE + l, leaf.as_ref()?)))
        });
        leaves.flat_map(|(l, leaf)| leaf.iter().enumerate().map(move |(i, t)| (l * lists::LEAF + i, t)))
    }
}
