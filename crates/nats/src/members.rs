//! The coordinator's transport: workers on nodes that have joined.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cleave_campaign::{FromWorker, Incoming, Snapshot, ToWorker, Transport, WorkerId, version};

use crate::SILENCE;
use crate::ask::answer;
use crate::channel::Channel;
use crate::connection::{Connection, address, shown};
use crate::key::Key;
use crate::packet::{Frame, FromNode, Id, Packet, ToNode, encoded};
use crate::status::{Board, MemberStatus, Speed, Status, Traffic};

/// Maximum number of workers of a node, and of nodes of a run.
const MOST_PLACES: u32 = 1024;
const MOST_NODES: usize = 8192;
/// Number of times in a row that a node's workers may end before they are ready; then the node is dismissed.
const FALSE_STARTS: u32 = 3;
/// Time between two checks for repetitions and silent nodes.
const LOOK: Duration = Duration::from_millis(50);
/// Maximum time for nodes to say goodbye.
const GOODBYE: Duration = Duration::from_secs(2);
/// Minimum time between two answers to status queries: replayed queries cost the coordinator little.
const ANSWER: Duration = Duration::from_millis(100);
/// Maximum age of the status on the board.
const SHOWN: Duration = Duration::from_millis(500);

/// A machine that has joined.
pub(crate) struct Node {
    pub(crate) name: String,
    host: String,
    /// The subject to which it listens.
    subject: String,
    /// Number of workers that it runs. To the coordinator they are one; none when it leaves or is dismissed.
    places: u32,
    workers: BTreeSet<WorkerId>,
    /// Its workers that are set up.
    ready: BTreeSet<WorkerId>,
    false_starts: u32,
    leaving: bool,
    channel: Channel,
    /// Time of its last packet.
    heard: Instant,
    /// Digest of the set-up that it has.
    has: Option<[u8; 32]>,
    joined: Instant,
    /// Paths that it has reported.
    paths: u64,
    speed: Speed,
    traffic: Traffic,
}

impl Node {
    fn status(&self, now: Instant) -> MemberStatus {
        let since = |then: Instant| now.saturating_duration_since(then).as_secs_f64();
        MemberStatus {
            name: self.name.clone(),
            address: self.host.clone(),
            workers: if self.workers.is_empty() { 0 } else { self.places },
            places: self.places,
            joined_s: since(self.joined),
            heard_s: since(self.heard),
            paths: self.paths,
            paths_per_s: self.speed.a_second(now, self.paths),
            traffic: self.traffic,
        }
    }
}

/// State of the run.
struct Course {
    began: Instant,
    last: Snapshot,
    speed: Speed,
    answered: Option<Instant>,
    board: Board,
    shown: Option<Instant>,
}

/// The set-up of workers, as sent.
struct Setup {
    bytes: Vec<u8>,
    digest: [u8; 32],
    message: Arc<[u8]>,
}

/// Receiver of messages about nodes that come and go.
type Tell = Box<dyn FnMut(&str)>;

/// Workers on the nodes that have joined.
pub struct Members {
    connection: Connection,
    server: String,
    key: Arc<Key>,
    run: Id,
    pub(crate) nodes: BTreeMap<Id, Node>,
    /// Nodes that were members.
    past: BTreeSet<Id>,
    homes: BTreeMap<WorkerId, Id>,
    killed: BTreeSet<WorkerId>,
    pending: VecDeque<(WorkerId, Incoming)>,
    /// Messages of nodes about their shards.
    pub(crate) offers: VecDeque<(Id, FromNode)>,
    setup: Option<Setup>,
    looked: Instant,
    /// All packets before this time are handled: as long as this process is busy, nobody counts as silent.
    heard_until: Instant,
    over: Arc<AtomicBool>,
    beats: Arc<AtomicU64>,
    tell: Tell,
    course: Course,
}

/// A foreign text for display: on one line, and shortened.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect()
}

fn beat(run: Id, number: &AtomicU64, over: &AtomicBool) -> Packet {
    let number = number.fetch_add(1, Ordering::Relaxed) + 1;
    Packet::Beat { run, number, over: over.load(Ordering::Relaxed), version: version() }
}

