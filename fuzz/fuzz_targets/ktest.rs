//! The target `ktest` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    cleave_fuzz::ktest::run(data);
});
