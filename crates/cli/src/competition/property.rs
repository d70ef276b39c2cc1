//! Properties: what a file with the ending .prp asks for.

use std::path::Path;

use crate::failure::Failure;

/// A property of the competitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Tests that call `reach_error`.
    CoverError,
    /// Tests that take every side of every branch.
    CoverBranches,
    /// `reach_error` is never called.
    UnreachCall,
    /// No invalid `free`, no invalid access, no lost memory; each alone, or together.
    MemorySafety {
        /// `free` gets what `malloc` has given.
        free: bool,
        /// Accesses stay in their objects.
        deref: bool,
        /// Memory is reachable as long as the program runs.
        track: bool,
    },
    /// Memory is freed before the program ends.
    MemoryCleanup,
    /// No signed arithmetic overflows.
    NoOverflow,
    /// No two threads race for data.
    NoDataRace,
    /// Every path ends.
    Termination,
}

/// A property with the text that a suite or witness repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The property.
    pub property: Property,
    /// Its first line.
    pub text: String,
}

impl Asked {
    /// Reads a file of properties.
    ///
    /// # Errors
    /// If it cannot be read, or has a property that is not known.
    pub fn read(file: &Path) -> Result<Asked, Failure> {
        let text = std::fs::read_to_string(file)
            .map_err(|e| Failure::usage(format!("cannot read the property {}: {e}", file.display())))?;
        parsed(&text).ok_or_else(|| {
            Failure::usage(format!(
                "the property in {} is none that Cleave knows; give one of Test-Comp or SV-COMP, like CHECK( init(main()), LTL(G \
                 ! call(reach_error())) )",
                file.display()
            ))
        })
    }
}

/// The property of a text of one line or several.
fn parsed(text: &str) -> Option<Asked> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut found = None;
    for line in &lines {
        let one = of_line(&line.chars().filter(|c| !c.is_whitespace()).collect::<String>())?;
        found = Some(match (found, one) {
            (None, one) => one,
            (
                Some(Property::MemorySafety { free, deref, track }),
                Property::MemorySafety { free: f, deref: d, track: t },
            ) => Property::MemorySafety { free: free | f, deref: deref | d, track: track | t },
            _ => return None,
        });
    }
    Some(Asked { property: found?, text: lines.first()?.to_string() })
}

/// The property of one line without blanks.
fn of_line(line: &str) -> Option<Property> {
    let safety = |free, deref, track| Some(Property::MemorySafety { free, deref, track });
    if let Some(goal) = line.strip_prefix("COVER(init(main()),FQL(COVEREDGES(") {
        return match goal.strip_suffix(")))")? {
            "@DECISIONEDGE" => Some(Property::CoverBranches),
            "@CALL(reach_error)" | "@CALL(__VERIFIER_error)" => Some(Property::CoverError),
            _ => None,
        };
    }
    match line.strip_prefix("CHECK(init(main()),LTL(")?.strip_suffix("))")? {
        "G!call(reach_error())" | "G!call(__VERIFIER_error())" => Some(Property::UnreachCall),
        "Gvalid-free" => safety(true, false, false),
        "Gvalid-deref" => safety(false, true, false),
        "Gvalid-memtrack" => safety(false, false, true),
        "Gvalid-memcleanup" => Some(Property::MemoryCleanup),
        "G!overflow" => Some(Property::NoOverflow),
        "G!data-race" => Some(Property::NoDataRace),
        "Fend" => Some(Property::Termination),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_those_of_the_competitions() {
        for (text, property) in [
            ("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )\n", Property::CoverError),
            ("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n", Property::CoverBranches),
            ("CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n", Property::UnreachCall),
            ("CHECK( init(main()), LTL(G ! overflow) )", Property::NoOverflow),
            ("CHECK( init(main()), LTL(F end) )", Property::Termination),
            (
                "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                 CHECK( init(main()), LTL(G valid-memtrack) )\n",
                Property::MemorySafety { free: true, deref: true, track: true },
            ),
            (
                "CHECK( init(main()), LTL(G valid-deref) )",
                Property::MemorySafety { free: false, deref: true, track: false },
            ),
        ] {
            assert_eq!(parsed(text).map(|asked| asked.property), Some(property), "{text}");
        }
        for text in [
            "",
            "CHECK( init(main()), LTL(G ! call(other())) )",
            "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )\nCHECK( init(main()), LTL(F end) )",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
