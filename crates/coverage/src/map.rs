//! The parts of a program that can be covered, and the parts that each mark covers.

use std::collections::{BTreeMap, BTreeSet};

use cleave_program::code::{FuncId, Function, Op, Pc, Program};

use crate::marks::{MarkId, Marks};
use crate::sites::{Mark, Sites, Way, may_not_return};

/// A line of the program: its file's name as an index into [`Program::strings`], and its number from 1.
pub type Line = (u32, u32);

/// The parts of a program that can be covered, each kind numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub(crate) sites: Sites,
    /// The lines, rising.
    pub(crate) lines: Vec<Line>,
    pub(crate) blocks: u32,
    pub(crate) branches: u32,
    /// The functions that have marks.
    pub(crate) functions: Vec<FuncId>,
    /// The parts that each mark covers.
    pub(crate) covers: Vec<Covers>,
    names: Vec<String>,
    files: BTreeMap<u32, String>,
    /// The names of the programs that have code from a file, by file, if there are several programs.
    programs: BTreeMap<String, BTreeSet<String>>,
    /// For each entry of `functions` the line of its definition and those of its code.
    of_functions: Vec<(Option<Line>, Vec<u32>)>,
    /// For each mark the line of its branch, if it is the mark of a side.
    places: Vec<Option<Line>>,
}

/// The parts that a mark covers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covers {
    pub(crate) lines: Vec<u32>,
    pub(crate) blocks: Vec<u32>,
    pub(crate) function: Option<u32>,
    pub(crate) is_side: bool,
}

/// A function of the program and its coverage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// Its name.
    pub name: String,
    /// Its file and the line of its definition, if that is known.
    pub defined: Option<(String, u32)>,
    /// True if it was called.
    pub covered: bool,
    /// The mark of its entry.
    pub entry: Option<MarkId>,
    /// The lines of its code with their files; true for each that was covered.
    pub lines: Vec<(String, u32, bool)>,
}

impl FunctionCoverage {
    /// Number of its lines that are covered.
    pub fn lines_covered(&self) -> usize {
        self.lines.iter().filter(|(_, _, covered)| *covered).count()
    }
}

/// True if a name means a file of the program: it is the whole name of the file, or its last parts.
pub fn is_called(file: &str, name: &str) -> bool {
    file.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// A branch, a switch or a computed goto, and its sides that were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its file and line, if that is known.
    pub place: Option<(String, u32)>,
    /// The function it is in.
    pub function: String,
    /// The function and the op.
    pub at: (FuncId, Pc),
    /// True for each side that was taken: of a branch of two sides the false one first, of a switch in the order of its cases.
    pub taken: Vec<bool>,
    /// The marks of the sides, in the same order.
    pub sides: Vec<MarkId>,
}

/// The control flow of a function between its marks: from the start of a node control goes on in one way.
struct Nodes {
    starts: Vec<Pc>,
    next: Vec<Option<usize>>,
}

impl Nodes {
    fn of(function: &Function) -> Nodes {
        let mut starts = vec![0];
        for (pc, op) in function.code.iter().enumerate() {
            starts.extend(function.targets(op));
            if op.is_terminator() || may_not_return(op) {
                starts.push(pc as Pc + 1);
            }
        }
        starts.retain(|&pc| (pc as usize) < function.code.len());
        starts.sort_unstable();
        starts.dedup();
        let mut nodes = Nodes { starts, next: Vec::new() };
        let next = |node: usize| {
            let end = nodes.starts.get(node + 1).map_or(function.code.len(), |&pc| pc as usize);
            match &function.code[end - 1] {
                &(Op::Jump { to, .. } | Op::Lands { to, .. }) => Some(nodes.node(to)),
                op if op.is_terminator() || may_not_return(op) => None,
                _ => Some(node + 1),
            }
        };
        nodes.next = (0..nodes.starts.len()).map(next).collect();
        nodes
    }

    fn node(&self, pc: Pc) -> usize {
        self.starts.partition_point(|&start| start <= pc).saturating_sub(1)
    }

    /// All nodes that are executed from one on, up to the next mark.
    fn from(&self, pc: Pc) -> Vec<usize> {
        let mut all = Vec::new();
        let mut at = Some(self.node(pc));
        while let Some(node) = at.filter(|node| !all.contains(node)) {
            all.push(node);
            at = self.next.get(node).copied().flatten();
        }
        all
    }
}

