//! ParSym (Siddiqui and Khurshid, ICSTE 2010, figures 1 to 3): the monitor and its agents, in a model of their own,
//! as the campaign has no such policy.
//!
//! A work item is a test and a position. An agent runs the program on the test from the start and negates each
//! decision from the position on; what the solver finds goes to the monitor as a new item at once, and the monitor
//! hands items out. Agents fetch the next item while they work on one (double buffering).

use std::collections::VecDeque;

use crate::clock::{Picos, stretched};
use crate::costs::Costs;
use crate::queue::{Link, Queue};
use crate::tree::Tree;
use crate::world::{Counts, Machine, size};

/// A path's number, and the first decision that is negated.
#[derive(Clone, Copy)]
struct Item {
    leaf: u32,
    position: u32,
}

enum ToMonitor {
    Queue(Item),
    Dequeue,
    Exit,
}

enum Event {
    Sends(usize, ToMonitor),
    Returns(usize, ToMonitor),
    /// An item comes to an agent.
    Arrives(usize, Item),
    /// An agent is through with its item.
    Finished(usize),
}

#[derive(Clone, Default)]
struct Agent {
    works: bool,
    next: Option<Item>,
}

/// What came of it.
pub(crate) struct Run {
    pub(crate) wall: Picos,
    pub(crate) counts: Counts,
    /// How often each path was run.
    pub(crate) found: Vec<u32>,
}

struct Monitor<'a> {
    tree: &'a Tree,
    costs: Costs,
    machine: Machine,
    queue: Queue<Event>,
    agents: Vec<Agent>,
    work: VecDeque<Item>,
    /// Agents that want an item.
    wanting: VecDeque<usize>,
    /// Agents that have nothing to do.
    exiting: Vec<bool>,
    exits: usize,
    outgoing: Link,
    incoming: Link,
    busy: u64,
    now: Picos,
    run: Run,
}

/// Explores the tree with `workers` agents.
pub(crate) fn run(tree: &Tree, costs: Costs, machine: Machine, workers: usize) -> Run {
    let found = vec![0; tree.paths().len()];
    let first = Item { leaf: tree.path_of(&Default::default()), position: 0 };
    let mut monitor = Monitor {
        tree,
        costs,
        machine,
        queue: Queue::default(),
        agents: vec![Agent::default(); workers],
        work: [first].into(),
        wanting: VecDeque::new(),
        exiting: vec![false; workers],
        exits: 0,
        outgoing: Link::default(),
        incoming: Link::default(),
        busy: 0,
        now: 0,
        run: Run { wall: 0, counts: Counts::default(), found },
    };
    for agent in 0..workers {
        monitor.queue.push(machine.startup, Event::Sends(agent, ToMonitor::Dequeue));
        monitor.queue.push(machine.startup, Event::Sends(agent, ToMonitor::Exit));
    }
    monitor.serve();
    monitor.run.wall = monitor.now;
    monitor.run
}

impl Monitor<'_> {
    fn serve(&mut self) {
        while self.wanting.len() < self.agents.len() || self.exits < self.agents.len() {
            let Some((now, event)) = self.queue.pop() else { return };
            match event {
                Event::Sends(agent, message) => {
                    let bytes = match &message {
                        ToMonitor::Queue(item) => self.item_size(*item),
                        _ => 5,
                    };
                    self.count(bytes);
                    let arrives = self.incoming.carry(&self.machine.network, now, bytes);
                    self.queue.push(arrives, Event::Returns(agent, message));
                }
                Event::Returns(agent, message) => {
                    self.now = self.now.max(now);
                    self.charge(self.machine.message);
                    self.take(agent, message);
                }
                Event::Arrives(agent, item) if self.agents[agent].works => {
                    self.agents[agent].next = Some(item)
                }
                Event::Arrives(agent, item) => self.start(agent, item, now),
                Event::Finished(agent) => {
                    self.agents[agent].works = false;
                    self.busy -= 1;
                    match self.agents[agent].next.take() {
                        Some(item) => self.start(agent, item, now),
                        None => self.queue.push(now, Event::Sends(agent, ToMonitor::Exit)),
                    }
                }
            }
        }
        // Each is told to exit.
        let agents = self.agents.len() as u64;
        self.charge(self.machine.message * agents);
        self.run.counts.messages += agents;
        self.run.counts.bytes += 5 * agents;
    }

    fn item_size(&self, item: Item) -> u64 {
        // The bound and the position beside the inputs.
        size(&self.tree.paths()[item.leaf as usize].test) + 8
    }

    fn count(&mut self, bytes: u64) {
        self.run.counts.messages += 1;
        self.run.counts.bytes += bytes;
    }

    fn charge(&mut self, cost: Picos) {
        let cost = stretched(cost, self.busy + 1, self.machine.cores);
        self.run.counts.coordinator += cost;
        self.now += cost;
    }

    /// The monitor takes a message.
    fn take(&mut self, agent: usize, message: ToMonitor) {
        match message {
            ToMonitor::Queue(item) => match self.wanting.pop_front() {
                Some(agent) => self.hand(agent, item),
                None => self.work.push_back(item),
            },
            ToMonitor::Dequeue => {
                self.exits -= usize::from(std::mem::replace(&mut self.exiting[agent], false));
                match self.work.pop_front() {
                    Some(item) => self.hand(agent, item),
                    None => self.wanting.push_back(agent),
                }
            }
            ToMonitor::Exit => self.exits += usize::from(!std::mem::replace(&mut self.exiting[agent], true)),
        }
    }

    fn hand(&mut self, agent: usize, item: Item) {
        self.charge(self.machine.message);
        let bytes = self.item_size(item);
        self.count(bytes);
        self.run.counts.steals += 1;
        let arrives = self.outgoing.carry(&self.machine.network, self.now, bytes);
        self.queue.push(arrives, Event::Arrives(agent, item));
    }

    /// An agent begins with an item; all that it will send is known.
    fn start(&mut self, agent: usize, item: Item, now: Picos) {
        self.agents[agent].works = true;
        self.busy += 1;
        self.queue.push(now, Event::Sends(agent, ToMonitor::Dequeue));
        let sharing = self.busy + u64::from(self.now > now);
        let cores = self.machine.cores;
        let way = self.tree.nodes_of(item.leaf);
        let instructions: u64 = way.iter().map(|n| self.tree.node(*n).instructions).sum();
        let mut spent = instructions * self.costs.instruction;
        for pair in way.windows(2).skip(item.position as usize) {
            let node = self.tree.node(pair[0]);
            if node.assume {
                continue;
            }
            spent += self.costs.question;
            let other = node.children.iter().flatten().find(|child| **child != pair[1]);
            if let Some(child) = other {
                let leaf = self.tree.node(*child).leaves.0;
                let new = Item { leaf, position: node.depth + 1 };
                let time = now + stretched(spent, sharing, cores);
                self.queue.push(time, Event::Sends(agent, ToMonitor::Queue(new)));
            }
        }
        self.run.counts.work += spent;
        let spent = stretched(spent, sharing, cores);
        self.run.counts.busy += spent;
        self.run.found[item.leaf as usize] += 1;
        self.queue.push(now + spent, Event::Finished(agent));
    }
}
