// Shared ownership: counts, a cell that is borrowed twice, and what is dropped in which order.
// cleave: expect paths=1..2 failed=1
use std::cell::{Cell, RefCell};
use std::rc::Rc;

struct Told<'a>(u32, &'a Cell<u32>);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() * 10 + self.0);
    }
}

fn main() {
    let way: u8 = cleave::any();
    let order = Cell::new(0);
    {
        let _first = Told(1, &order);
        let second = Told(2, &order);
        let _third = Told(3, &order);
        if way == 0 {
            drop(second);
        }
    }
    assert_eq!(order.get(), if way == 0 { 231 } else { 321 });
    let cell = Rc::new(RefCell::new(vec![1]));
    let other = Rc::clone(&cell);
    assert_eq!(Rc::strong_count(&cell), 2);
    let held = cell.borrow();
    if way == 9 {
        other.borrow_mut().push(2); //~ ERROR panic
    }
    assert_eq!(held.len(), 1);
}
