//! Sources and flags for a program that is given as C.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::entries::harness;

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
    /// C behind sources: a `main` of Cleave's own, and functions around those with contracts.
    pub drivers: Vec<Driver>,
    /// Another version, which the driver compares with the sources.
    pub other: Option<Other>,
}

/// Another version of a function: its names are linked with [`Other::PREFIX`] in front of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// Its sources, or modules, as absolute paths.
    pub files: Vec<String>,
    /// Flags of the compiler, all of them.
    pub flags: Vec<String>,
    /// Names that are compared or set, although the version may have them for itself alone (`static`).
    #[serde(default)]
    pub shared: Vec<String>,
}

impl Other {
    /// Stands in front of each name that the version defines.
    pub const PREFIX: &str = "new.";
    /// The function that stands in the place of `exit` in both versions.
    pub const EXIT: &str = "cleave_exit";
}

/// C behind a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driver {
    /// The source, as an absolute path.
    pub source: String,
    /// The C.
    pub text: String,
    /// True if it has the program's `main`: then no source keeps its own.
    pub is_main: bool,
    /// A sentence about what is explored, for people.
    pub about: String,
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

    /// All sources of the program that is called by this one, as the user named them.
    pub fn sources(&self, first: &Path) -> Vec<PathBuf> {
        std::iter::once(first.to_path_buf()).chain(self.more.iter().map(PathBuf::from)).collect()
    }

    /// The files to be compiled for the program that is called by this source, and flags for them. With drivers these are files in
    /// `scratch`, which include the sources.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn compiled(&self, first: &Path, scratch: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<OsString>)> {
        let (sources, mut flags) = (self.sources(first), self.all_flags());
        if self.drivers.is_empty() {
            return Ok((sources, flags));
        }
        // Names of temporary folders would make each load of the program another program.
        flags.push(format!("-ffile-prefix-map={}=.", scratch.display()).into());
        let is_main = self.drivers.iter().any(|driver| driver.is_main);
        let mut all = Vec::new();
        for (n, source) in sources.iter().enumerate() {
            let source = std::path::absolute(source)?;
            let of_source = self.drivers.iter().filter(|driver| Path::new(&driver.source) == source);
            let texts: String = of_source.map(|driver| driver.text.as_str()).collect();
            let extension = source.extension().unwrap_or_default().display().to_string();
            let file = scratch.join(format!("source{n}.{extension}"));
            std::fs::write(&file, harness::including(&source, is_main) + &texts)?;
            all.push(file);
        }
        Ok((all, flags))
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
