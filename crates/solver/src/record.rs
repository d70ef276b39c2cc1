//! Recordings of questions with everything that led to them, so that a solver can be measured on them later. The solver
//! writes them; [`Recording::read`] reads them.
//!
//! A recording is text. Each line defines one thing by a number of its own or is a question:
//!
//! ```text
//! T number width entry,entry,...        a table
//! t number width name operands          a term: `byte object offset`, `const value`, or an operator and terms;
//!                                       operators on numbers are `float.` with their name and rounding mode
//! p number parent term                  a path condition: that of `parent` (0: none) and one more
//! q kind path witness verdict microseconds term,term,...
//! ```
//!
//! Numbers of terms, tables and bytes are those of the recording; values are hexadecimal.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cleave_expr::{BinaryOp, ByteId, FloatOp, Node, TableId, Term, Terms, Witness};
use cleave_path::{Given, PathCondition};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::backends::backend::{Query, Verdict};
use crate::error::SolverError;

/// The method that asked a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// [`Solver::ask`](crate::Solver::ask).
    Whole,
    /// [`Solver::ask_cheaply`](crate::Solver::ask_cheaply).
    Cheap,
    /// [`Solver::ask_together`](crate::Solver::ask_together).
    Together,
}

const KINDS: [(&str, Kind); 3] =
    [("ask", Kind::Whole), ("cheaply", Kind::Cheap), ("together", Kind::Together)];

/// A question with its answer.
pub(crate) struct Asked<'a> {
    pub(crate) kind: Kind,
    pub(crate) pc: &'a PathCondition,
    pub(crate) conds: &'a [Term],
    pub(crate) near: &'a Witness,
    pub(crate) verdict: &'static str,
    pub(crate) took: Duration,
}

/// Writes a recording.
pub(crate) struct Recorder {
    out: BufWriter<File>,
    path: PathBuf,
    terms: FxHashSet<Term>,
    tables: FxHashSet<TableId>,
    /// Numbers of path conditions, by their addresses. A copy of each keeps its address from being used again.
    paths: FxHashMap<usize, (u32, Given)>,
}

impl Recorder {
    /// Starts a new file in the folder, which is made if it is missing.
    pub(crate) fn start(folder: &Path) -> Result<Recorder, SolverError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{}-{}.questions", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(name);
        let file = std::fs::create_dir_all(folder).and_then(|()| File::create(&path));
        let file = file.map_err(|e| SolverError::NotWritten { path: path.clone(), why: e.to_string() })?;
        Ok(Recorder {
            out: BufWriter::new(file),
            path,
            terms: FxHashSet::default(),
            tables: FxHashSet::default(),
            paths: FxHashMap::default(),
        })
    }

    /// Writes a question down.
    pub(crate) fn write(&mut self, terms: &Terms, asked: &Asked<'_>) -> Result<(), SolverError> {
        let written = self.try_write(terms, asked);
        written.map_err(|e| SolverError::NotWritten { path: self.path.clone(), why: e.to_string() })
    }

    fn try_write(&mut self, terms: &Terms, asked: &Asked<'_>) -> std::io::Result<()> {
        let path = self.path_condition(terms, asked.pc.given())?;
        let mut conds = Vec::with_capacity(asked.conds.len());
        for &cond in asked.conds {
            self.term(terms, cond)?;
            conds.push(cond.index().to_string());
        }
        let kind = KINDS.iter().find(|(_, kind)| *kind == asked.kind).map_or("ask", |(name, _)| name);
        let witness: String = asked.near.bytes().iter().map(|b| format!("{b:02x}")).collect();
        let (verdict, took) = (asked.verdict, asked.took.as_micros());
        writeln!(self.out, "q {kind} {path} .{witness} {verdict} {took} {}", conds.join(","))
    }

    /// The number of a path condition.
    fn path_condition(&mut self, terms: &Terms, given: &Given) -> std::io::Result<u32> {
        let mut new = Vec::new();
        let mut at = Some(given);
        let mut number = loop {
            let Some((list, place)) = at.and_then(|list| Some((list, list.place()?))) else { break 0 };
            if let Some((number, _)) = self.paths.get(&place) {
                break *number;
            }
            new.push(list.clone());
            at = list.rest();
        };
        for list in new.into_iter().rev() {
            let (Some(place), Some(&(term, _))) = (list.place(), list.iter().next()) else { break };
            self.term(terms, term)?;
            let parent = number;
            number = self.paths.len() as u32 + 1;
            writeln!(self.out, "p {number} {parent} {}", term.index())?;
            self.paths.insert(place, (number, list));
        }
        Ok(number)
    }

    fn term(&mut self, terms: &Terms, term: Term) -> std::io::Result<()> {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if !self.terms.contains(&top) {
                stack.extend(terms.children(top).filter(|c| !self.terms.contains(c)));
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if self.terms.insert(top) {
                self.define(terms, top)?;
            }
        }
        Ok(())
    }

    fn define(&mut self, terms: &Terms, term: Term) -> std::io::Result<()> {
        let width = terms.width(term);
        let number = term.index();
        let meaning = match terms.node(term) {
            Node::Const(_) | Node::WideConst(_) => format!("const {:x}", terms.constant(term).unwrap_or(0)),
            Node::Byte(id) => {
                let (object, offset) = terms.byte_position(id);
                format!("byte {} {object} {offset}", id.0)
            }
            Node::Not(a) => format!("not {}", a.index()),
            Node::Binary(op, a, b) => format!("{} {} {}", op.name(), a.index(), b.index()),
            Node::Ite(c, a, b) => format!("ite {} {} {}", c.index(), a.index(), b.index()),
            Node::Extract(a, low) => format!("extract {} {low}", a.index()),
            Node::Zext(a) => format!("zext {}", a.index()),
            Node::Sext(a) => format!("sext {}", a.index()),
            Node::Table(id, a) => {
                if self.tables.insert(id) {
                    let entries: Vec<String> =
                        terms.table_entries(id).iter().map(|e| format!("{e:x}")).collect();
                    writeln!(self.out, "T {} {} {}", id.0, terms.table_width(id), entries.join(","))?;
                }
                format!("table {} {}", id.0, a.index())
            }
            Node::Float(op, a, b, c) => {
                let operands = [a, b, c].map(|t| t.index().to_string());
                format!("{} {}", name_of(op), operands[..op.operands().into()].join(" "))
            }
        };
        writeln!(self.out, "t {number} {width} {meaning}")
    }
}

