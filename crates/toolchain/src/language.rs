//! The languages of sources, told by the names of files.

use std::path::Path;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, which needs no more than the C library.
    C,
    /// C++, with libc++.
    Cxx,
    /// Rust, with std. It is linked as C++ is.
    Rust,
}

/// Ends of the names of C++ sources.
const CXX: [&str; 8] = ["cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "ii"];

/// The language of a source that `cleave run` compiles; `None` for another file.
pub fn source_language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "c" | "i" => Some(Language::C),
        "rs" => Some(Language::Rust),
        extension if is_cxx(extension) => Some(Language::Cxx),
        _ => None,
    }
}

/// Returns true if sources of this extension are C++.
pub(crate) fn is_cxx(extension: &str) -> bool {
    CXX.contains(&extension)
}

/// Names that only code in C++ and Rust refers to: of its runtime, of `operator new` and `delete`, of the namespace `std`.
const OF_CXX: [&str; 8] =
    ["__gxx_personality_v0", "__cxa_", "_Unwind_", "_Zn", "_Zd", "_ZSt", "_ZNSt", "_ZTVN10__cxxabiv1"];

/// Returns true if a module lacks names that the C++ library has.
pub(crate) fn lacks_cxx<'a>(undefined: impl IntoIterator<Item = &'a String>) -> bool {
    undefined
        .into_iter()
        .any(|name| name != "__cxa_atexit" && OF_CXX.iter().any(|start| name.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_by_their_names() {
        let language = |name: &str| source_language(Path::new(name));
        assert_eq!((language("a.c"), language("b/a.cpp")), (Some(Language::C), Some(Language::Cxx)));
        assert_eq!((language("a.C"), language("a.rs")), (Some(Language::Cxx), Some(Language::Rust)));
        assert_eq!((language("a.bc"), language("a")), (None, None));
    }

    #[test]
    fn names_of_the_library_are_known() {
        let lacks = |name: &str| lacks_cxx(&[name.to_string()]);
        assert!(lacks("__gxx_personality_v0") && lacks("_Znwm") && lacks("_ZNSt3__14coutE"));
        assert!(!lacks("__cxa_atexit") && !lacks("malloc") && !lacks("_Z1fv"));
    }
}
