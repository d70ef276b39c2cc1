// Maps check with debug assertions that their groups of control bytes do not overlap a local variable: the distance of two objects, which is
// large enough wherever they lie.
// cleave: args --sym-arg 2
// cleave: never says depends on the addresses
// cleave: code 0
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;

fn main() {
    let mut counts: HashMap<u8, u32> = HashMap::new();
    let argument = std::env::args_os().nth(1).unwrap_or_default();
    for letter in argument.as_bytes() {
        if *letter == b'a' || *letter == b'b' {
            *counts.entry(*letter).or_insert(10) += 1;
        }
    }
    if let Some(count) = counts.get(&b'a') {
        assert!(*count <= 12);
    }
    std::process::exit(i32::from(counts.len() > 1));
}
