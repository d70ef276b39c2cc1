#![crate_type = "lib"]
/// # Safety
/// `text` has `n` bytes, `out` half of that.
#[no_mangle]
pub unsafe extern "C" fn hex(text: *const u8, n: usize, out: *mut u8) -> i32 {
    let text = if n == 0 { &[] } else { std::slice::from_raw_parts(text, n) };
    if text.len() % 2 == 1 {
        return -1;
    }
    for (i, pair) in text.chunks(2).enumerate() {
        let digit = |c: u8| char::from(c).to_digit(16);
        match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => *out.add(i) = (high << 4 | low) as u8,
            _ => return -1,
        }
    }
    (text.len() / 2) as i32
}
