// With unwinding a panic runs destructors, and can be caught; one that nobody catches is the exit status 101.
// cleave: flags -C panic=unwind
// cleave: expect paths=4
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};

struct Counted<'a>(&'a Cell<u32>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

fn deep(n: u8, dropped: &Cell<u32>) -> u8 {
    let _counted = Counted(dropped);
    match n {
        1 => panic!("one"),
        2 => std::panic::resume_unwind(Box::new(22u32)),
        _ => n,
    }
}

fn main() {
    let n: u8 = cleave::any();
    let dropped = Cell::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| deep(n, &dropped)));
    assert_eq!(dropped.get(), 1);
    match result {
        Ok(value) => assert_eq!(value, n),
        Err(panic) if n == 1 => assert_eq!(panic.downcast_ref::<&str>(), Some(&"one")),
        Err(panic) => assert_eq!(panic.downcast_ref::<u32>(), Some(&22)),
    }
    if n == 3 {
        panic!("at the end");
    }
}
