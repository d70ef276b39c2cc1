//! Tests and error reports, written and read back.

use cleave_region::BugKind;
use cleave_report::{ErrorReport, Frame, KTest, KTestError, RunFiles, read_test, write_info, write_json};
use proptest::prelude::*;

fn sample() -> KTest {
    KTest {
        args: vec![b"echo".to_vec(), b"--sym-arg".to_vec(), b"2".to_vec()],
        objects: vec![("arg00".into(), b"-n\0".to_vec()), ("empty".into(), vec![])],
        ..KTest::default()
    }
}

#[test]
fn a_test_is_written_as_klee_writes_it() {
    let test = KTest { args: vec![b"a".to_vec()], objects: vec![("x".into(), vec![7])], ..KTest::default() };
    let expected = b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x01a\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01x\0\0\0\x01\x07";
    assert_eq!(test.to_bytes().unwrap(), expected);
}

#[test]
fn every_truncation_of_a_test_is_refused_with_a_sentence() {
    let bytes = sample().to_bytes().unwrap();
    for len in 0..bytes.len() {
        let refused = KTest::parse(&bytes[..len]).unwrap_err();
        assert!(matches!(refused, KTestError::NotATest | KTestError::Truncated { .. }), "{len}: {refused}");
    }
    let more = [bytes, b"x".to_vec()].concat();
    assert_eq!(KTest::parse(&more), Err(KTestError::Trailing(1)));
}

#[test]
fn lengths_that_lie_are_refused_before_anything_is_allocated() {
    for at in [9, 13, 47, 51] {
        let mut bytes = sample().to_bytes().unwrap();
        bytes[at..at + 4].copy_from_slice(&[0xff; 4]);
        assert!(
            matches!(KTest::parse(&bytes), Err(KTestError::Truncated { .. } | KTestError::Name(_))),
            "{at}"
        );
    }
    let mut future = sample().to_bytes().unwrap();
    future[8] = 4;
    assert_eq!(KTest::parse(&future), Err(KTestError::Version(4)));
}

proptest! {
    #[test]
    fn a_test_read_back_is_the_same(
        args in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..6), 0..4),
        objects in proptest::collection::vec((".{0,8}", proptest::collection::vec(any::<u8>(), 0..20)), 0..5),
        numbers in any::<(u32, u32)>(),
    ) {
        let test = KTest { args, sym_argvs: numbers.0, sym_argv_len: numbers.1, objects };
        prop_assert_eq!(KTest::parse(&test.to_bytes().unwrap()).unwrap(), test);
    }

    #[test]
    fn random_bytes_never_break_the_reader(at in 0usize..60, byte: u8, tail in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut bytes = sample().to_bytes().unwrap();
        let at = at.min(bytes.len() - 1);
        bytes[at] = byte;
        let _ = KTest::parse(&bytes);
        let _ = KTest::parse(&[b"KTEST\0\0\0\x03".to_vec(), tail].concat());
    }
}

#[test]
fn an_error_stands_beside_its_test_under_klees_names() {
    let run = tempfile::tempdir().unwrap();
    let files = RunFiles::create(run.path()).unwrap();
    let bytes = sample().to_bytes().unwrap();
    assert!(!files.has(123, "ktest", bytes.len()));
    files.write(123, "ktest", &bytes).unwrap();
    let written = run.path().join("tests/test000123.ktest");
    assert_eq!(read_test(&written).unwrap(), sample());
    assert!(files.has(123, "ktest", bytes.len()) && !files.has(123, "ktest", bytes.len() + 1));
    let frame = |function: &str, line| Frame {
        function: function.into(),
        file: Some("a.c".into()),
        line,
        arguments: String::new(),
    };
    let error = ErrorReport {
        kind: BugKind::OutOfBounds,
        message: String::new(),
        stack: vec![
            frame("get", 3),
            frame("main", 9),
            Frame { function: "start".into(), file: None, line: 0, arguments: "n=7, symbolic".into() },
        ],
        at: 0,
        info: vec![("address".into(), "0x10".into())],
    };
    let path = files.write_error(123, "prog", &error).unwrap();
    assert_eq!(path, run.path().join("tests/test000123.ptr.err"));
    let text = std::fs::read_to_string(path).unwrap();
    let expected = format!(
        "Error: memory error: out of bound pointer\nFile: a.c\nLine: 3\nStack: \n\t#0 in get() at a.c:3\n\
         \t#1 in main() at a.c:9\n\t#2 in start(n=7, symbolic)\nInfo: \n\taddress: 0x10\nNote: {}\n\
         \tTo run it natively: cleave replay prog {}\n",
        BugKind::OutOfBounds.advice(),
        written.display()
    );
    assert_eq!(text, expected);
}

#[test]
fn what_cannot_be_written_or_read_is_said_with_its_path() {
    let run = tempfile::tempdir().unwrap();
    let blocked = run.path().join("file");
    std::fs::write(&blocked, "x").unwrap();
    assert!(RunFiles::create(&blocked).unwrap_err().to_string().contains("file/tests"));
    let refused = read_test(&blocked).unwrap_err().to_string();
    assert!(refused.contains("file") && refused.contains("not a .ktest"), "{refused}");
    assert!(read_test(&run.path().join("none")).is_err());
    let account = serde_json::json!({"paths": {"completed": 3}});
    let path = run.path().join("summary.json");
    write_json(&path, &account).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&std::fs::read_to_string(&path).unwrap()).unwrap(),
        account
    );
    assert!(write_json(&blocked.join("summary.json"), &account).is_err());
}

#[test]
fn the_account_is_text_too_with_nested_names_joined() {
    let run = tempfile::tempdir().unwrap();
    let path = run.path().join("info");
    let account = serde_json::json!({"program": "a.c", "options": ["-x", "1"], "paths": {"completed": 3, "cut": 0}, "wall_s": 1.5});
    write_info(&path, &account).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["options: -x 1", "paths.completed: 3", "paths.cut: 0", "program: a.c", "wall_s: 1.5"]);
}
