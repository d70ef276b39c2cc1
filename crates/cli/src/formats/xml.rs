//! XML for the forms that are made of it.

use std::borrow::Cow;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::failure::Failure;

/// An XML document that is being written.
pub(super) type Document = Writer<Vec<u8>>;

/// A document: its declaration, then what `write` writes.
pub(super) fn document(write: impl FnOnce(&mut Document) -> io::Result<()>) -> Result<Vec<u8>, Failure> {
    let mut document = Writer::new_with_indent(Vec::new(), b' ', 1);
    let begun = document.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    begun.and_then(|()| write(&mut document)).map_err(Failure::new)?;
    let mut bytes = document.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

/// An element with these attributes, and inside of it what `inner` writes.
pub(super) fn element(
    document: &mut Document,
    name: &str,
    attributes: &[(&str, &str)],
    inner: impl FnOnce(&mut Document) -> io::Result<()>,
) -> io::Result<()> {
    let cleaned: Vec<(&str, Cow<'_, str>)> =
        attributes.iter().map(|(name, value)| (*name, clean(value))).collect();
    let attributes = cleaned.iter().map(|(name, value)| (*name, value.as_ref()));
    document.create_element(name).with_attributes(attributes).write_inner_content(inner).map(drop)
}

/// One with nothing inside.
pub(super) fn empty(document: &mut Document, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
    let cleaned: Vec<(&str, Cow<'_, str>)> =
        attributes.iter().map(|(name, value)| (*name, clean(value))).collect();
    let attributes = cleaned.iter().map(|(name, value)| (*name, value.as_ref()));
    document.create_element(name).with_attributes(attributes).write_empty().map(drop)
}

/// Text inside of an element.
pub(super) fn text(document: &mut Document, text: &str) -> io::Result<()> {
    document.write_event(Event::Text(BytesText::new(&clean(text))))
}

/// No XML may hold other control characters than line ends and tabs, however they are written.
fn clean(text: &str) -> Cow<'_, str> {
    let wrong = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    if text.contains(wrong) { text.replace(wrong, "\u{fffd}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_becomes_a_document() {
        let said = "a<b>&\"'\u{1}\u{1b}[0m\n]]>";
        let made = document(|d| element(d, "x", &[("y", said)], |d| text(d, said))).unwrap();
        let made = String::from_utf8(made).unwrap();
        assert!(made.contains("a&lt;b&gt;&amp;") && !made.contains('\u{1}'), "{made}");
        let mut reader = quick_xml::Reader::from_str(&made);
        while !matches!(reader.read_event().unwrap(), Event::Eof) {}
    }
}
