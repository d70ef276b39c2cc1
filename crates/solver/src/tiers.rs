//! Which back ends there are.

use crate::backend::Backend;
use crate::blast::BitBlaster;
use crate::options::{BackendChoice, SolverError, SolverOptions};

type Tiers = (Box<dyn Backend>, Option<Box<dyn Backend>>);

/// The first back end and the one that is asked where it gives up.
pub(crate) fn backends(options: &SolverOptions) -> Result<Tiers, SolverError> {
    match options.backend {
        BackendChoice::BitBlaster if !options.cross_check => Ok((Box::new(BitBlaster::new()), None)),
        BackendChoice::Bitwuzla => Err(SolverError::NotBuiltIn { what: "the back end `bitwuzla`" }),
        _ if options.cross_check => Err(SolverError::NotBuiltIn { what: "the cross-check" }),
        _ => Ok((Box::new(BitBlaster::new()), None)),
    }
}
