//! Names of C++ and Rust as people write them.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// Maximum nesting of the parts of a name: names that compilers make stay far below, and a name is the file's to choose.
const MOST_DEPTH: u32 = 96;
/// Bytes of a name that are shown; a chain of templates has thousands.
const MOST_SHOWN: usize = 400;

/// Types of the library with the short names that programs write for them.
const SHORTER: [(&str, &str); 4] = [
    ("std::__1::", "std::"),
    ("std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"),
    ("std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string"),
    ("std::basic_string_view<char, std::char_traits<char> >", "std::string_view"),
];

/// A name of C++ with its parameters, as `parse(std::string_view)`; one of Rust with its path, as `core::option::unwrap_failed`, whose
/// copies for several types share it; any other name as it is.
pub fn demangled(name: &str) -> String {
    if let Ok(of_rust) = rustc_demangle::try_demangle(name) {
        return cut(format!("{of_rust:#}"), name);
    }
    let parse = ParseOptions::default().recursion_limit(MOST_DEPTH);
    let write = DemangleOptions::new().no_return_type().recursion_limit(MOST_DEPTH);
    let is_mangled = name.starts_with("_Z");
    let symbol = if is_mangled { Symbol::new_with_options(name.as_bytes(), &parse).ok() } else { None };
    let Some(mut text) = symbol.and_then(|symbol| symbol.demangle_with_options(&write).ok()) else {
        return name.to_owned();
    };
    // A tag of the library's own version.
    while let Some((before, (_, after))) =
        text.split_once("[abi:").and_then(|(b, rest)| Some((b, rest.split_once(']')?)))
    {
        text = format!("{before}{after}");
    }
    cut(shortened(text), name)
}

/// A name that is not too long to read. Names that differ further on stay apart.
fn cut(text: String, name: &str) -> String {
    if text.len() <= MOST_SHOWN {
        return text;
    }
    let end = (0..=MOST_SHOWN).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}... ({name})", &text[..end])
}

/// A text with the names of C++ in it, with the short names of the library's types.
pub fn shortened(mut text: String) -> String {
    for (long, short) in SHORTER {
        if text.contains(long) {
            text = text.replace(long, short);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cxx_are_shown_as_they_are_written() {
        for (name, shown) in [
            ("main", "main"),
            ("_Z", "_Z"),
            ("_Z5parseNSt3__117basic_string_viewIcNS_11char_traitsIcEEEE", "parse(std::string_view)"),
            ("_ZN5stack4pushEi", "stack::push(int)"),
            ("_ZN4pairIiED2Ev", "pair<int>::~pair()"),
        ] {
            assert_eq!(demangled(name), shown);
        }
    }

    #[test]
    fn names_of_rust_are_paths_without_hashes() {
        for (name, shown) in [
            ("_ZN4core6result13unwrap_failed17h3004d9536ed5f1caE", "core::result::unwrap_failed"),
            (
                "_ZN49_$LT$u8$u20$as$u20$core..str..traits..FromStr$GT$8from_str17h0123456789abcdefE",
                "<u8 as core::str::traits::FromStr>::from_str",
            ),
            ("_RNvC7mycrate3foo", "mycrate::foo"),
            ("rust_begin_unwind", "rust_begin_unwind"),
        ] {
            assert_eq!(demangled(name), shown);
        }
    }

    #[test]
    fn no_name_is_too_deep_or_too_long() {
        let deep = format!("_Z1f{}i", "P".repeat(100_000));
        assert_eq!(demangled(&deep), deep);
        let long = format!("_Z1fI{}Evv", "i".repeat(1000));
        assert!(demangled(&long).len() <= 2 * long.len() + MOST_SHOWN);
    }
}
