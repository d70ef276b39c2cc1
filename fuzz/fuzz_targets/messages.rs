//! The target `messages` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    cleave_fuzz::messages::run(data);
});
