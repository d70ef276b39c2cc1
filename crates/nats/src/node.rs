//! The body of `cleave join`: looks for a run, begins to explore on request, and passes messages on. The exploring part is a
//! [`cleave_campaign::Node`]: it runs the coordinator's own code over worker processes of this machine.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cleave_campaign::{
    Incoming, NodePace, Nodes, Processes, ToWorker, Transport, WorkerId, refusal, version,
};

use crate::SILENCE;
use crate::channel::Channel;
use crate::connection::Connection;
use crate::key::Key;
use crate::members::{digest, host};
use crate::packet::{Frame, FromNode, Id, Packet, ToNode, encoded};
use crate::shards;

/// The shortest and longest pause between two checks for workers' messages, and the number of shortest pauses before they grow.
const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(1);
const SHORT_ONES: u32 = 20;
/// Time between two signs of a node that has no news.
const SIGN: Duration = Duration::from_secs(1);
/// Maximum time for workers to report before the node leaves, and for the coordinator to receive that.
const REPORTS: Duration = Duration::from_millis(1_300);
const GOODBYE: Duration = Duration::from_millis(400);
/// Time without any packet after which a message is shown.
const NOBODY: Duration = Duration::from_secs(5);

/// Parameters of a node.
pub struct Joining<'a> {
    /// The server.
    pub url: &'a str,
    /// The campaign's key.
    pub key: Key,
    /// The name of this machine, for display.
    pub name: String,
    /// Number of workers that it runs.
    pub places: u32,
    /// Starts a worker, which calls [`cleave_campaign::serve_stdio`].
    pub command: fn() -> Command,
    /// The folder for paths that are found here.
    pub store: PathBuf,
    /// Decides if this machine runs the received set-up: an error gives the reason against it.
    pub allows: &'a dyn Fn(&[u8]) -> Result<(), String>,
    /// The node leaves when this becomes true.
    pub leave: Arc<AtomicBool>,
    /// Receives messages about the node.
    pub tell: &'a dyn Fn(&str),
}

/// Joins a run, as soon as there is one with this key, and serves it until it ends, or until the node is to leave.
///
/// # Errors
/// The reason why the node cannot serve: there is no server, the coordinator is of another version or has dismissed the node, or
/// it sent a set-up that is not allowed.
pub fn join(joining: &Joining<'_>) -> Result<(), String> {
    let (subject, address) = (joining.key.subject(), Id::random()?);
    let subjects = vec![format!("{subject}.all"), format!("{subject}.node.{address}")];
    let connection = Connection::open(joining.url, subjects, None)?;
    let to = format!("{subject}.in");
    while let Some(Found { run, node, beat }) = look_for_run(joining, &connection, &to, address)? {
        let mut member = Member {
            joining,
            connection: &connection,
            to: &to,
            run,
            node,
            channel: Channel::new(),
            nodes: nodes(joining),
            workers: BTreeSet::new(),
            setup: None,
            beat,
            heard: Instant::now(),
            signed: Instant::now(),
            pauses: 0,
            leaving: None,
        };
        if member.serve()? == End::Over {
            return Ok(());
        }
    }
    Ok(())
}

/// The exploring node.
fn nodes(joining: &Joining<'_>) -> Nodes {
    let command = joining.command;
    let local = move || -> Box<dyn Transport> { Box::new(Processes::new(command)) };
    // Shorter than the time that a node has to leave.
    let pace = NodePace { grace: REPORTS / 2, ..NodePace::default() };
    Nodes::new(Arc::new(local), joining.places, pace)
}

/// A session that has taken this node in.
struct Found {
    /// The session.
    run: Id,
    /// The node's number in it.
    node: Id,
    /// The beat by which the session was heard.
    beat: u64,
}

