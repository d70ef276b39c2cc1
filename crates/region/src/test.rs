//! Tests: concrete inputs.

use serde::{Deserialize, Serialize};

/// The bytes of one symbolic object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its bytes.
    #[serde(with = "crate::bytes")]
    pub bytes: Vec<u8>,
}

/// A concrete input: the symbolic objects in the order of their creation on its path. Objects and bytes that a
/// path reads and the test does not have are zero, so every test decides every path to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Test {
    /// The objects.
    pub objects: Vec<Object>,
}

impl std::fmt::Display for Test {
    /// Short: names and bytes, at most 8 bytes of each object.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        for (i, o) in self.objects.iter().enumerate() {
            let shown: String = o.bytes.iter().take(8).map(|b| format!("{b:02x}")).collect();
            let more = if o.bytes.len() > 8 { ".." } else { "" };
            write!(f, "{}{}={shown}{more}", if i > 0 { " " } else { "" }, o.name)?;
        }
        f.write_str("}")
    }
}
