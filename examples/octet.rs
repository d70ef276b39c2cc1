// The same in Rust, by the parser of its library. Does it take the same texts?
#[no_mangle]
pub extern "C" fn octet(text: *const u8, length: i32) -> i32 {
    let text = unsafe { std::slice::from_raw_parts(text, length as usize) };
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u8>().ok());
    number.map_or(-1, i32::from)
}