impl Map {
    /// Number of basic blocks of the program, its C library apart.
    pub fn blocks(&self) -> u64 {
        self.blocks.into()
    }

    /// The parts of a program that can be covered.
    pub fn new(program: &Program) -> Map {
        let mut map = Map { sites: Sites::new(program), ..Map::default() };
        let line = |position: u32| program.positions.get(position as usize).map(|p| (p.file, p.line));
        let own = |func: &usize| map.sites.first(*func as FuncId) != crate::NO_SLOT;
        let own: Vec<usize> = (0..program.functions.len()).filter(own).collect();
        let all = own.iter().flat_map(|&func| &program.functions[func].pieces);
        map.lines = all.flat_map(|piece| &piece.lines).copied().filter_map(line).collect();
        map.lines.sort_unstable();
        map.lines.dedup();
        for &(file, _) in &map.lines {
            let name = || program.strings.get(file as usize).cloned().unwrap_or_default();
            map.files.entry(file).or_insert_with(name);
        }
        let marks = map.sites.marks().to_vec();
        let mut marks = marks.into_iter().peekable();
        for func in own {
            let function = &program.functions[func];
            let nodes = Nodes::of(function);
            let mut of_nodes = vec![Covers::default(); nodes.starts.len()];
            let mut lines = Vec::new();
            for piece in &function.pieces {
                let node = &mut of_nodes[nodes.node(piece.at)];
                let own = piece.lines.iter().copied().filter_map(line);
                node.lines
                    .extend(own.filter_map(|line| map.lines.binary_search(&line).ok()).map(|i| i as u32));
                if piece.begins_block {
                    node.blocks.push(map.blocks);
                    map.blocks += 1;
                }
                lines.extend(&node.lines);
            }
            lines.sort_unstable();
            lines.dedup();
            if !program.others.is_empty() {
                let name = &program.image_of(func as FuncId).name;
                for file in lines.iter().filter_map(|&line| map.files.get(&map.lines[line as usize].0)) {
                    map.programs.entry(file.clone()).or_default().insert(name.clone());
                }
            }
            let number = map.functions.len() as u32;
            map.functions.push(func as FuncId);
            map.names.push(function.name.clone());
            map.of_functions.push((line(function.defined_at), lines));
            while let Some(mark) = marks.next_if(|mark| mark.func as usize == func) {
                let place = |at: Pc| function.positions.get(at as usize).copied().and_then(line);
                map.places.push(if let Way::Side { at } = mark.way { place(at) } else { None });
                map.add(mark, number, &nodes, &of_nodes);
            }
        }
        map
    }

    fn add(&mut self, mark: Mark, function: u32, nodes: &Nodes, of_nodes: &[Covers]) {
        let is_side = matches!(mark.way, Way::Side { .. });
        let function = matches!(mark.way, Way::Entry).then_some(function);
        let mut covers = Covers { is_side, function, ..Covers::default() };
        for node in nodes.from(mark.to) {
            covers.lines.extend(&of_nodes[node].lines);
            covers.blocks.extend(&of_nodes[node].blocks);
        }
        covers.lines.sort_unstable();
        covers.lines.dedup();
        self.branches += u32::from(is_side);
        self.covers.push(covers);
    }

    /// The names of the programs that have code from a file, by file; empty if there is one program.
    pub fn programs(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.programs
    }

