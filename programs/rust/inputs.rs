// Inputs of each type, and assumptions about them.
// cleave: expect paths=10
use std::hint::black_box;

fn main() {
    let ways = if cleave::any::<bool>() {
        let n = cleave::any_where(|n: &u16| *n % 7 == 3);
        assert_eq!(n % 7, 3);
        1
    } else {
        match cleave::any::<Option<i8>>() {
            None => 2,
            Some(n) if n < 0 => 3,
            Some(_) => 4,
        }
    };
    let c: char = cleave::any();
    assert!(!(0xd800..0xe000).contains(&(c as u32)) && c as u32 <= 0x10ffff);
    let (a, b): (u64, [u8; 2]) = cleave::named("pair");
    cleave::assume(a > 5 && b[0] == b[1]);
    assert!(a != 3 && u16::from_le_bytes(b) % 257 == 0);
    let bytes = cleave::bytes(3);
    assert_eq!(bytes.len(), 3);
    if ways != 1 && bytes[0] == bytes[2] {
        black_box(ways);
    } else if ways == 1 && bytes[1] > 200 {
        black_box(bytes[1]);
    } else {
        black_box(a);
    }
    if ways == 4 {
        println!("{}", cleave::any::<u128>() > u128::MAX / 2);
    }
}