/// The name of an operator on numbers in recordings: no other operator's name begins with `float.`.
fn name_of(op: FloatOp) -> String {
    match op.rounding() {
        Some(mode) => format!("float.{}.{mode:?}", op.name()).to_lowercase(),
        None => format!("float.{}", op.name()),
    }
}

/// Writes questions as SMT-LIB 2, a file each.
pub(crate) struct Dumper {
    folder: PathBuf,
}

impl Dumper {
    /// Uses this folder, which is made if it is missing.
    pub(crate) fn start(folder: &Path) -> Result<Dumper, SolverError> {
        let not = |e: std::io::Error| SolverError::NotWritten { path: folder.into(), why: e.to_string() };
        std::fs::create_dir_all(folder).map_err(not)?;
        Ok(Dumper { folder: folder.into() })
    }

    /// Writes a query that a back end has answered.
    pub(crate) fn write(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        verdict: &Verdict,
        took: Duration,
    ) -> Result<(), SolverError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{}-{:06}.smt2", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = self.folder.join(name);
        let status = match verdict {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat(_) => "unsat",
            Verdict::Unknown(_) => "unknown",
        };
        // Floating-point operations are written as back ends get them: as bit-vectors.
        let lowered: Option<Vec<Term>> = query.conditions.iter().map(|&c| terms.lowered(c)).collect();
        let Some(lowered) = lowered else { return Ok(()) };
        let query = &Query { conditions: &lowered, ..*query };
        let text = crate::backends::smtlib::file(terms, query, status, took);
        std::fs::write(&path, text).map_err(|e| SolverError::NotWritten { path, why: e.to_string() })
    }
}

/// A recorded question.
#[derive(Clone, Debug)]
pub struct Question {
    /// The method that asked it.
    pub kind: Kind,
    /// The number of its path condition; see [`Recording::path`].
    pub path: u32,
    /// The conditions that were asked.
    pub conds: Vec<Term>,
    /// The witness of the path.
    pub near: Witness,
    /// `sat`, `unsat` or `unknown`.
    pub verdict: String,
    /// Time of the answer when it was recorded.
    pub took: Duration,
}

/// A recording that was read.
pub struct Recording {
    /// All terms.
    pub terms: Terms,
    /// All questions, in their order.
    pub questions: Vec<Question>,
    /// The parent of each path condition, and the condition that it adds.
    paths: FxHashMap<u32, (u32, Term)>,
}

/// Terms, tables and bytes by their numbers in the recording.
#[derive(Default)]
struct Numbered {
    terms: FxHashMap<usize, Term>,
    tables: FxHashMap<u32, TableId>,
    /// The byte of this store for each byte of the recording.
    bytes: FxHashMap<usize, ByteId>,
}

