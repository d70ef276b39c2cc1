//! Comparison of what was foretold with what was seen.

use std::collections::BTreeSet;

use cleave_replay::{End, Fault, Foretold, Observed, Order, Verdict, compare, sha256};

fn seen(end: End, stdout: &[u8]) -> Observed {
    Observed {
        end,
        stdout: stdout.to_vec(),
        stderr: b"ignored".to_vec(),
        killed: BTreeSet::new(),
        order: Order::Kept,
    }
}

fn ends(end: End, stdout: &[u8]) -> Foretold {
    Foretold::Ends { end, stdout_sha256: sha256(stdout) }
}

#[test]
fn the_same_end_and_output_agree() {
    for end in [End::Exited(0), End::Exited(255), End::Signaled(15)] {
        assert_eq!(compare(&ends(end, b"out"), &seen(end, b"out")), Verdict::Agrees);
    }
}

#[test]
fn every_difference_is_said_in_words() {
    let check = |observed: Observed, parts: &[&str]| {
        let Verdict::Differs(how) = compare(&ends(End::Exited(0), b"out"), &observed) else {
            panic!("it differs")
        };
        for part in parts {
            assert!(how.contains(part), "{part}: {how}");
        }
    };
    check(seen(End::Exited(1), b"out"), &["foretold: exit status 0; natively: exit status 1"]);
    check(seen(End::Signaled(11), b"out"), &["signal 11 (SIGSEGV)"]);
    check(seen(End::TimedOut, b"out"), &["out of time"]);
    check(seen(End::Exited(0), b"o\xff\n"), &["natively 3 bytes: \"o\\xff\\n\""]);
    check(seen(End::Exited(2), &[b'x'; 300]), &["exit status 2", "300 bytes", "..."]);
}

#[test]
fn errors_whose_signal_is_certain_are_held_to_it_and_the_others_only_run() {
    let with = |fault, end| compare(&Foretold::Fault(fault), &seen(end, b""));
    assert_eq!(with(Fault::Abort, End::Signaled(6)), Verdict::Agrees);
    assert_eq!(with(Fault::Division, End::Signaled(8)), Verdict::Agrees);
    assert_eq!(with(Fault::NullPointer, End::Signaled(11)), Verdict::Agrees);
    assert!(matches!(with(Fault::Abort, End::Exited(0)), Verdict::Differs(_)));
    assert!(matches!(with(Fault::Division, End::Signaled(11)), Verdict::Differs(_)));
    assert!(matches!(with(Fault::NullPointer, End::Exited(0)), Verdict::Ran(_)));
    assert!(matches!(with(Fault::Other, End::Signaled(11)), Verdict::Ran(_)));
}

#[test]
fn an_error_of_another_process_than_the_first_is_seen_by_its_signal() {
    let killed = |signal| Observed { killed: BTreeSet::from([signal]), ..seen(End::Exited(125), b"") };
    assert_eq!(compare(&Foretold::Fault(Fault::Abort), &killed(6)), Verdict::Agrees);
    assert_eq!(compare(&Foretold::Fault(Fault::NullPointer), &killed(11)), Verdict::Agrees);
    assert!(matches!(compare(&Foretold::Fault(Fault::Abort), &killed(11)), Verdict::Differs(_)));
    // A path that ends by itself says how the first process ends.
    assert_eq!(compare(&ends(End::Exited(125), b""), &killed(6)), Verdict::Agrees);
    assert!(matches!(compare(&ends(End::Signaled(6), b""), &killed(6)), Verdict::Differs(_)));
}
