//! The body of a rank other than 0: starts a worker as a child process on request, and passes messages on.

use std::process::Command;

use cleave_campaign::{Incoming, Processes, ToWorker, Transport, WorkerId, refusal};

use crate::link::{Link, Pauses};
use crate::ranks::{FromRank, ToRank};

/// Serves rank 0 until it says that the session is over. Workers are processes that `command` starts, and that
/// call [`cleave_campaign::serve_stdio`].
///
/// # Errors
/// If a message of rank 0 is invalid.
pub fn serve(link: &mut Link, command: impl Fn() -> Command + Send + 'static) -> Result<(), String> {
    let mut processes = Processes::new(command);
    let mut pauses = Pauses::new();
    loop {
        while let Some((_, bytes)) = link.receive() {
            pauses.reset();
            match postcard::from_bytes::<ToRank<ToWorker>>(&bytes) {
                Ok(ToRank::Start { worker, version }) => {
                    if let Err(why) = start(&mut processes, worker, &version) {
                        tell(link, &FromRank::Gone(worker, why));
                    }
                }
                Ok(ToRank::Tell(worker, message)) => processes.send(worker, &message),
                Ok(ToRank::Kill(worker)) => processes.kill(worker),
                Ok(ToRank::End) => {
                    tell(link, &FromRank::Bye);
                    return Ok(());
                }
                Err(e) => {
                    return Err(format!(
                        "rank 0 sent what is no message ({e}); is it another version of Cleave?"
                    ));
                }
            }
        }
        // A message of the worker ends the pause.
        if let Some((worker, incoming)) = processes.receive(pauses.next())? {
            pauses.reset();
            tell(
                link,
                &match incoming {
                    Incoming::Message(message) => FromRank::Message(worker, message),
                    Incoming::Gone(why) | Incoming::Left(why) => FromRank::Gone(worker, why),
                },
            );
        }
    }
}

fn start(processes: &mut Processes, worker: WorkerId, version: &str) -> Result<(), String> {
    refusal("rank 0", version).map_or_else(|| processes.start(worker), Err)
}

fn tell(link: &mut Link, message: &FromRank) {
    let bytes = postcard::to_stdvec(message).expect("messages have no types that postcard refuses");
    link.send(0, &bytes);
}
