//! How users say which strategies are to be used.

use std::sync::Arc;

use crate::flow::Flow;
use crate::strategies::batch::{self, Batch};
use crate::strategies::deepening::{self, Deepening};
use crate::strategies::ending::{self, Ending};
use crate::strategies::interleaved::Interleaved;
use crate::strategies::{Making, STRATEGIES};
use crate::strategy::Strategy;

/// A search that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// No strategy has this name.
    #[error("no search strategy `{name}`; the strategies are {}", names().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// Nothing of this kind goes in front of a strategy.
    #[error(
        "no search `{name}`; in front of a strategy may stand `batch:`, `ending:` or `deepening:`, with a number of 1 \
         or more like `batch=10000:`"
    )]
    Wrapper {
        /// What was said.
        name: String,
    },
}

/// The strategies' names.
fn names() -> Vec<&'static str> {
    STRATEGIES.iter().map(|entry| entry.name).collect()
}

/// Which strategies an exploration uses, and the seed of whatever chooses at random. Default is depth-first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    names: Vec<String>,
    seed: u64,
}

impl Search {
    /// The strategies of these names, which take turns. In front of a name may stand `batch:` or `batch=N:` (a
    /// choice holds for N instructions, 10,000 by default), `ending:` or `ending=N:` (until the path ends, or for N
    /// instructions, 100,000 by default, and then for what parts from it near its end) and `deepening:` or `deepening=N:` (the states of at
    /// most N decisions first, 16 by default, then of twice as many, and so on).
    ///
    /// # Errors
    /// Where a name is none.
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

    /// Whether a strategy among them needs to know what is covered, and the program's graph.
    pub fn uses_coverage(&self) -> bool {
        self.strategy(None).uses_coverage()
    }

    /// Makes the strategy. With a program's graph, some know where its code leads.
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
