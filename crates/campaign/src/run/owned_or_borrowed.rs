//! A value that is owned or borrowed. Coordinators hold their ledger and transport this way.

use std::ops::{Deref, DerefMut};

/// A value that its holder owns, or has borrowed.
pub(crate) enum Held<'a, T: ?Sized> {
    Own(Box<T>),
    Ref(&'a mut T),
}

impl<T: ?Sized> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Held::Own(value) => value,
            Held::Ref(value) => value,
        }
    }
}

impl<T: ?Sized> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Held::Own(value) => value,
            Held::Ref(value) => value,
        }
    }
}
