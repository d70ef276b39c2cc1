//! Tests as text, for people and scripts: `test000001.inputs`.

use std::fmt::Write;

use cleave_report::KTest;

use super::Output;
use super::test_files::TestFiles;

/// Its line in the table of outputs.
pub const OUTPUT: Output = Output {
    name: "inputs",
    about: "the same as text: the command line, then a line an object with its name, length and bytes",
    usual: false,
    is_test: true,
    open: |place| {
        let text = |test: &KTest| Ok(text(test).into_bytes());
        Box::new(TestFiles::new(place, place.files.clone(), OUTPUT.name, text))
    },
};

/// Words, names and bytes with C's escapes, so that each object stays on its line.
fn text(test: &KTest) -> String {
    let words: Vec<String> = test.args.iter().map(|a| format!("\"{}\"", a.escape_ascii())).collect();
    let mut text = words.join(" ");
    text.push('\n');
    for (name, bytes) in &test.objects {
        // Writing into a string does not fail.
        let _ = writeln!(text, "{} {} \"{}\"", name.escape_default(), bytes.len(), bytes.escape_ascii());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_is_one_line_whatever_its_name_and_bytes_are() {
        let objects = vec![("a\nb".into(), b"\"\n\0".to_vec()), ("empty".into(), Vec::new())];
        let test = KTest { args: vec![b"./p".to_vec(), b"a b".to_vec()], objects, ..KTest::default() };
        assert_eq!(text(&test), "\"./p\" \"a b\"\na\\nb 3 \"\\\"\\n\\x00\"\nempty 0 \"\"\n");
    }
}
