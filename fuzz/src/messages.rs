//! What coordinator and workers say to each other. A region out of a message is also explored.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use cleave_campaign::{FromWorker, Report, ToWorker, read_frame, write_frame};
use cleave_program::code::Program;
use cleave_region::{Cut, Encoded, PathDigest, Region, Side, Test};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A program with some decisions, for regions to be explored on.
fn program() -> &'static Arc<Program> {
    static PROGRAM: OnceLock<Arc<Program>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let text = include_str!("../seeds/branches.ll");
        Arc::new(cleave_program::load(text.as_bytes()).expect("the program of the seeds"))
    })
}

fn explored(regions: &[Encoded<Region>]) -> String {
    let kind = |region: &Encoded<Region>| match region.decode() {
        Ok(region) => crate::explore::briefly(program(), region),
        Err(error) => crate::kind(&error.to_string()),
    };
    let kinds: Vec<String> = regions.iter().take(3).map(kind).collect();
    kinds.join(", ")
}

/// The same bytes with the length of a frame that they are.
fn framed(bytes: &[u8]) -> Vec<u8> {
    let body = bytes.get(4..).unwrap_or_default();
    let length = u32::try_from(body.len()).expect("an input is not so long");
    [&length.to_le_bytes(), body].concat()
}

/// Reads frames in both directions, as they are and with the right length.
pub fn run(bytes: &[u8]) -> String {
    both(bytes);
    both(&framed(bytes))
}

/// Asserts that what was read can be written and is the same when it is read again.
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(message: &T) {
    let mut out = Vec::new();
    write_frame(&mut out, message).expect("a message of this size");
    let again: Option<T> = read_frame(&mut &out[..]).expect("what Cleave writes it can read");
    assert_eq!(again.as_ref(), Some(message));
}

fn both(bytes: &[u8]) -> String {
    let to = match read_frame::<ToWorker>(&mut &bytes[..]) {
        Ok(Some(message)) => {
            comes_back(&message);
            match message {
                ToWorker::Lease { regions, .. } => format!("a lease: {}", explored(&regions)),
                ToWorker::Setup { .. } => "a set-up".into(),
                ToWorker::More { .. } => "more".into(),
                ToWorker::Steal { .. } => "a steal".into(),
                ToWorker::Stop => "a stop".into(),
            }
        }
        Ok(None) => "nothing".into(),
        Err(error) => crate::kind(&error.to_string()),
    };
    let from = match read_frame::<FromWorker>(&mut &bytes[..]) {
        Ok(Some(message)) => {
            comes_back(&message);
            match message {
                FromWorker::Report(report) => {
                    format!("a report: {}", explored(&report.remaining.unwrap_or_default()))
                }
                FromWorker::Ready => "ready".into(),
                FromWorker::Pulse { .. } => "a pulse".into(),
                FromWorker::Ending => "ending".into(),
                FromWorker::Unable { .. } => "unable".into(),
                FromWorker::Failed { .. } => "failed".into(),
            }
        }
        Ok(None) => "nothing".into(),
        Err(error) => crate::kind(&error.to_string()),
    };
    format!("{to}; {from}")
}

/// Leases and reports with regions of all forms.
pub fn seeds() -> Vec<Vec<u8>> {
    let bytes = |content: &[u8]| {
        let mut test = Test::default();
        test.objects.push(cleave_region::Object { name: "x".into(), bytes: content.to_vec() });
        test
    };
    let (one, two) = (bytes(&[1, 2, 3, 4]), bytes(&[200, 0, 0, 9]));
    let cut =
        Cut { depth: Some(2), side: Side::After, digest: Some(PathDigest(7)), ..Cut::before(one.clone()) };
    let regions = [
        Region::whole(),
        Region::range(Some(one.clone()), Some(two.clone())),
        Region::prefix(two.clone(), 1, None),
        Region::of(Some(cut), None),
    ];
    let regions: Vec<Encoded<Region>> = regions.iter().map(Encoded::new).collect();
    let lease = ToWorker::Lease {
        lease: 3,
        regions: regions.clone(),
        careful: false,
        at_most: Some(5),
        split: None,
        expected: None,
    };
    let report = Report { lease: 3, remaining: Some(regions), ..Report::default() };
    let mut seeds = Vec::new();
    for message in [lease, ToWorker::Steal { lease: 1, regions: 2, states: 3, keep: 4 }] {
        let mut out = Vec::new();
        write_frame(&mut out, &message).expect("a small message");
        seeds.push(out);
    }
    for message in [FromWorker::Report(report), FromWorker::Failed { message: "no".into() }] {
        let mut out = Vec::new();
        write_frame(&mut out, &message).expect("a small message");
        seeds.push(out);
    }
    seeds
}
