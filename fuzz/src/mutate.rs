//! Changes to inputs: of bytes, and in texts of words and lines.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Where changes come from.
pub struct Mutator(Xoshiro256PlusPlus);

/// Numbers at which lengths and widths go wrong.
const EDGES: [u64; 12] =
    [0, 1, 7, 63, 64, 65, 127, 128, 255, 0x7fff_ffff, 0xffff_ffff, 0xffff_ffff_ffff_ffff];

impl Mutator {
    /// A sequence of changes.
    pub fn new(seed: u64) -> Mutator {
        Mutator(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    /// One input changed in a few places; parts may come from another.
    pub fn changed(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let is_text = !input.is_empty() && input.iter().all(|b| b.is_ascii());
        let mut out = input.to_vec();
        for _ in 0..1 + self.below(4) {
            if is_text && self.below(8) != 0 {
                out = self.text(&out, other);
            } else {
                self.bytes(&mut out, other);
            }
        }
        out
    }

    fn bytes(&mut self, out: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(out.len() + 1);
        let n = (1 + self.below(8)).min(out.len() - at.min(out.len()));
        match self.below(8) {
            0 if at < out.len() => out[at] = self.0.next_u64() as u8,
            1 if at < out.len() => out[at] ^= 1 << self.below(8),
            2 => out.insert(at, self.0.next_u64() as u8),
            3 => drop(out.drain(at..at + n)),
            4 => {
                let bytes = EDGES[self.below(EDGES.len())].to_le_bytes();
                let len = [1, 2, 4, 8][self.below(4)].min(out.len() - at);
                out[at..at + len].copy_from_slice(&bytes[..len]);
            }
            5 => {
                let part = self.part(other);
                let len = part.len().min(out.len() - at);
                out[at..at + len].copy_from_slice(&part[..len]);
            }
            6 => {
                let part = self.part(other);
                out.splice(at..at, part);
            }
            _ => {
                if self.below(8) == 0 {
                    out.truncate(at);
                }
            }
        }
    }

    fn part(&mut self, other: &[u8]) -> Vec<u8> {
        let from = self.below(other.len() + 1);
        let len = self.below(64).min(other.len() - from);
        other[from..from + len].to_vec()
    }

    /// A line or a word of a text replaced, doubled, moved or left out.
    fn text(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(input);
        let other = String::from_utf8_lossy(other);
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        if lines.is_empty() {
            return input.to_vec();
        }
        let at = self.below(lines.len());
        let others: Vec<&str> = other.lines().collect();
        match self.below(10) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[self.below(lines.len())].clone()),
            2 => {
                let with = self.below(lines.len());
                lines.swap(at, with);
            }
            3 if !others.is_empty() => lines.insert(at, others[self.below(others.len())].to_string()),
            4 if !others.is_empty() => lines[at] = others[self.below(others.len())].to_string(),
            _ => {
                let mut words: Vec<String> = lines[at].split(' ').map(String::from).collect();
                let k = self.below(words.len());
                words[k] = self.word(&words[k], &lines, &others);
                lines[at] = words.join(" ");
            }
        }
        let mut out = lines.join("\n").into_bytes();
        out.push(b'\n');
        out
    }

    fn word(&mut self, old: &str, lines: &[String], others: &[&str]) -> String {
        const TYPES: [&str; 14] = [
            "i1",
            "i7",
            "i8",
            "i32",
            "i64",
            "i65",
            "i128",
            "i256",
            "float",
            "double",
            "x86_fp80",
            "ptr",
            "<4 x i32>",
            "{ i32, i64 }",
        ];
        let end = if old.ends_with(',') { "," } else { "" };
        match self.below(6) {
            0 => format!("{}{end}", EDGES[self.below(EDGES.len())]),
            1 => format!("-{}{end}", EDGES[self.below(EDGES.len())]),
            2 => format!("{}{end}", TYPES[self.below(TYPES.len())]),
            3 => format!("{}{end}", ["undef", "poison", "null", "zeroinitializer", "true"][self.below(5)]),
            4 => {
                let line = &lines[self.below(lines.len())];
                let words: Vec<&str> = line.split(' ').collect();
                words[self.below(words.len())].to_string()
            }
            _ if !others.is_empty() => {
                let words: Vec<&str> = others[self.below(others.len())].split(' ').collect();
                words[self.below(words.len())].to_string()
            }
            _ => String::new(),
        }
    }
}
