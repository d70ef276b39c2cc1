//! The user's description of a search: strategy names with prefixes. Commands parse it; explorers get the strategy made from it.

use std::sync::Arc;

use crate::engine::control_flow::Flow;
use crate::strategies::wrappers::batch::{self, Batch};
use crate::strategies::wrappers::deepening::{self, Deepening};
use crate::strategies::wrappers::ending::{self, Ending};
use crate::strategies::wrappers::interleaved::Interleaved;
use crate::strategies::{Making, STRATEGIES};
use crate::strategy::Strategy;

/// An invalid search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// No strategy has this name.
    #[error("no search strategy `{name}`; the strategies are {}", names().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// No prefix of this kind exists.
    #[error(
        "no search `{name}`; in front of a strategy may stand `batch:`, `ending:` or `deepening:`, with a number of 1 \
         or more like `batch=10000:`"
    )]
    Wrapper {
        /// The prefix and name as given.
        name: String,
    },
}

/// The strategies' names.
fn names() -> Vec<&'static str> {
    STRATEGIES.iter().map(|entry| entry.name).collect()
}

/// Strategies of an exploration, and the seed of random choices. Default is depth-first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    names: Vec<String>,
    seed: u64,
}

impl Search {
    /// The strategies of these names, which share the choices. In front of a name may stand `batch:` or `batch=N:` (a
    /// choice holds for N instructions, 10,000 by default), `ending:` or `ending=N:` (until the path ends, or for N
    /// instructions, 100,000 by default, and then for the paths that part from it near its end) and `deepening:` or
    /// `deepening=N:` (the states of at most N decisions first, 16 by default, then of twice as many, and so on).
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn new(names: &[String], seed: u64) -> Result<Search, SearchError> {
        for name in names {
            strategy(name, &Making::default())?;
        }
        Ok(Search { names: names.to_vec(), seed })
    }

    /// Breadth-first.
    pub fn breadth_first() -> Search {
        Search { names: vec!["bfs".into()], seed: 0 }
    }

    /// True if a strategy among them needs the coverage and the program's graph.
    pub fn uses_coverage(&self) -> bool {
        self.strategy(None).uses_coverage()
    }

    /// Makes the strategy. Some strategies use the program's graph to find new code.
    pub fn strategy(&self, flow: Option<Arc<Flow>>) -> Box<dyn Strategy> {
        let making = |i: usize| Making { seed: self.seed.wrapping_add(i as u64), flow: flow.clone() };
        let mut all: Vec<_> =
            self.names.iter().enumerate().filter_map(|(i, name)| strategy(name, &making(i)).ok()).collect();
        match all.len() {
            0 => (STRATEGIES[0].make)(&making(0)),
            1 => all.swap_remove(0),
            _ => Box::new(Interleaved::new(all)),
        }
    }
}

fn strategy(name: &str, making: &Making) -> Result<Box<dyn Strategy>, SearchError> {
    let Some((wrapper, inner)) = name.split_once(':') else {
        let entry = STRATEGIES.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| SearchError::Unknown { name: name.to_string() })?;
        return Ok((entry.make)(making));
    };
    let wrong = || SearchError::Wrapper { name: name.to_string() };
    let (kind, number) = match wrapper.split_once('=') {
        Some((kind, number)) => (kind, Some(number.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?)),
        None => (wrapper, None),
    };
    let inner = strategy(inner, making)?;
    match kind {
        "batch" => Ok(Box::new(Batch::new(inner, number.unwrap_or(batch::INSTRUCTIONS)))),
        "ending" => Ok(Box::new(Ending::new(inner, number.unwrap_or(ending::INSTRUCTIONS)))),
        "deepening" => Ok(Box::new(Deepening::new(inner, number.unwrap_or(deepening::DEPTH)))),
        _ => Err(wrong()),
    }
}
