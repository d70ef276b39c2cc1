// Trait objects, closures and iterators: which function runs depends on the input.
// cleave: expect paths=3 failed=1
trait Shape {
    fn area(&self) -> u32;
    fn name(&self) -> String {
        "shape".to_string()
    }
}

struct Square(u32);
struct Strip {
    length: u32,
}

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0 //~ ERROR panic
    }
    fn name(&self) -> String {
        format!("square of {}", self.0)
    }
}

impl Shape for Strip {
    fn area(&self) -> u32 {
        self.length
    }
}

fn made(kind: u8) -> Option<Box<dyn Shape>> {
    match kind {
        0 => Some(Box::new(Square(3))),
        1 => Some(Box::new(Strip { length: 4 })),
        2 => Some(Box::new(Square(100_000))),
        _ => None,
    }
}

fn main() {
    let Some(shape) = made(cleave::any()) else { return };
    let twice: Box<dyn Fn(u32) -> u32> = Box::new(|n| n * 2);
    println!("{}: {}", shape.name(), twice(shape.area()));
}
