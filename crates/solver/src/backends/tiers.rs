//! Back ends by name: the table of this build, and the ordered list that a solver uses. The options hold the list; the
//! chain starts it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::backends::backend::{BackEnd, Backend};
use crate::error::SolverError;

/// All back ends of this build, quick ones first. A new one is a file with an entry, and its line here.
pub const BACK_ENDS: &[&BackEnd] = &[
    &crate::backends::blast::BACK_END,
    #[cfg(feature = "bitwuzla")]
    &crate::backends::bitwuzla::BACK_END,
    &crate::backends::smtlib::Z3,
    &crate::backends::smtlib::CVC5,
];

/// The back ends that a solver uses, in their order: each but the last gets a short time, the last one all that is left.
/// Written as their names, with commas between them.
#[derive(Clone, Debug)]
pub struct Tiers(Vec<&'static BackEnd>);

impl Default for Tiers {
    /// All back ends that are marked as usual.
    fn default() -> Tiers {
        Tiers(BACK_ENDS.iter().copied().filter(|back_end| back_end.usual).collect())
    }
}

impl FromStr for Tiers {
    type Err = SolverError;

    fn from_str(names: &str) -> Result<Tiers, SolverError> {
        let mut tiers = Tiers(Vec::new());
        for name in names.split(',').map(str::trim) {
            let found = BACK_ENDS.iter().find(|back_end| back_end.name == name);
            let back_end = found.ok_or_else(|| unknown(name))?;
            if tiers.has(back_end) {
                return Err(SolverError::NamedTwice { name: back_end.name });
            }
            tiers.0.push(back_end);
        }
        Ok(tiers)
    }
}

impl fmt::Display for Tiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|back_end| back_end.name).collect();
        f.write_str(&names.join(","))
    }
}

impl Tiers {
    fn has(&self, back_end: &BackEnd) -> bool {
        self.0.iter().any(|tier| tier.name == back_end.name)
    }

    /// Starts the back ends, in their order.
    pub(crate) fn start(&self, stop: &Arc<AtomicBool>) -> Result<Vec<Box<dyn Backend>>, SolverError> {
        self.0.iter().map(|back_end| (back_end.start)(stop)).collect()
    }

    /// Starts a back end that is not in the list, to check the first if it stands alone.
    pub(crate) fn start_other(
        &self,
        stop: &Arc<AtomicBool>,
    ) -> Option<Result<Box<dyn Backend>, SolverError>> {
        let other = BACK_ENDS.iter().find(|back_end| !self.has(back_end))?;
        Some((other.start)(stop))
    }
}

/// The error for a name that no back end has.
pub(crate) fn unknown(name: &str) -> SolverError {
    let names: Vec<&str> = BACK_ENDS.iter().map(|back_end| back_end.name).collect();
    SolverError::UnknownBackEnd { name: name.into(), solvers: names.join(", ") }
}
