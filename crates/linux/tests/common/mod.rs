//! A program for the kernel to serve: flat memory, decisions from a script.

use std::collections::BTreeMap;

use cleave_expr::{Term, Terms};
use cleave_linux::{Guest, Kernel, Next, Stop};
use cleave_memory::Byte;

/// First address of the flat memory.
pub const BASE: u64 = 0x10000;

pub struct FakeGuest {
    pub terms: Terms,
    pub memory: Vec<Byte>,
    pub maps: BTreeMap<u64, Vec<Byte>>,
    next_map: u64,
    /// Answers to decisions, in order.
    pub script: Vec<bool>,
    pub asked: usize,
    pub inputs: Vec<(String, u32)>,
}

impl FakeGuest {
    pub fn new(size: usize) -> Self {
        FakeGuest {
            terms: Terms::new(),
            memory: vec![Byte::Known(0); size],
            maps: BTreeMap::new(),
            next_map: 1 << 32,
            script: Vec::new(),
            asked: 0,
            inputs: Vec::new(),
        }
    }

    pub fn set(&mut self, offset: usize, bytes: &[u8]) -> u64 {
        for (slot, &b) in self.memory[offset..].iter_mut().zip(bytes) {
            *slot = Byte::Known(b);
        }
        BASE + offset as u64
    }

    pub fn text(&mut self, offset: usize, text: &str) -> u64 {
        self.set(offset, &[text.as_bytes(), &[0]].concat())
    }

    pub fn get(&self, offset: usize, len: usize) -> Vec<u8> {
        known(&self.memory[offset..offset + len])
    }

    fn span(&mut self, address: u64, len: u64) -> Result<&mut [Byte], Stop> {
        let fault = Stop::Fault { address, message: "outside of memory".into() };
        if let Some((&start, bytes)) = self.maps.range_mut(..=address).next_back()
            && address + len <= start + bytes.len() as u64
        {
            let at = (address - start) as usize;
            return Ok(&mut bytes[at..at + len as usize]);
        }
        match address.checked_sub(BASE) {
            Some(at) if at + len <= self.memory.len() as u64 => {
                Ok(&mut self.memory[at as usize..(at + len) as usize])
            }
            _ => Err(fault),
        }
    }
}

pub fn known(bytes: &[Byte]) -> Vec<u8> {
    let value = |b: &Byte| match b {
        Byte::Known(v) => *v,
        Byte::Symbolic(_) => panic!("a symbolic byte where a known one was expected"),
    };
    bytes.iter().map(value).collect()
}

impl Guest for FakeGuest {
    fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }
    fn decide(&mut self, condition: Term) -> Result<bool, Stop> {
        if let Some(v) = self.terms.constant64(condition) {
            return Ok(v != 0);
        }
        let answer = self.script.get(self.asked).copied();
        self.asked += 1;
        answer.ok_or(Stop::Decide(condition))
    }
    fn value(&mut self, term: Term) -> Result<u64, Stop> {
        let width = self.terms().width(term);
        let (mut low, mut high) = self.terms().range(term);
        while low < high {
            let middle = low + (high - low) / 2;
            let terms = self.terms();
            let bound = terms.constant_of(width, u128::from(middle));
            let below = terms.ule(term, bound);
            let below = match terms.constant64(below) {
                Some(v) => v != 0,
                None => self.decide(below)?,
            };
            if below {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }
    fn present(&self, address: u64, len: u64) -> bool {
        let meets = |start: u64, size: usize| start < address + len && address < start + size as u64;
        meets(BASE, self.memory.len()) || self.maps.iter().any(|(&start, bytes)| meets(start, bytes.len()))
    }
    fn read(&mut self, address: u64, len: u64) -> Result<Vec<Byte>, Stop> {
        self.span(address, len).map(|s| s.to_vec())
    }
    fn write(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Stop> {
        self.span(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }
    fn map(&mut self, size: u64) -> Result<u64, Stop> {
        let address = self.next_map;
        self.next_map += size + 4096;
        self.maps.insert(address, vec![Byte::Known(0); size as usize]);
        Ok(address)
    }
    fn unmap(&mut self, address: u64, _: u64) -> bool {
        self.maps.remove(&address).is_some()
    }
    fn input(&mut self, name: &str, len: u32) -> Vec<Byte> {
        let object = self.inputs.len() as u32;
        self.inputs.push((name.into(), len));
        (0..len).map(|i| Byte::Symbolic(self.terms.byte(object, i))).collect()
    }
}

/// One call; a result below zero is a negated error number.
pub fn call(kernel: &mut Kernel, guest: &mut FakeGuest, nr: i64, args: &[i64]) -> Result<i64, Stop> {
    let mut all = [0; 6];
    for (slot, &arg) in all.iter_mut().zip(args) {
        *slot = arg as u64;
    }
    loop {
        guest.asked = 0;
        match kernel.syscall(nr as u64, all, guest) {
            Err(Stop::Wait(wait)) if kernel.schedule(&wait) == Next::Again => {}
            result => return result.map(|v| v as i64),
        }
    }
}

/// Numbers at random for sequences of calls (xorshift); the start must not be 0.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    /// One of a few.
    pub fn of<T: Copy>(&mut self, pool: &[T]) -> T {
        pool[self.below(pool.len() as u64) as usize]
    }
}
