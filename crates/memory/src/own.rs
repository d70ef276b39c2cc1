//! Write access to parts that forks share.

use std::rc::Rc;

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
    *shared = Rc::new(T::clone(shared));
}
