//! How long a message of 100 bytes takes to a worker and its answer back: to a process of this machine, and to one
//! behind an MPI rank. `mpiexec -n 2 target/release/examples/round_trip`

use std::process::Command;
use std::time::{Duration, Instant};

use cleave_campaign::{Incoming, Pace, Processes, ToWorker, Transport, serve_stdio};
use cleave_mpi::{Link, Ranks, launched, serve};

const TIMES: u32 = 2000;

fn worker() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("worker");
    command
}

/// The median, at once and after a rest of 20 ms, in microseconds.
fn measure(transport: &mut dyn Transport) -> Result<(f64, f64), String> {
    transport.start(7)?;
    let message = ToWorker::Setup { worker: 0, bytes: vec![1; 100], shard: None };
    let mut medians = [Duration::ZERO, Duration::from_millis(20)].into_iter().map(|rest| {
        let mut taken = Vec::new();
        for _ in 0..if rest.is_zero() { TIMES } else { TIMES / 20 } {
            std::thread::sleep(rest);
            let start = Instant::now();
            transport.send(7, &message);
            match transport.receive(Duration::from_secs(10))? {
                Some((7, Incoming::Message(_))) => taken.push(start.elapsed()),
                other => return Err(format!("no answer but {other:?}")),
            }
        }
        taken.sort();
        Ok(taken[taken.len() / 2].as_secs_f64() * 1e6)
    });
    let mut next = || medians.next().unwrap_or_else(|| Err("nothing measured".into()));
    Ok((next()?, next()?))
}

fn main() -> Result<(), String> {
    if std::env::args().nth(1).is_some_and(|word| word == "worker") {
        serve_stdio(&|_| Err("an answer".into()), Pace::default());
        return Ok(());
    }
    let launch = launched().filter(|launch| launch.size == 2).ok_or("start it with mpiexec -n 2")?;
    let mut link = Link::join(launch)?;
    if launch.rank > 0 {
        return serve(&mut link, worker);
    }
    let mut ranks = Ranks::new(link);
    let result = measure(&mut ranks);
    ranks.end();
    let (at_once, rested) = result?;
    println!("a worker behind a rank: {at_once:.0} us, after a rest {rested:.0} us");
    let (at_once, rested) = measure(&mut Processes::new(worker))?;
    println!("a worker process:       {at_once:.0} us, after a rest {rested:.0} us");
    Ok(())
}
