//! Which back ends there are.

use crate::backend::Backend;
use crate::blast::BitBlaster;
use crate::options::{BackendChoice, SolverError, SolverOptions};

type Tiers = (Box<dyn Backend>, Option<Box<dyn Backend>>);

/// The first back end, and the one that is asked where it gives up, or that checks it.
pub(crate) fn backends(options: &SolverOptions) -> Result<Tiers, SolverError> {
    let checked = options.cross_check || options.self_check;
    match options.backend {
        BackendChoice::BitBlaster if !checked => Ok((Box::new(BitBlaster::new(&options.stop)), None)),
        BackendChoice::Bitwuzla if !checked => Ok((bitwuzla("the back end `bitwuzla`", options)?, None)),
        BackendChoice::Bitwuzla => Ok((
            bitwuzla("the back end `bitwuzla`", options)?,
            Some(Box::new(BitBlaster::new(&options.stop))),
        )),
        _ if options.cross_check => {
            Ok((Box::new(BitBlaster::new(&options.stop)), Some(bitwuzla("the cross-check", options)?)))
        }
        // Without Bitwuzla the first tier does what it can, and checks itself.
        _ => Ok((Box::new(BitBlaster::new(&options.stop)), bitwuzla("the second tier", options).ok())),
    }
}

#[cfg(feature = "bitwuzla")]
fn bitwuzla(_: &'static str, options: &SolverOptions) -> Result<Box<dyn Backend>, SolverError> {
    Ok(Box::new(crate::bitwuzla::BitwuzlaBackend::new(&options.stop)?))
}

#[cfg(not(feature = "bitwuzla"))]
fn bitwuzla(what: &'static str, _: &SolverOptions) -> Result<Box<dyn Backend>, SolverError> {
    Err(SolverError::NotBuiltIn { what })
}