impl Recording {
    /// Reads the text of a recording. A last line without an end is left out: its writer was stopped.
    ///
    /// # Errors
    /// A sentence with the line that makes no sense.
    pub fn read(text: &str) -> Result<Recording, String> {
        let mut recording =
            Recording { terms: Terms::new(), questions: Vec::new(), paths: FxHashMap::default() };
        let mut numbered = Numbered::default();
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        // A witness may have bytes that occur only in later terms.
        for line in whole.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["t", _, _, "byte", number, object, offset] = words[..] {
                let (Ok(number), Ok(object), Ok(offset)) = (number.parse(), object.parse(), offset.parse())
                else {
                    continue;
                };
                let id = recording.terms.byte_id(object, offset);
                numbered.bytes.insert(number, id);
            }
        }
        for (i, line) in whole.lines().enumerate() {
            let read = recording.line(&mut numbered, line);
            read.ok_or_else(|| format!("line {} of the recording makes no sense: {line}", i + 1))?;
        }
        Ok(recording)
    }

    /// The parent of a path condition and the condition that it adds; `None` for 0, which is empty.
    pub fn step(&self, number: u32) -> Option<(u32, Term)> {
        self.paths.get(&number).copied()
    }

    /// The conditions of a path, first to last.
    pub fn path(&self, mut number: u32) -> Vec<Term> {
        let mut conditions = Vec::new();
        while let Some((parent, term)) = self.step(number) {
            conditions.push(term);
            number = parent;
        }
        conditions.reverse();
        conditions
    }

    fn line(&mut self, numbered: &mut Numbered, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        match words.next()? {
            "T" => {
                let (number, width) = (next(&mut words)?, next(&mut words)?);
                let entries: Option<Vec<u64>> =
                    words.next()?.split(',').map(|e| u64::from_str_radix(e, 16).ok()).collect();
                numbered.tables.insert(number, self.terms.intern_table(width, &entries?));
            }
            "t" => {
                let number: usize = next(&mut words)?;
                let term = self.term(numbered, &mut words)?;
                numbered.terms.insert(number, term);
            }
            "p" => {
                let (number, parent): (u32, u32) = (next(&mut words)?, next(&mut words)?);
                // Numbers grow, so that a path has an end.
                (parent < number).then_some(())?;
                self.paths.insert(number, (parent, term(numbered, &mut words)?));
            }
            "q" => {
                let name = words.next()?;
                let (_, kind) = *KINDS.iter().find(|(n, _)| *n == name)?;
                let path = next(&mut words)?;
                let near = self.witness(numbered, words.next()?.strip_prefix('.')?)?;
                let verdict = words.next()?.to_string();
                let took = Duration::from_micros(next(&mut words)?);
                let conds: Option<Vec<Term>> =
                    words.next()?.split(',').map(|n| numbered.terms.get(&n.parse().ok()?).copied()).collect();
                self.questions.push(Question { kind, path, conds: conds?, near, verdict, took });
            }
            _ => return None,
        }
        words.next().is_none().then_some(())
    }

    fn witness(&mut self, numbered: &Numbered, hex: &str) -> Option<Witness> {
        let values: Option<Vec<u8>> = hex
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let none = self.terms.witness(&[]);
        let values = values?.into_iter().enumerate();
        let known = values.filter_map(|(number, value)| Some((*numbered.bytes.get(&number)?, value)));
        Some(self.terms.patched(&none, known))
    }

    fn term<'a>(
        &mut self,
        numbered: &mut Numbered,
        words: &mut impl Iterator<Item = &'a str>,
    ) -> Option<Term> {
        let width: u8 = next(words)?;
        let name = words.next()?;
        let terms = &mut self.terms;
        Some(match name {
            "const" if (1..=128).contains(&width) => {
                terms.constant_of(width, u128::from_str_radix(words.next()?, 16).ok()?)
            }
            "byte" => {
                let (_, object, offset): (usize, u32, u32) = (next(words)?, next(words)?, next(words)?);
                terms.byte(object, offset)
            }
            "not" => {
                let a = term(numbered, words)?;
                terms.not(a)
            }
            "ite" => {
                let (c, a, b) = (term(numbered, words)?, term(numbered, words)?, term(numbered, words)?);
                (terms.width(c) == 1 && terms.width(a) == terms.width(b)).then_some(())?;
                terms.ite(c, a, b)
            }
            "extract" => {
                let (a, low): (Term, u32) = (term(numbered, words)?, next(words)?);
                (width > 0 && low.checked_add(width.into())? <= terms.width(a).into()).then_some(())?;
                terms.extract(a, low, width)
            }
            "zext" => {
                let a = term(numbered, words)?;
                (width >= terms.width(a) && width <= 128).then_some(())?;
                terms.zext(a, width)
            }
            "sext" => {
                let a = term(numbered, words)?;
                (width >= terms.width(a) && width <= 128).then_some(())?;
                terms.sext(a, width)
            }
            "table" => {
                let table = *numbered.tables.get(&next(words)?)?;
                let a = term(numbered, words)?;
                terms.table(table, a)
            }
            name if name.starts_with("float.") => {
                let op = FloatOp::all().find(|&op| name_of(op) == name)?;
                let operands: Option<Vec<Term>> = (0..op.operands()).map(|_| term(numbered, words)).collect();
                let operands = operands?;
                let widths: Vec<u8> = operands.iter().map(|&t| terms.width(t)).collect();
                op.fits(&widths, width).then_some(())?;
                terms.float(op, width, &operands)
            }
            name => {
                let op = BinaryOp::of_name(name)?;
                let (a, b) = (term(numbered, words)?, term(numbered, words)?);
                let (wa, wb) = (terms.width(a), terms.width(b));
                (if op == BinaryOp::Concat { wa.checked_add(wb)? <= 128 } else { wa == wb }).then_some(())?;
                terms.binary(op, a, b)
            }
        })
    }
}

fn next<'a, T: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

fn term<'a>(numbered: &Numbered, words: &mut impl Iterator<Item = &'a str>) -> Option<Term> {
    numbered.terms.get(&next(words)?).copied()
}
