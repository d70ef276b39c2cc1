//! Write access to parts that forks share, and a count of the events that end windows: see [`crate::Window`].

use std::cell::Cell;
use std::rc::Rc;

thread_local! {
    static CHANGES: Cell<u64> = const { Cell::new(0) };
}

/// The number of events on this thread after which a pointer into a page may be wrong, or the page's bytes other than plain.
#[inline]
pub fn changes() -> u64 {
    CHANGES.with(Cell::get)
}

/// Ends all windows on this thread.
#[inline(always)]
pub(crate) fn changed() {
    CHANGES.with(|changes| changes.set(changes.get().wrapping_add(1)));
}

/// As [`Rc::make_mut`] for a value without weak references: only the copy is a call.
#[inline(always)]
pub(crate) fn own<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    if Rc::strong_count(shared) != 1 {
        separate(shared);
    }
    Rc::get_mut(shared).unwrap_or_else(|| unreachable!("a copy that was just made has one owner"))
}

#[cold]
#[inline(never)]
fn separate<T: Clone>(shared: &mut Rc<T>) {
    changed();
    *shared = Rc::new(T::clone(shared));
}