impl Members {
    /// Calls for members by the server at `url`; `tell` receives messages about those that come and go.
    ///
    /// # Errors
    /// If there is no connection to the server.
    pub fn new(url: &str, key: Key, tell: impl FnMut(&str) + 'static) -> Result<Members, String> {
        let (key, run) = (Arc::new(key), Id::random()?);
        let over = Arc::new(AtomicBool::new(false));
        let beats = Arc::new(AtomicU64::new(0));
        let all = format!("{}.all", key.subject());
        let regularly = {
            let (key, over, beats) = (key.clone(), over.clone(), beats.clone());
            Box::new(move || (all.clone(), key.seal(&beat(run, &beats, &over))))
        };
        let connection = Connection::open(url, vec![format!("{}.in", key.subject())], Some(regularly))?;
        Ok(Members {
            connection,
            server: shown(&address(url)?),
            key,
            run,
            nodes: BTreeMap::new(),
            past: BTreeSet::new(),
            homes: BTreeMap::new(),
            killed: BTreeSet::new(),
            pending: VecDeque::new(),
            offers: VecDeque::new(),
            setup: None,
            looked: Instant::now(),
            heard_until: Instant::now(),
            over,
            beats,
            tell: Box::new(tell),
            course: Course {
                began: Instant::now(),
                last: Snapshot::default(),
                speed: Speed::default(),
                answered: None,
                board: Board::default(),
                shown: None,
            },
        })
    }

    /// The server's address for display: without a password.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Shows the status to others in this process.
    pub fn board(&self) -> Board {
        self.course.board.clone()
    }

    /// The status of the run, as the coordinator knows it.
    fn status(&self) -> Status {
        let (now, run) = (Instant::now(), &self.course.last);
        let mut members: Vec<MemberStatus> = self.nodes.values().map(|node| node.status(now)).collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Status {
            version: version(),
            session_s: now.saturating_duration_since(self.course.began).as_secs_f64(),
            paths: run.paths,
            paths_per_s: self.course.speed.a_second(now, run.paths),
            expected_paths: run.expected.map(|more| run.paths as f64 + more.paths),
            open_regions: run.open_regions.saturating_sub(run.busy.into()),
            leased_regions: run.busy.into(),
            bugs: run.bugs,
            lines_covered: run.coverage.lines_covered,
            lines: run.coverage.lines,
            branches_covered: run.coverage.branches_covered,
            branches: run.coverage.branches,
            stopping: run.stopping,
            traffic: self.connection.traffic(),
            members,
        }
    }

    /// Answers a status query.
    fn answer(&mut self, address: Id, question: Id) {
        if self.course.answered.is_some_and(|at| at.elapsed() < ANSWER) {
            return;
        }
        self.course.answered = Some(Instant::now());
        let subject = format!("{}.node.{address}", self.key.subject());
        for packet in answer(question, &self.status()) {
            self.connection.publish(&subject, self.key.seal(&packet));
        }
    }

    /// Tells all nodes that the session is over, and waits a moment for them to hear it.
    pub fn end(mut self) {
        self.over.store(true, Ordering::Relaxed);
        let now = Instant::now();
        let members: Vec<Id> = self.nodes.keys().copied().collect();
        for id in members {
            self.say(id, &ToNode::End);
        }
        while !self.nodes.is_empty() && now.elapsed() < GOODBYE {
            self.pending.clear();
            if self.look_for(LOOK).is_err() {
                break;
            }
        }
        // For nodes that have not received it.
        self.publish_to_all(&beat(self.run, &self.beats, &self.over));
    }

    fn publish_to_all(&self, packet: &Packet) {
        self.connection.publish(&format!("{}.all", self.key.subject()), self.key.seal(packet));
    }

    pub(crate) fn say(&mut self, id: Id, message: &ToNode) {
        self.push(id, encoded(message));
    }

