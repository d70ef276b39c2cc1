//! Tests in the XML format of Test-Comp (<https://gitlab.com/sosy-lab/test-comp/test-format>).

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";

fn doctype(root: &str, name: &str) -> String {
    format!(
        "{HEAD}<!DOCTYPE {root} PUBLIC \"+//IDN sosy-lab.org//DTD test-format {name} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{name}-1.1.dtd\">\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Names of the objects that `__VERIFIER_nondet_NAME` makes, of types with a sign.
const SIGNED: [&str; 18] = [
    "char", "schar", "short", "int", "long", "longlong", "loff_t", "off_t", "ssize_t", "s8", "s16", "s32",
    "s64", "int8_t", "int16_t", "int32_t", "int64_t", "int128",
];

/// An input as the functions of Test-Comp read it, by `scanf` with the format of its type: a number out of the range of this
/// type would be read as another one. Objects of other sizes than numbers have are hexadecimal, the first byte first.
fn value(name: &str, bytes: &[u8]) -> String {
    match (name, bytes) {
        ("float", &[a, b, c, d]) => format!("{:?}", f32::from_le_bytes([a, b, c, d])),
        ("double", &[a, b, c, d, e, f, g, h]) => {
            format!("{:?}", f64::from_le_bytes([a, b, c, d, e, f, g, h]))
        }
        (_, bytes) if matches!(bytes.len(), 1 | 2 | 4 | 8 | 16) => {
            let number = bytes.iter().rev().fold(0u128, |v, &b| v << 8 | u128::from(b));
            let unused = 128 - 8 * bytes.len() as u32;
            match SIGNED.contains(&name) {
                true => (((number << unused) as i128) >> unused).to_string(),
                false => number.to_string(),
            }
        }
        (_, bytes) => bytes.iter().fold("0x".to_string(), |text, b| format!("{text}{b:02x}")),
    }
}

/// A test case: the symbolic objects of a test by name, in the order in which the program asks for them. The names of numbers
/// are those of their types.
pub fn testcase(objects: &[(String, Vec<u8>)]) -> String {
    let mut text = doctype("testcase", "testcase");
    text.push_str("<testcase>\n");
    for (name, bytes) in objects {
        let _ = writeln!(text, "  <input variable=\"{}\">{}</input>", escaped(name), value(name, bytes));
    }
    text.push_str("</testcase>\n");
    text
}

/// The goal of a suite that covers as much as it can.
pub const COVER_BRANCHES: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";

/// Metadata of a suite.
#[derive(Clone, Copy, Debug)]
pub struct SuiteMetadata<'a> {
    /// The program's file.
    pub program: &'a str,
    /// The SHA-256 of that file, in hexadecimal.
    pub hash: &'a str,
    /// The goal, in the competition's words.
    pub specification: &'a str,
    /// Bits of a pointer.
    pub bits: u32,
    /// The time at which the suite was made.
    pub made: SystemTime,
}

/// Metadata of a suite, as XML.
pub fn suite_metadata(suite: &SuiteMetadata<'_>) -> String {
    let mut text = doctype("test-metadata", "test-metadata");
    text.push_str("<test-metadata>\n");
    for (name, value) in [
        ("sourcecodelang", "C"),
        ("producer", concat!("cleave ", env!("CARGO_PKG_VERSION"))),
        ("specification", suite.specification),
        ("programfile", suite.program),
        ("programhash", suite.hash),
        ("entryfunction", "main"),
        ("architecture", &format!("{}bit", suite.bits)),
        ("creationtime", &timestamp(suite.made)),
    ] {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
    }
    text.push_str("</test-metadata>\n");
    text
}

/// A time of this era in ISO 8601, in seconds, in UTC.
pub fn timestamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_test_case_has_an_input_for_each_object() {
        let objects = [("a<b".to_string(), vec![1, 2]), ("text".to_string(), b"hey".to_vec())];
        let text = testcase(&objects);
        assert!(text.contains("<input variable=\"a&lt;b\">513</input>"), "{text}");
        assert!(text.contains("<input variable=\"text\">0x686579</input>"), "{text}");
    }

    #[test]
    fn numbers_are_in_the_range_of_their_types() {
        for (name, bytes, text) in [
            ("int", &[0xff; 4][..], "-1"),
            ("uint", &[0xff; 4], "4294967295"),
            ("char", &[0x80], "-128"),
            ("uchar", &[0x80], "128"),
            ("longlong", &[0xff; 8], "-1"),
            ("float", &1.5f32.to_le_bytes(), "1.5"),
            ("double", &(-0.1f64).to_le_bytes(), "-0.1"),
            ("double", &f64::INFINITY.to_le_bytes(), "inf"),
            ("int128", &[0xff; 16], "-1"),
            ("memory", &[1, 2, 3], "0x010203"),
        ] {
            assert_eq!(value(name, bytes), text, "{name}");
        }
    }
}
