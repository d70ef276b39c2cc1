//! Commands that measure and simulate.

pub mod bench_lazy; // `cleave bench lazy`: the cost of covering the code of a program, asking eagerly and lazily.
pub mod bench_s2pf; // `cleave bench s2pf`: Table 1 of S2PF.
pub mod simulate; // `cleave simulate`: time that a finished run would have taken with other numbers of workers.
pub mod simulate_grown; // `cleave simulate --grow`: clusters of many nodes on a tree of any size that takes after a recorded one.
