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

/// A test case: the symbolic objects of a test by name, in the order in which the program asks for them. Objects of 1, 2, 4 or
/// 8 bytes are little-endian numbers, others are hexadecimal, the first byte first.
pub fn testcase(objects: &[(String, Vec<u8>)]) -> String {
    let mut text = doctype("testcase", "testcase");
    text.push_str("<testcase>\n");
    for (name, bytes) in objects {
        let value = match bytes.len() {
            1 | 2 | 4 | 8 => bytes.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b)).to_string(),
            _ => bytes.iter().fold("0x".to_string(), |text, b| format!("{text}{b:02x}")),
        };
        let _ = writeln!(text, "  <input variable=\"{}\">{value}</input>", escaped(name));
    }
    text.push_str("</testcase>\n");
    text
}

/// Metadata of a suite, as XML: the program's file, the SHA-256 of that file in hexadecimal, and the time at which the suite
/// was made.
pub fn suite_metadata(program: &str, hash: &str, made: SystemTime) -> String {
    let mut text = doctype("test-metadata", "test-metadata");
    text.push_str("<test-metadata>\n");
    for (name, value) in [
        ("sourcecodelang", "C"),
        ("producer", concat!("cleave ", env!("CARGO_PKG_VERSION"))),
        ("specification", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"),
        ("programfile", program),
        ("programhash", hash),
        ("entryfunction", "main"),
        ("architecture", "64bit"),
        ("creationtime", &timestamp(made)),
    ] {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
    }
    text.push_str("</test-metadata>\n");
    text
}

/// A time of this era in ISO 8601, in seconds, in UTC.
fn timestamp(time: SystemTime) -> String {
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
}
