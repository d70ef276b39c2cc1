//! Names that are defined nowhere, as messages to users; and the names that no module defines, because the linker makes them.

use crate::demangled::demangled;

/// The message for a call of the undefined function `name`.
pub fn missing(name: &str) -> String {
    format!("a call of the function `{}`, which is defined nowhere", demangled(name))
}

/// The message for an access to the undefined variable `name`.
pub fn missing_data(name: &str) -> String {
    if is_linker_made(name) {
        format!("an access to what is at `{name}`, which the linker makes")
    } else {
        format!("an access to the variable `{}`, which is defined nowhere", demangled(name))
    }
}

/// Symbols that lld defines in a static executable if a program names them: bounds of its parts, its header, the tables of
/// constructors.
const LINKER_MADE: [&str; 19] = [
    "__ehdr_start",
    "__executable_start",
    "__dso_handle",
    "_GLOBAL_OFFSET_TABLE_",
    "etext",
    "_etext",
    "edata",
    "_edata",
    "end",
    "_end",
    "__bss_start",
    "__preinit_array_start",
    "__preinit_array_end",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
    "__rela_iplt_start",
    "__rela_iplt_end",
];

/// Returns true if the linker makes a symbol of this name when a program names it and nothing defines it.
pub fn is_linker_made(name: &str) -> bool {
    LINKER_MADE.contains(&name) || bound_section(name).is_some()
}

/// Side of the image on which the linker puts a symbol that bounds a part of it: a negative number below the variables, a
/// positive one above them, and 0 for all others. Symbols of one number have one address.
pub(crate) fn side_of_image(name: &str) -> i8 {
    match name {
        "__ehdr_start" | "__executable_start" | "__dso_handle" => -2,
        "etext" | "_etext" => -1,
        "edata" | "_edata" => 1,
        "__bss_start" => 2,
        "end" | "_end" => 3,
        _ => 0,
    }
}

/// The section whose start (`true`) or end a symbol is: `__start_NAME`, `__stop_NAME`, where NAME is an identifier of C.
pub(crate) fn bound_section(symbol: &str) -> Option<(&str, bool)> {
    let (start, stop) = (symbol.strip_prefix("__start_"), symbol.strip_prefix("__stop_"));
    let (name, starts) = start.map(|name| (name, true)).or(stop.map(|name| (name, false)))?;
    let mut letters = name.chars();
    let first = letters.next()?;
    let identifier = (first.is_ascii_alphabetic() || first == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    identifier.then_some((name, starts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identifiers_name_sections_with_bounds() {
        assert_eq!(bound_section("__start_table"), Some(("table", true)));
        assert_eq!(bound_section("__stop___ex_table"), Some(("__ex_table", false)));
        for other in ["__start_", "__start_.data", "__stop_1st", "start_table", "__start"] {
            assert_eq!(bound_section(other), None, "{other}");
        }
    }
}