    /// The marks and their places.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    fn line(&self, (file, line): Line) -> (String, u32) {
        (self.files.get(&file).cloned().unwrap_or_default(), line)
    }

    /// All lines of the program, by file and number; true for each that these marks cover.
    pub fn lines(&self, marks: &Marks) -> BTreeMap<String, BTreeMap<u32, bool>> {
        let covered = self.covered_lines(marks);
        let mut all: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
        for (&line, covered) in self.lines.iter().zip(covered) {
            let (file, line) = self.line(line);
            *all.entry(file).or_default().entry(line).or_default() |= covered;
        }
        all
    }

    fn covered_lines(&self, marks: &Marks) -> Vec<bool> {
        let mut covered = vec![false; self.lines.len()];
        let known = marks.iter().filter_map(|mark| self.covers.get(mark as usize));
        known.flat_map(|covers| &covers.lines).for_each(|&line| covered[line as usize] = true);
        covered
    }

    /// The functions of the program, in its order, and their coverage by these marks.
    pub fn functions(&self, marks: &Marks) -> Vec<FunctionCoverage> {
        let covered = self.covered_lines(marks);
        let mut entries = vec![None; self.functions.len()];
        for (mark, covers) in self.covers.iter().enumerate() {
            if let Some(function) = covers.function {
                entries[function as usize] = Some(mark as MarkId);
            }
        }
        let of_line = |&i: &u32| {
            let (file, line) = self.line(self.lines[i as usize]);
            (file, line, covered[i as usize])
        };
        let mut all = Vec::with_capacity(entries.len());
        for (i, entry) in entries.into_iter().enumerate() {
            let (defined, lines) = &self.of_functions[i];
            all.push(FunctionCoverage {
                name: self.names[i].clone(),
                defined: defined.map(|line| self.line(line)),
                covered: entry.is_some_and(|entry| marks.contains(entry)),
                entry,
                lines: lines.iter().map(of_line).collect(),
            });
        }
        all
    }

    /// The marks of the entries of the functions of this name; `None` if the program has none.
    pub fn entries_of(&self, name: &str) -> Option<Marks> {
        let own =
            |covers: &Covers| covers.function.is_some_and(|function| self.names[function as usize] == name);
        self.names.iter().any(|other| other == name).then(|| self.marks_that(own))
    }

    /// The marks that cover a line of the files that are called so (see [`is_called`]); `None` if no code is there.
    pub fn marks_of_line(&self, file: &str, line: u32) -> Option<Marks> {
        let meant =
            |own: &Line| own.1 == line && self.files.get(&own.0).is_some_and(|name| is_called(name, file));
        let lines: Vec<u32> = (0..).zip(&self.lines).filter(|(_, own)| meant(own)).map(|(i, _)| i).collect();
        let covering = |covers: &Covers| lines.iter().any(|line| covers.lines.contains(line));
        (!lines.is_empty()).then(|| self.marks_that(covering))
    }

    fn marks_that(&self, have: impl Fn(&Covers) -> bool) -> Marks {
        (0..).zip(&self.covers).filter(|(_, covers)| have(covers)).map(|(mark, _)| mark).collect()
    }

    /// Number of these sets of marks that cover each line of the program, by file and number.
    pub fn hits<'a>(&self, sets: impl IntoIterator<Item = &'a Marks>) -> BTreeMap<(String, u32), u64> {
        let mut hits = vec![(0, 0); self.lines.len()];
        for (number, marks) in (1u64..).zip(sets) {
            let known = marks.iter().filter_map(|mark| self.covers.get(mark as usize));
            for &line in known.flat_map(|covers| &covers.lines) {
                let (hits, last) = &mut hits[line as usize];
                // Once for each set, however many of its marks cover the line.
                *hits += u64::from(*last != number);
                *last = number;
            }
        }
        let mut all = BTreeMap::new();
        for (&line, (hits, _)) in self.lines.iter().zip(hits) {
            *all.entry(self.line(line)).or_default() += hits;
        }
        all
    }

    /// The branches of the program, in its order, and their sides that these marks show to be taken.
    pub fn branches(&self, marks: &Marks) -> Vec<Branch> {
        let mut all: Vec<((FuncId, Pc), Branch)> = Vec::new();
        for (id, (mark, place)) in self.sites.marks().iter().zip(&self.places).enumerate() {
            let Way::Side { at } = mark.way else { continue };
            let taken = marks.contains(id as MarkId);
            match all.last_mut() {
                Some((same, branch)) if *same == (mark.func, at) => {
                    branch.taken.push(taken);
                    branch.sides.push(id as MarkId);
                }
                _ => {
                    let name = self.functions.binary_search(&mark.func).ok().map(|i| self.names[i].clone());
                    let place = place.map(|line| self.line(line));
                    let function = name.unwrap_or_default();
                    let (taken, sides) = (vec![taken], vec![id as MarkId]);
                    let branch = Branch { place, function, at: (mark.func, at), taken, sides };
                    all.push(((mark.func, at), branch));
                }
            }
        }
        all.into_iter().map(|(_, branch)| branch).collect()
    }
}
