//! Paths as the sides that were taken, one byte each, and tests of them.

use cleave_region::{Object, Test};

/// The sides that were taken, 0 for true.
pub type Path = Vec<u8>;

/// The test of a path.
pub fn test_of(path: &[u8]) -> Test {
    Test { objects: vec![Object { name: "sides".into(), bytes: path.to_vec() }] }
}

/// The path of a test.
pub fn path_of(test: &Test) -> Path {
    test.objects.first().map(|o| o.bytes.clone()).unwrap_or_default()
}
