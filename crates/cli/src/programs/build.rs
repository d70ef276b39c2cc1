//! Sources and flags for a program that is given as C.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A source is compiled as it is written, so that every condition in it is a decision.
const PLAIN: [&str; 2] = ["-O0", "-g"];
/// The checks of UndefinedBehaviorSanitizer, as with `cleave cc --checked`.
const CHECKED: &str = "-fsanitize=undefined";

/// Sources and flags with which a run's C was compiled, as the run keeps them. Runs that do not say had one source and no checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Build {
    /// Sources beside the one that the program is called by, as absolute paths.
    pub more: Vec<String>,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// True if clang's checks are compiled in.
    pub checked: bool,
}

impl Build {
    /// With checks, and nothing else.
    pub fn checked() -> Build {
        Build { checked: true, ..Build::default() }
    }

    /// The flags of clang.
    pub fn all_flags(&self) -> Vec<OsString> {
        let checks = self.checked.then_some(CHECKED);
        let own = PLAIN.into_iter().chain(checks).map(OsString::from);
        own.chain(self.flags.iter().map(OsString::from)).collect()
    }

    /// All sources of the program that is called by this one.
    pub fn sources(&self, first: &Path) -> Vec<PathBuf> {
        std::iter::once(first.to_path_buf()).chain(self.more.iter().map(PathBuf::from)).collect()
    }
}

/// Flags that name a folder or a file.
const OF_PATHS: [&str; 7] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I", "-L"];

/// Makes the folders and files among flags absolute, so that the program can be compiled again from any folder.
pub fn anchored(flags: &[String]) -> Vec<String> {
    let absolute = |path: &str| {
        std::path::absolute(path).map_or_else(|_| path.to_string(), |path| path.display().to_string())
    };
    let mut all = Vec::with_capacity(flags.len());
    let mut is_path = false;
    for flag in flags {
        let joined = OF_PATHS.iter().find_map(|name| Some((name, flag.strip_prefix(name)?)));
        all.push(match joined {
            _ if is_path => absolute(flag),
            Some((name, path)) if !path.is_empty() => format!("{name}{}", absolute(path)),
            _ => flag.clone(),
        });
        is_path = !is_path && OF_PATHS.contains(&flag.as_str());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_among_flags_are_absolute_whether_joined_or_apart() {
        let flags = ["-O1", "-Iinclude", "-I", "/x", "-DA=b", "-include", "/y.h"].map(String::from);
        let here = std::env::current_dir().unwrap().join("include").display().to_string();
        let expected = ["-O1", &format!("-I{here}"), "-I", "/x", "-DA=b", "-include", "/y.h"];
        assert_eq!(anchored(&flags), expected);
    }

    #[test]
    fn flags_of_the_user_stand_last() {
        let build = Build { flags: vec!["-O1".into()], ..Build::checked() };
        assert_eq!(build.all_flags(), ["-O0", "-g", "-fsanitize=undefined", "-O1"]);
        assert_eq!(Build::default().all_flags(), ["-O0", "-g"]);
    }
}
