// Texts of sixteen characters, which are compared as one number of 128 bits.
// cleave: expect paths=5 failed=1
fn kind(word: [u8; 16]) -> u32 {
    match u128::from_be_bytes(word) {
        0x5472616e73697469_6f6e732020202020 => 1,
        0x5265666572656e63_6573202020202020 => 2,
        0x4c69746572617475_7265202020202020 => 3,
        0x4170706561726164_6e63652020202020 => 4,
        0xffffffffffffffff_ffffffffffffffff => 5,
        _ => 0,
    }
}

fn main() {
    let kind = kind(cleave::any());
    if kind == 3 {
        panic!("a book"); //~ ERROR panic
    }
    println!("{kind}");
}