    fn push(&mut self, id: Id, message: Arc<[u8]>) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.channel.push(message);
            self.flush(id);
        }
    }

    /// Sends the due frames to a node.
    fn flush(&mut self, id: Id) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        for frame in node.channel.due(Instant::now()) {
            let packet = self.key.seal(&Packet::ToNode { run: self.run, node: id, frame });
            node.traffic.went(packet.len());
            self.connection.publish(&node.subject, packet);
        }
    }

    /// Handles a packet within `wait`; returns true if one came.
    pub(crate) fn look_for(&mut self, wait: Duration) -> Result<bool, String> {
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            let all: Vec<Id> = self.nodes.keys().copied().collect();
            all.into_iter().for_each(|id| self.flush(id));
            self.nodes.values_mut().for_each(|node| node.speed.note(self.looked, node.paths));
            self.give_up_on_silent();
        }
        match self.connection.receive(wait.min(LOOK))? {
            Some((at, bytes)) => {
                self.heard_until = at;
                if let Some(packet) = self.key.open(&bytes) {
                    self.take(packet, at, bytes.len());
                }
                Ok(true)
            }
            None => {
                self.heard_until = Instant::now();
                Ok(false)
            }
        }
    }

    fn take(&mut self, packet: Packet, at: Instant, bytes: usize) {
        match packet {
            Packet::Hello { run, node, address, name, host, places, version: its }
                if run == self.run && its == version() && !self.over.load(Ordering::Relaxed) =>
            {
                let known = self.nodes.contains_key(&node) || self.past.contains(&node);
                if !known && (1..=MOST_PLACES).contains(&places) && self.nodes.len() < MOST_NODES {
                    self.welcome(node, address, [&name, &host], places);
                }
            }
            Packet::FromNode { run, node, frame } if run == self.run => match self.nodes.get_mut(&node) {
                Some(member) => {
                    member.heard = member.heard.max(at);
                    member.traffic.came(bytes);
                    self.hear(node, frame);
                }
                None if self.past.contains(&node) => {
                    self.publish_to_all(&Packet::Stranger { run, node });
                }
                None => {}
            },
            Packet::Ask { address, question } => self.answer(address, question),
            _ => {}
        }
    }

    fn welcome(&mut self, id: Id, address: Id, names: [&str; 2], places: u32) {
        let [name, host] = names.map(|name| plain(name).chars().take(64).collect::<String>());
        let workers = if places == 1 { "worker" } else { "workers" };
        (self.tell)(&format!("{name} joins with {places} {workers}"));
        let mut channel = Channel::new();
        channel.owe();
        let node = Node {
            name,
            host,
            subject: format!("{}.node.{address}", self.key.subject()),
            places,
            workers: BTreeSet::new(),
            ready: BTreeSet::new(),
            false_starts: 0,
            leaving: false,
            channel,
            heard: Instant::now(),
            has: None,
            joined: Instant::now(),
            paths: 0,
            speed: Speed::default(),
            traffic: Traffic::default(),
        };
        self.nodes.insert(id, node);
        self.flush(id);
    }

    fn hear(&mut self, id: Id, frame: Frame) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        match node.channel.take(frame, Instant::now()) {
            Ok(Some(message)) => match postcard::from_bytes(&message) {
                Ok(message) => self.understand(id, message),
                Err(e) => self.dismiss(id, &format!("it sent what is no message ({e})")),
            },
            Ok(None) => {}
            Err(why) => self.dismiss(id, &format!("it sent {why}")),
        }
        self.flush(id);
    }

    fn understand(&mut self, id: Id, message: FromNode) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        match message {
            FromNode::Message(worker, message) if node.workers.contains(&worker) => match &message {
                FromWorker::Failed { message } if !node.ready.contains(&worker) => {
                    let why = format!("a worker there cannot start: {message}");
                    self.dismiss(id, &why);
                }
                // Other nodes can continue.
                FromWorker::Unable { message } => {
                    let why = message.clone();
                    self.dismiss(id, &why);
                }
                FromWorker::Report(report) if let Err(why) = report.check() => {
                    self.dismiss(id, &format!("a report of it makes no sense: {why}"));
                }
                _ => {
                    if message == FromWorker::Ready {
                        node.ready.insert(worker);
                        node.false_starts = 0;
                    }
                    if let FromWorker::Report(report) = &message {
                        node.paths += report.found();
                    }
                    self.pending.push_back((worker, Incoming::Message(message)));
                }
            },
            FromNode::Gone(worker, why) if node.workers.remove(&worker) => {
                self.homes.remove(&worker);
                let (was_ready, killed) = (node.ready.remove(&worker), self.killed.remove(&worker));
                let why = format!("on {}: {why}", node.name);
                if node.leaving || killed {
                    self.pending.push_back((worker, Incoming::Left(why)));
                } else if was_ready {
                    self.pending.push_back((worker, Incoming::Gone(why)));
                } else {
                    node.false_starts += 1;
                    let too_often = node.false_starts >= FALSE_STARTS;
                    self.pending.push_back((worker, Incoming::Left(why.clone())));
                    if too_often {
                        self.dismiss(id, &format!("workers there cannot start: {why}"));
                    }
                }
            }
            FromNode::Message(..) | FromNode::Gone(..) => {}
            FromNode::Shards(..) | FromNode::Piece { .. } => self.offers.push_back((id, message)),
            FromNode::Leaving => (node.places, node.leaving) = (0, true),
            FromNode::Refuses(why) => self.remove(id, &format!("refuses to work: {why}")),
            FromNode::Bye => self.remove(id, "left"),
        }
    }

    /// Dismisses a node that is of no use. It stays on the list until it has received that.
    fn dismiss(&mut self, id: Id, why: &str) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        (node.places, node.leaving) = (0, true);
        (self.tell)(&format!("{} is dismissed: {}", node.name, plain(why)));
        self.orphan(id, why);
        self.say(id, &ToNode::Dismissed(why.to_string()));
    }

    /// Removes a node from the members.
    fn remove(&mut self, id: Id, how: &str) {
        self.orphan(id, how);
        let Some(mut node) = self.nodes.remove(&id) else { return };
        self.past.insert(id);
        if !self.over.load(Ordering::Relaxed) {
            (self.tell)(&format!("{} {}", node.name, plain(how)));
        }
        // Its last message is still acknowledged.
        for frame in node.channel.due(Instant::now()) {
            let packet = Packet::ToNode { run: self.run, node: id, frame };
            self.connection.publish(&node.subject, self.key.seal(&packet));
        }
    }

    /// Returns the regions of a node's workers.
    fn orphan(&mut self, id: Id, why: &str) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let why = format!("on {}: {why}", node.name);
        for worker in std::mem::take(&mut node.workers) {
            self.homes.remove(&worker);
            self.killed.remove(&worker);
            self.pending.push_back((worker, Incoming::Left(why.clone())));
        }
    }

    fn give_up_on_silent(&mut self) {
        // Without a connection nobody counts as silent.
        let Some(up) = self.connection.up_since() else { return };
        let until = self.heard_until;
        let silent = |node: &Node| until.saturating_duration_since(node.heard.max(up)) > SILENCE;
        let silent: Vec<Id> = self.nodes.iter().filter(|(_, node)| silent(node)).map(|(id, _)| *id).collect();
        for id in silent {
            self.remove(id, "has vanished: what it had is given to others");
        }
    }

    /// The node of a new worker: the one with the most room.
    fn roomiest(&self) -> Option<Id> {
        let has_room = |node: &&Node| node.places > 0 && node.workers.is_empty();
        let (id, _) =
            self.nodes.iter().filter(|(_, node)| has_room(node)).max_by_key(|(_, node)| node.places)?;
        Some(*id)
    }

    /// Sends a node the set-up, unless it has it.
    fn send_setup(&mut self, id: Id, bytes: &[u8]) {
        let setup = match self.setup.take().filter(|setup| setup.bytes == bytes) {
            Some(known) => known,
            None => {
                let digest = digest(bytes);
                let message = encoded(&ToNode::Setup { digest, bytes: bytes.to_vec() });
                Setup { bytes: bytes.to_vec(), digest, message }
            }
        };
        if let Some(node) = self.nodes.get_mut(&id)
            && node.has.replace(setup.digest) != Some(setup.digest)
        {
            self.push(id, setup.message.clone());
        }
        self.setup = Some(setup);
    }
}

