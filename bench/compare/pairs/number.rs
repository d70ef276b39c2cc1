#![crate_type = "lib"]
/// # Safety
/// `data` has `n` bytes.
#[no_mangle]
pub unsafe extern "C" fn number(data: *const u8, n: usize) -> i32 {
    let bytes = if n == 0 { &[] } else { std::slice::from_raw_parts(data, n) };
    std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).unwrap_or(-1_000_000)
}
