//! `cleave simulate --grow`: clusters of many nodes on a tree of any size that takes after a recorded one.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use cleave_campaign::{NodePace, Pace};
use cleave_simulate::grown::{GrownTree, Model, Shape};
use cleave_simulate::scale::{Cluster, Failures, Scale, ScaleRow};
use cleave_simulate::{MICROSECOND, Network, Picos, SimulateError, Simulation, Tree};
use serde_json::{Value, json};

/// Options of `cleave simulate` for trees that are larger than any recorded one.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Trees of any size, on nodes of many workers")]
pub struct GrownOptions {
    /// Simulate a tree of this many paths that takes after the run's, on nodes of many workers. Default is the run's own
    /// tree, on workers without nodes
    #[arg(long, value_name = "PATHS", value_parser = clap::value_parser!(u64).range(1..=1 << 40),
          conflicts_with_all = ["policy", "cores", "path_us", "sent", "ranges_per_worker", "split_states"])]
    pub grow: Option<u64>,
    /// Workers of a node. Default is 64
    #[arg(long, value_name = "N", default_value_t = 64, hide_default_value = true, requires = "grow",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub node_workers: u32,
    /// The coordinator leases to workers itself. Default is that it leases to nodes, each of which leases to its workers
    #[arg(long, requires = "grow")]
    pub one_level: bool,
    /// Least time of a message within a node, in microseconds. Default is 5
    #[arg(long, value_name = "US", default_value_t = 5.0, hide_default_value = true, requires = "grow", value_parser = number)]
    pub inner_latency_us: f64,
    /// Time of a coordinator for a region in a message in addition, in microseconds. Default is 3.5
    #[arg(long, value_name = "US", default_value_t = 3.5, hide_default_value = true, requires = "grow", value_parser = number)]
    pub row_us: f64,
    /// Lose a node after this many seconds, on average, with all that it has not reported. Default is that none is lost
    #[arg(long, value_name = "S", requires = "grow", value_parser = seconds)]
    pub lose_node_s: Option<f64>,
    /// Seconds until the coordinator knows that a node is lost. Default is 8
    #[arg(long, value_name = "S", default_value_t = 8.0, hide_default_value = true, requires = "lose_node_s", value_parser = seconds)]
    pub silence_s: f64,
    /// Seconds from the loss of a node to another in its place. Default is 60
    #[arg(long, value_name = "S", default_value_t = 60.0, hide_default_value = true, requires = "lose_node_s", value_parser = seconds)]
    pub replace_s: f64,
}

/// A number of microseconds that is not negative, up to a second.
fn number(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if (0.0..=1e6).contains(&number) { Ok(number) } else { Err("give a number from 0 to 1000000".into()) }
}

fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if (1e-3..=1e6).contains(&number) {
        Ok(number)
    } else {
        Err("give a number from 0.001 to 1000000".into())
    }
}

/// A tree of `paths` paths, its shape beside that of the recorded one, and the simulated runs on it.
pub struct Grown {
    /// The simulated tree, its costs and the cluster.
    pub scale: Scale,
    /// The paths of the recorded tree, and of a grown one of as many paths.
    pub shapes: [Shape; 2],
    /// A row for each number of workers.
    pub rows: Vec<ScaleRow>,
}

/// Bytes of a test of the recorded tree, on average.
fn test_bytes(tree: &Tree) -> usize {
    let bytes =
        |path: &cleave_region::PathRecord| path.test.objects.iter().map(|o| o.bytes.len()).sum::<usize>();
    tree.paths().iter().map(bytes).sum::<usize>() / tree.paths().len().max(1)
}

impl GrownOptions {
    /// Simulates a tree of `paths` paths with these numbers of workers. Costs and network are those of `recorded`; workers
    /// report each `every`; `seed` chooses the tree.
    ///
    /// # Errors
    /// Those of [`Scale::run`].
    pub fn grow(
        &self,
        paths: u64,
        recorded: &Simulation,
        (workers, every, seed): (&[u32], Option<Duration>, u64),
    ) -> Result<Grown, SimulateError> {
        let model = Model::of(&recorded.tree);
        let small = GrownTree::new(model.clone(), recorded.tree.paths().len() as u64, seed);
        let shapes = [Shape::of(&recorded.tree), Shape::of_grown(&small)];
        let tree = GrownTree::new(model, paths, seed).with_tests_of(test_bytes(&recorded.tree));
        let cluster = self.cluster(recorded, every, seed);
        let scale = Scale { tree: Arc::new(tree), costs: recorded.costs, cluster };
        let rows = workers.iter().map(|workers| scale.run(*workers)).collect::<Result<_, _>>()?;
        Ok(Grown { scale, shapes, rows })
    }

    fn cluster(&self, recorded: &Simulation, every: Option<Duration>, seed: u64) -> Cluster {
        let machine = recorded.machine;
        let every = every.unwrap_or(Pace::default().every_kept);
        let picos = |seconds: f64| (seconds * 1e6 * MICROSECOND as f64) as Picos;
        Cluster {
            node: self.node_workers,
            levels: !self.one_level,
            network: machine.network,
            inner: Network { latency: picos(self.inner_latency_us / 1e6), bandwidth: 0 },
            message: machine.message,
            each_member: machine.each_worker,
            each_region: picos(self.row_us / 1e6),
            report: machine.sync,
            look: LOOK,
            startup: machine.startup,
            setup: machine.setup,
            pace: Pace { every, ..machine.pace },
            node_pace: NodePace::default(),
            failures: self.lose_node_s.map(|every| Failures {
                every: picos(every).max(1),
                silence: picos(self.silence_s),
                replaced: picos(self.replace_s),
                seed,
            }),
        }
    }
}

/// A busy worker looks for messages each 20,000 instructions, a millisecond or less.
const LOOK: Picos = 100 * MICROSECOND;

/// Describes the paths of a tree on one line.
pub fn shape_line(shape: &Shape) -> String {
    let [tenth, half, most] = shape.decisions;
    format!(
        "{} paths, decisions {:.1} on average ({tenth}, {half}, {most} at a tenth, half, nine tenths), instructions {:.0}, spread \
         {:.2}, correlation {:.2}, in chains {:.2}",
        shape.paths,
        shape.mean_decisions,
        shape.mean_instructions,
        shape.spread,
        shape.correlation,
        shape.chains
    )
}

/// The shape of a tree as JSON.
fn shape_json(shape: &Shape) -> Value {
    json!({
        "paths": shape.paths,
        "decisions": shape.mean_decisions,
        "decisions_10_50_90": shape.decisions,
        "instructions": shape.mean_instructions,
        "spread": shape.spread,
        "correlation": shape.correlation,
        "chains": shape.chains,
    })
}

impl Grown {
    /// All of it, as JSON.
    pub fn as_json(&self) -> Value {
        json!({
            "paths": self.scale.tree.root().load.paths,
            "serial_s": self.scale.serial_seconds(),
            "node_workers": self.scale.cluster.node,
            "recorded_shape": shape_json(&self.shapes[0]),
            "grown_shape": shape_json(&self.shapes[1]),
            "rows": self.rows,
        })
    }
}