/// The prefix of the names of a node's shards.
pub(crate) fn host(node: Id) -> String {
    format!("n{node}")
}

/// The SHA-256 digest of bytes.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut all = [0; 32];
    all.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
    all
}

impl Transport for Members {
    fn start(&mut self, worker: WorkerId) -> Result<(), String> {
        let id = self.roomiest().ok_or("all members have their workers; have another machine join")?;
        if let Some(node) = self.nodes.get_mut(&id) {
            node.workers.insert(worker);
        }
        self.homes.insert(worker, id);
        self.say(id, &ToNode::Start(worker));
        Ok(())
    }

    fn send(&mut self, worker: WorkerId, message: &ToWorker) {
        let Some(id) = self.homes.get(&worker).copied() else { return };
        match message {
            ToWorker::Setup { worker: number, bytes, shard } => {
                self.send_setup(id, bytes);
                self.say(id, &ToNode::SetUp { worker, number: *number, keeps: shard.is_some() });
            }
            message => self.say(id, &ToNode::Tell(worker, message.clone())),
        }
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<(WorkerId, Incoming)>, String> {
        let start = Instant::now();
        loop {
            if let Some(first) = self.pending.pop_front() {
                return Ok(Some(first));
            }
            let places = self.places();
            let left = wait.saturating_sub(start.elapsed());
            let heard = self.look_for(left)?;
            // A node that joins is to be given work at once.
            if (self.pending.is_empty() && self.places() != places) || (!heard && left.is_zero()) {
                return Ok(None);
            }
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        if let Some(id) = self.homes.get(&worker).copied() {
            self.killed.insert(worker);
            self.say(id, &ToNode::Kill(worker));
        }
    }

    fn places(&self) -> Option<u32> {
        let of = |node: &&Node| node.places > 0 || !node.workers.is_empty();
        Some(self.nodes.values().filter(of).count() as u32)
    }

    fn host(&self, worker: WorkerId) -> Option<String> {
        self.homes.get(&worker).map(|id| host(*id))
    }

    fn processors(&self) -> Option<u32> {
        let of = |node: &Node| if node.workers.is_empty() { 0 } else { node.places };
        Some(self.nodes.values().map(of).sum())
    }

    fn note(&mut self, now: &Snapshot) {
        let time = Instant::now();
        self.course.last = *now;
        self.course.speed.note(time, now.paths);
        if self.course.shown.is_none_or(|at| time.saturating_duration_since(at) >= SHOWN) {
            self.course.shown = Some(time);
            self.course.board.show(self.status());
        }
    }
}
