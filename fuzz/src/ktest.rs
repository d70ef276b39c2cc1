//! `.ktest` files, as KLEE and users write them.

use cleave_report::KTest;

/// Reads a file; what can be read can be written, and is the same when it is read again.
pub fn run(bytes: &[u8]) -> String {
    match KTest::parse(bytes) {
        Ok(test) => {
            let again = test.to_bytes().expect("what fitted into a file fits again");
            assert_eq!(KTest::parse(&again).expect("what Cleave writes it can read"), test);
            format!("{} arguments, {} objects", test.args.len().min(4), test.objects.len().min(4))
        }
        Err(error) => crate::kind(&error.to_string()),
    }
}

/// A test with arguments and objects, in all versions of the format.
pub fn seeds() -> Vec<Vec<u8>> {
    let test = KTest {
        args: vec![b"prog".to_vec(), b"--sym-args".to_vec()],
        objects: vec![("arg00".into(), vec![1, 2, 3]), ("model_version".into(), vec![1, 0, 0, 0])],
        ..KTest::default()
    };
    let whole = test.to_bytes().expect("a small test");
    let mut old = whole.clone();
    old[8] = 1;
    vec![whole, old, KTest::default().to_bytes().expect("an empty test")]
}
