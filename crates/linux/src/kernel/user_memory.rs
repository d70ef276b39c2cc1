//! The program's memory as system calls use it: words, strings, structures.

use cleave_expr::Term;
use cleave_memory::Byte;

use crate::files::inode::Name;
use crate::kernel::errno::{CallResult, EINVAL, ENAMETOOLONG, ENOENT, fail};
pub(crate) use crate::kernel::record::Record;
use crate::kernel::state::Call;

/// The longest path, its NUL included.
const PATH_MAX: u64 = 4096;

impl Call<'_> {
    /// Returns true if a byte has this value.
    pub(crate) fn is(&mut self, byte: Byte, value: u8) -> CallResult<bool> {
        match byte {
            Byte::Known(b) => Ok(b == value),
            Byte::Symbolic(term) => {
                let terms = self.guest.terms();
                let value = terms.constant_of(8, u128::from(value));
                let same = terms.eq(term, value);
                Ok(self.guest.decide(same)?)
            }
        }
    }

    /// Returns true if two strings are the same: one decision at most, none if they differ in length.
    pub(crate) fn same(&mut self, a: &[Byte], b: &[Byte]) -> CallResult<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        let differ = |(a, b): (&Byte, &Byte)| matches!((a, b), (Byte::Known(a), Byte::Known(b)) if a != b);
        if a.iter().zip(b).any(differ) {
            return Ok(false);
        }
        let terms = self.guest.terms();
        let mut all = terms.bool(true);
        for (&a, &b) in a.iter().zip(b).filter(|(a, b)| a != b) {
            let (a, b) = (a.term(terms), b.term(terms));
            let same = terms.eq(a, b);
            all = terms.and(all, same);
        }
        if let Some(v) = terms.constant64(all) {
            return Ok(v != 0);
        }
        Ok(self.guest.decide(all)?)
    }

    /// A NUL-terminated string, without its NUL. The NUL is decided byte by byte, from the first on.
    pub(crate) fn string(&mut self, address: u64) -> CallResult<Name> {
        let mut name = Name::new();
        for i in 0..PATH_MAX {
            for byte in self.guest.read(address.wrapping_add(i), 1)? {
                if self.is(byte, 0)? {
                    return Ok(name);
                }
                name.push(byte);
            }
        }
        fail(ENAMETOOLONG)
    }

    /// As [`Call::string`], for a path that must not be empty.
    pub(crate) fn path(&mut self, address: u64) -> CallResult<Name> {
        let path = self.string(address)?;
        if path.is_empty() { fail(ENOENT) } else { Ok(path) }
    }

    /// A little-endian word of `len` bytes (at most 8). One that is symbolic is decided: its range of values is
    /// halved until one is left.
    pub(crate) fn word(&mut self, address: u64, len: u64) -> CallResult {
        if let Some(value) = self.guest.known(address, len) {
            return Ok(value);
        }
        let bytes = self.guest.read(address, len)?;
        let mut value = 0;
        let mut symbolic = false;
        for byte in bytes.iter().rev() {
            match byte {
                Byte::Known(b) => value = value << 8 | u64::from(*b),
                Byte::Symbolic(_) => symbolic = true,
            }
        }
        if symbolic { self.word_of(&bytes) } else { Ok(value) }
    }

    /// The value of bytes, of which at most 8 are given.
    pub(crate) fn word_of(&mut self, bytes: &[Byte]) -> CallResult {
        let terms = self.guest.terms();
        let term = Byte::word(terms, bytes);
        Ok(self.guest.value(term)?)
    }

    /// If a condition holds. One that is not constant is a decision of the path.
    pub(crate) fn decided(&mut self, condition: Term) -> CallResult<bool> {
        match self.guest.terms().constant64(condition) {
            Some(holds) => Ok(holds != 0),
            None => Ok(self.guest.decide(condition)?),
        }
    }

    /// Eight bytes.
    pub(crate) fn long(&mut self, address: u64) -> CallResult {
        self.word(address, 8)
    }

    /// Eight bytes, of which all numbers from `enough` to the greatest signed one count as `enough`.
    fn long_up_to(&mut self, address: u64, enough: u64) -> CallResult {
        if let Some(number) = self.guest.known(address, 8) {
            return Ok(number);
        }
        let bytes = self.guest.read(address, 8)?;
        let terms = self.guest.terms();
        let number = Byte::word(terms, &bytes);
        if let Some(number) = terms.constant64(number) {
            return Ok(number);
        }
        let [all, greatest] = [enough, i64::MAX as u64].map(|n| terms.constant_of(64, n.into()));
        let (less, valid) = (terms.ult(number, all), terms.ule(number, greatest));
        let is_enough = !self.decided(less)? && self.decided(valid)?;
        if is_enough { Ok(enough) } else { Ok(self.guest.value(number)?) }
    }

    /// A `struct timespec` or `timeval`: seconds, and the rest as it stands there.
    pub(crate) fn pair(&mut self, address: u64) -> CallResult<(i64, i64)> {
        Ok((self.long(address)? as i64, self.long(address.wrapping_add(8))? as i64))
    }

    /// A `struct timespec` that holds a length of time.
    pub(crate) fn duration(&mut self, address: u64) -> CallResult<u64> {
        let (seconds, nanoseconds) = self.pair(address)?;
        if seconds < 0 || !(0..1_000_000_000).contains(&nanoseconds) {
            return fail(EINVAL);
        }
        Ok((seconds as u64).saturating_mul(1_000_000_000).saturating_add(nanoseconds as u64))
    }

    /// The buffers of `readv` and `writev`: addresses and lengths. If `enough` bytes are all that there is to be read, all lengths that
    /// are as much or more are one path.
    pub(crate) fn vector(
        &mut self,
        address: u64,
        count: u64,
        enough: Option<u64>,
    ) -> CallResult<Vec<(u64, u64)>> {
        if count > 1024 {
            return fail(EINVAL);
        }
        let mut buffers = Vec::new();
        let mut total: u64 = 0;
        for i in 0..count {
            let at = address.wrapping_add(16 * i);
            let (base, at) = (self.long(at)?, at.wrapping_add(8));
            let len = match enough {
                Some(enough) => self.long_up_to(at, enough.saturating_sub(total))?,
                None => self.long(at)?,
            };
            if len > i64::MAX as u64 {
                return fail(EINVAL);
            }
            // Linux cuts the whole at this length.
            let len = len.min(MAX_TRANSFER - total);
            total += len;
            buffers.push((base, len));
        }
        Ok(buffers)
    }

    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) -> CallResult<()> {
        let bytes: Vec<Byte> = bytes.iter().map(|&b| Byte::Known(b)).collect();
        Ok(self.guest.write(address, &bytes)?)
    }

    pub(crate) fn put_record(&mut self, address: u64, record: Record) -> CallResult<()> {
        self.put(address, &record.into_bytes())
    }
}

/// The most bytes that one call reads or writes.
pub(crate) const MAX_TRANSFER: u64 = 0x7fff_f000;