/// Waits until a coordinator takes this node in; `None` when the node is to leave.
fn look_for_run(
    joining: &Joining<'_>,
    connection: &Connection,
    to: &str,
    address: Id,
) -> Result<Option<Found>, String> {
    let (node, since, mut told) = (Id::random()?, Instant::now(), false);
    let mut last = None;
    while !joining.leave.load(Ordering::Relaxed) {
        if !told && since.elapsed() > NOBODY {
            (joining.tell)("no run with this key is heard; waiting for one");
            told = true;
        }
        let Some((_, bytes)) = connection.receive(Duration::from_millis(50))? else { continue };
        match joining.key.open(&bytes) {
            Some(Packet::Beat { run, number, over: false, version: its }) => {
                if let Some(why) = refusal("the run's", &its) {
                    return Err(why);
                }
                // A beat that was heard before is a replay.
                if last.is_some_and(|(known, heard)| known == run && number <= heard) {
                    continue;
                }
                last = Some((run, number));
                let (name, places) = (joining.name.clone(), joining.places);
                let host = connection.own_address();
                let hello = Packet::Hello { run, node, address, name, host, places, version: version() };
                connection.publish(to, joining.key.seal(&hello));
            }
            Some(Packet::ToNode { run, node: whom, .. }) if whom == node => {
                let workers = if joining.places == 1 { "worker" } else { "workers" };
                (joining.tell)(&format!("joined the run with {} {workers}", joining.places));
                return Ok(Some(Found { run, node, beat: last.map_or(0, |(_, number)| number) }));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// End of a membership.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The session is over, or the node has left.
    Over,
    /// The coordinator does not know the node any more, or is silent: perhaps another session begins.
    Lost,
}

/// A node as a member of a session.
struct Member<'a> {
    joining: &'a Joining<'a>,
    connection: &'a Connection,
    to: &'a str,
    run: Id,
    node: Id,
    channel: Channel,
    nodes: Nodes,
    workers: BTreeSet<WorkerId>,
    setup: Option<Vec<u8>>,
    /// The last beat of the coordinator.
    beat: u64,
    /// Times of the coordinator's last packet, and of the last packet to it.
    heard: Instant,
    signed: Instant,
    /// Number of pauses since the last activity.
    pauses: u32,
    /// Time when the node began to leave.
    leaving: Option<Instant>,
}

impl Member<'_> {
    fn serve(&mut self) -> Result<End, String> {
        self.channel.owe();
        loop {
            self.flush();
            while let Some((at, bytes)) = self.connection.receive(Duration::ZERO)? {
                if let Some(packet) = self.joining.key.open(&bytes)
                    && let Some(end) = self.take(packet, at)?
                {
                    return Ok(end);
                }
            }
            if self.is_lost() {
                (self.joining.tell)("the run is not heard any more; waiting for it");
                return Ok(End::Lost);
            }
            if self.joining.leave.load(Ordering::Relaxed) && self.leaving.is_none() {
                self.leave();
            }
            if let Some(since) = self.leaving
                && (self.workers.is_empty() && self.channel.is_settled() || since.elapsed() > REPORTS)
            {
                self.goodbye(&FromNode::Bye)?;
                return Ok(End::Over);
            }
            self.pass_on()?;
        }
    }

    /// Passes on workers' messages, if there is room; otherwise workers wait.
    fn pass_on(&mut self) -> Result<(), String> {
        let doublings = self.pauses.saturating_sub(SHORT_ONES).min(16);
        let pause = (SHORTEST * (1 << doublings)).min(LONGEST);
        self.pauses = self.pauses.saturating_add(1);
        if !self.channel.has_room() {
            std::thread::sleep(pause);
            return Ok(());
        }
        if let Some((worker, incoming)) = self.nodes.receive(pause)? {
            self.pauses = 0;
            let message = match incoming {
                Incoming::Message(message) => FromNode::Message(worker, message),
                Incoming::Gone(why) | Incoming::Left(why) => {
                    self.workers.remove(&worker);
                    FromNode::Gone(worker, why)
                }
            };
            self.channel.push(encoded(&message));
        }
        Ok(())
    }

    fn flush(&mut self) {
        if self.signed.elapsed() >= SIGN {
            self.channel.owe();
        }
        for frame in self.channel.due(Instant::now()) {
            self.signed = Instant::now();
            let packet = Packet::FromNode { run: self.run, node: self.node, frame };
            self.connection.publish(self.to, self.joining.key.seal(&packet));
        }
    }

    /// True if the coordinator is silent although the server is connected.
    fn is_lost(&self) -> bool {
        self.connection.up_since().is_some_and(|up| self.heard.max(up).elapsed() > SILENCE)
    }

    /// Has the workers report their remaining work.
    fn leave(&mut self) {
        (self.joining.tell)("leaving: the workers report what is left");
        self.leaving = Some(Instant::now());
        self.channel.push(encoded(&FromNode::Leaving));
        for worker in &self.workers {
            self.nodes.send(*worker, &ToWorker::Stop);
        }
    }

    /// Sends a last message, and waits a moment for its receipt. Remaining workers end with this process.
    fn goodbye(&mut self, word: &FromNode) -> Result<(), String> {
        self.channel.push(encoded(word));
        let start = Instant::now();
        while !self.channel.is_settled() && start.elapsed() < GOODBYE {
            self.flush();
            let Some((_, bytes)) = self.connection.receive(LONGEST)? else { continue };
            if let Some(Packet::ToNode { node, frame, .. }) = self.joining.key.open(&bytes)
                && node == self.node
            {
                let _ = self.channel.take(frame, Instant::now());
            }
        }
        Ok(())
    }

    fn take(&mut self, packet: Packet, at: Instant) -> Result<Option<End>, String> {
        match packet {
            Packet::Beat { run, number, over, .. } if run == self.run && number > self.beat => {
                (self.beat, self.heard) = (number, at);
                Ok(over.then_some(End::Over))
            }
            Packet::ToNode { run, node, frame } if (run, node) == (self.run, self.node) => {
                self.heard = at;
                self.hear(frame)
            }
            Packet::Stranger { run, node } if (run, node) == (self.run, self.node) => {
                (self.joining.tell)("the run has given this machine up; joining anew");
                Ok(Some(End::Lost))
            }
            _ => Ok(None),
        }
    }

    fn hear(&mut self, frame: Frame) -> Result<Option<End>, String> {
        let Some(message) = self.channel.take(frame, Instant::now())? else { return Ok(None) };
        self.pauses = 0;
        let message = postcard::from_bytes(&message).map_err(|e| {
            format!("the coordinator sent what is no message ({e}); is it another version of Cleave?")
        })?;
        match message {
            ToNode::Setup { digest: announced, bytes } => {
                let checked = match digest(&bytes) == announced {
                    true => (self.joining.allows)(&bytes),
                    false => Err("the program was damaged on its way".into()),
                };
                if let Err(why) = checked {
                    self.goodbye(&FromNode::Refuses(why.clone()))?;
                    return Err(why);
                }
                self.setup = Some(bytes);
            }
            ToNode::Start(worker) => self.start(worker),
            ToNode::SetUp { worker, number, keeps } => {
                if let (true, Some(bytes)) = (self.workers.contains(&worker), self.setup.clone()) {
                    let name = format!("{}-{number}", host(self.node));
                    let shard = keeps.then(|| self.joining.store.join(name));
                    self.nodes.send(worker, &ToWorker::Setup { worker: number, bytes, shard });
                }
            }
            // An unchecked set-up is not passed on.
            ToNode::Tell(_, ToWorker::Setup { .. }) => {}
            ToNode::Tell(worker, message) => self.nodes.send(worker, &message),
            ToNode::Kill(worker) => self.nodes.kill(worker),
            ToNode::List => self.channel.push(encoded(&FromNode::Shards(shards::list(&self.joining.store)))),
            ToNode::Read { shard, from, length } => {
                let bytes = shards::read(&self.joining.store, &shard, from, length);
                self.channel.push(encoded(&FromNode::Piece { shard, from, bytes }));
            }
            ToNode::Dismissed(why) => {
                self.goodbye(&FromNode::Bye)?;
                return Err(format!("the run has dismissed this machine: {why}"));
            }
            ToNode::End => {
                self.goodbye(&FromNode::Bye)?;
                return Ok(Some(End::Over));
            }
        }
        Ok(None)
    }

    fn start(&mut self, worker: WorkerId) {
        let room = self.leaving.is_none() && self.workers.is_empty();
        let started =
            if room { self.nodes.start(worker) } else { Err("there is no room for another worker".into()) };
        match started {
            Ok(()) => {
                self.workers.insert(worker);
            }
            Err(why) => self.channel.push(encoded(&FromNode::Gone(worker, why))),
        }
    }
}
