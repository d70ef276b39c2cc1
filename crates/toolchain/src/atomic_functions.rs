//! SV-COMP's atomic functions under an optimiser: their names say that no thread interrupts them (crates/program/src/llvm/rewrites/atomic_functions.rs),
//! and a function that is inlined has no name any more. So flags keep those apart that a source names itself.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

const PREFIX: &str = "__VERIFIER_atomic_";

/// Flags of a compilation of this source, if it is one of C.
pub(crate) fn kept_apart(source: &Path) -> Vec<OsString> {
    if source.extension().is_none_or(|extension| extension != "c" && extension != "i") {
        return Vec::new();
    }
    let Ok(text) = std::fs::read(source) else { return Vec::new() };
    let flag = |name: &str| ["-mllvm".into(), format!("-force-attribute={name}:noinline").into()];
    names(&String::from_utf8_lossy(&text)).into_iter().flat_map(flag).collect()
}

fn names(text: &str) -> BTreeSet<&str> {
    let parts = text.match_indices(PREFIX).map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    parts.filter(|name| !matches!(&name[PREFIX.len()..], "" | "begin" | "end")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_functions_of_a_source_are_found_by_their_names() {
        let text = "void __VERIFIER_atomic_begin(void);\nstatic int __VERIFIER_atomic_take(int n) { return n; }\n\
                    int main(void) { __VERIFIER_atomic_begin(); return __VERIFIER_atomic_take(1) + __VERIFIER_atomic_2(); }";
        assert_eq!(
            names(text).into_iter().collect::<Vec<_>>(),
            ["__VERIFIER_atomic_2", "__VERIFIER_atomic_take"]
        );
        assert!(kept_apart(Path::new("/nowhere.c")).is_empty());
    }
}
