#![crate_type = "lib"]
/// # Safety
/// `data` has `n` bytes.
#[no_mangle]
pub unsafe extern "C" fn utf8_length(data: *const u8, n: usize) -> i32 {
    let bytes = if n == 0 { &[] } else { std::slice::from_raw_parts(data, n) };
    std::str::from_utf8(bytes).map_or(-1, |text| text.chars().count() as i32)
}
