#![crate_type = "lib"]
/// # Safety
/// `data` has `n` bytes, `out` twice as many.
#[no_mangle]
pub unsafe extern "C" fn runs(data: *const u8, n: usize, out: *mut u8) -> i32 {
    let data = if n == 0 { &[] } else { std::slice::from_raw_parts(data, n) };
    let mut size = 0;
    for run in data.chunk_by(|a, b| a == b) {
        *out.add(size) = run.len() as u8;
        *out.add(size + 1) = run[0];
        size += 2;
    }
    size as i32
}
