//! Environment variables that options give: `--set-env` those with a known value, `--sym-env` those whose value is an input.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::env::error::EnvError;

/// The longest name of a variable, in bytes: start-up code (runtime/start.c) has room for it.
const MAX_NAME: usize = 64;

/// A variable that is set or not, with a value of at most so many bytes: both are inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicVariable {
    /// Its name.
    pub name: String,
    /// The longest that its value can be, in bytes, the NUL not counted.
    pub len: u32,
}

impl SymbolicVariable {
    /// The name of the object that says whether it is set: a byte, 0 if not.
    pub fn set_object(&self) -> String {
        format!("env-{}-set", self.name)
    }

    /// The name of the object with its value: LEN + 1 bytes, read up to the first NUL.
    pub fn object(&self) -> String {
        format!("env-{}", self.name)
    }

    /// Its value under a test, whose objects `bytes` finds by name and fills up to a length; `None` if it is not set.
    pub(crate) fn value(&self, bytes: &dyn Fn(&str, usize) -> Vec<u8>) -> Option<Vec<u8>> {
        let is_set = bytes(&self.set_object(), 1) != [0];
        is_set.then(|| up_to_nul(bytes(&self.object(), self.len as usize)))
    }
}

/// The bytes in front of the first NUL, or all.
pub(crate) fn up_to_nul(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len()));
    bytes
}

/// Takes `NAME=VALUE` apart.
pub(crate) fn name_and_value(option: &str, given: Option<&OsStr>) -> Result<(String, Vec<u8>), EnvError> {
    let bytes = given.unwrap_or_default().as_bytes();
    let Some(end) = bytes.iter().position(|&b| b == b'=') else {
        return Err(EnvError(format!("{option} lacks its NAME=VALUE; give a variable and its value")));
    };
    Ok((name_of(option, OsStr::from_bytes(&bytes[..end]))?, bytes[end + 1..].to_vec()))
}

/// The name of a variable, as it may stand in front of `=`.
pub(crate) fn name_of(option: &str, given: &OsStr) -> Result<String, EnvError> {
    let name = given.to_str().filter(|name| !name.is_empty() && name.len() <= MAX_NAME);
    name.filter(|name| !name.contains('=')).map(str::to_owned).ok_or_else(|| {
        EnvError(format!(
            "{option}: {given:?} is no name of a variable; give one of 1 to {MAX_NAME} bytes without ="
        ))
    })
}
