// Undefined behaviour in unsafe code: behind an object, after it was freed, twice freed, of nothing.
// cleave: expect paths=1 failed=4
use std::alloc::{alloc, dealloc, Layout};

fn main() {
    let way: u8 = cleave::any();
    let layout = Layout::from_size_align(4, 1).unwrap();
    // SAFETY: none; that is the point.
    unsafe {
        let memory = alloc(layout);
        memory.write_bytes(1, 4);
        match way {
            0 => println!("{}", std::ptr::read_volatile(memory.add(4))), //~ ERROR ptr
            1 => {
                dealloc(memory, layout);
                println!("{}", std::ptr::read_volatile(memory)); //~ ERROR ptr
            }
            2 => {
                dealloc(memory, layout);
                dealloc(memory, layout); //~ ERROR ptr
            }
            3 => println!("{}", std::ptr::read_volatile(std::ptr::null::<u32>())), //~ ERROR panic
            _ => dealloc(memory, layout),
        }
    }
}
