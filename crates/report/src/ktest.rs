//! KLEE's `.ktest` files. All numbers are unsigned 32-bit, big-endian:
//!
//! ```text
//! "KTEST" version
//! number of arguments, each: length, bytes          the command line
//! symbolic arguments, length of one                 (since version 2; of KLEE's old environment)
//! number of objects, each: length, name, length, bytes
//! ```

/// A test in KLEE's terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KTest {
    /// The command line, the program's name first, with the options for symbolic arguments among them.
    pub args: Vec<Vec<u8>>,
    /// Number of symbolic arguments, of KLEE's old environment; 0 now.
    pub sym_argvs: u32,
    /// Length of a symbolic argument, of KLEE's old environment; 0 now.
    pub sym_argv_len: u32,
    /// Inputs by name, in the order in which the path made them.
    pub objects: Vec<(String, Vec<u8>)>,
}

/// Why bytes are no test, or a test cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KTestError {
    /// The file starts with something else.
    #[error("it is not a .ktest file: it does not start with KTEST")]
    NotATest,
    /// The file is of a version that does not exist yet.
    #[error("it has version {0} of the .ktest format, and only 1 to {VERSION} are known")]
    Version(u32),
    /// The file ends too early, or a length in it is wrong.
    #[error(
        "it is truncated or corrupt: {what} at byte {at} should have {wanted} bytes, and {left} are left"
    )]
    Truncated {
        /// The part that was to be read.
        what: &'static str,
        /// Offset from the start of the file, in bytes.
        at: usize,
        /// Number of bytes that the part claims to have.
        wanted: usize,
        /// Number of bytes left in the file.
        left: usize,
    },
    /// Something follows after the last object.
    #[error("it is corrupt: {0} bytes follow after the last object")]
    Trailing(usize),
    /// The name of an object is no text.
    #[error("it is corrupt: the name of object {0} is not UTF-8 text")]
    Name(usize),
    /// A part is longer than the format's 32-bit lengths can say.
    #[error("the test cannot be written: one of its parts has 4 GiB or more")]
    TooLong,
}

const MAGIC: &[u8] = b"KTEST";
/// KLEE's name for it before 2009.
const OLD_MAGIC: &[u8] = b"BOUT\n";
const VERSION: u32 = 3;

impl KTest {
    /// Reads a test. Nothing is allocated on the word of a length before that many bytes are there.
    ///
    /// # Errors
    /// If `bytes` are not one whole test.
    pub fn parse(bytes: &[u8]) -> Result<Self, KTestError> {
        if !bytes.starts_with(MAGIC) && !bytes.starts_with(OLD_MAGIC) {
            return Err(KTestError::NotATest);
        }
        let mut reader = Reader { bytes, at: MAGIC.len() };
        let version = reader.number("the version")?;
        if !(1..=VERSION).contains(&version) {
            return Err(KTestError::Version(version));
        }
        let mut test = KTest::default();
        for _ in 0..reader.number("the number of arguments")? {
            test.args.push(reader.block("an argument")?.to_vec());
        }
        if version >= 2 {
            test.sym_argvs = reader.number("the number of symbolic arguments")?;
            test.sym_argv_len = reader.number("the length of symbolic arguments")?;
        }
        for i in 0..reader.number("the number of objects")? as usize {
            let name =
                std::str::from_utf8(reader.block("an object's name")?).map_err(|_| KTestError::Name(i))?;
            test.objects.push((name.to_owned(), reader.block("an object")?.to_vec()));
        }
        match bytes.len() - reader.at {
            0 => Ok(test),
            more => Err(KTestError::Trailing(more)),
        }
    }

    /// The test as a file of KLEE's present version.
    ///
    /// # Errors
    /// [`KTestError::TooLong`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, KTestError> {
        let payload: usize = self.objects.iter().map(|(name, bytes)| name.len() + bytes.len() + 8).sum();
        let mut out = Vec::with_capacity(payload + 64);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_be_bytes());
        put_length(&mut out, self.args.len())?;
        for arg in &self.args {
            put_block(&mut out, arg)?;
        }
        out.extend_from_slice(&self.sym_argvs.to_be_bytes());
        out.extend_from_slice(&self.sym_argv_len.to_be_bytes());
        put_length(&mut out, self.objects.len())?;
        for (name, bytes) in &self.objects {
            put_block(&mut out, name.as_bytes())?;
            put_block(&mut out, bytes)?;
        }
        Ok(out)
    }

    /// The bytes of the first object of this name.
    pub fn object(&self, name: &str) -> Option<&[u8]> {
        self.objects.iter().find(|(n, _)| n == name).map(|(_, bytes)| bytes.as_slice())
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, what: &'static str, len: usize) -> Result<&'a [u8], KTestError> {
        let left = self.bytes.len() - self.at;
        if len > left {
            return Err(KTestError::Truncated { what, at: self.at, wanted: len, left });
        }
        let taken = &self.bytes[self.at..self.at + len];
        self.at += len;
        Ok(taken)
    }

    fn number(&mut self, what: &'static str) -> Result<u32, KTestError> {
        let bytes = self.take(what, 4)?;
        Ok(bytes.iter().fold(0, |n, &b| n << 8 | u32::from(b)))
    }

    fn block(&mut self, what: &'static str) -> Result<&'a [u8], KTestError> {
        let len = self.number(what)?;
        self.take(what, len as usize)
    }
}

fn put_length(out: &mut Vec<u8>, len: usize) -> Result<(), KTestError> {
    let len = u32::try_from(len).map_err(|_| KTestError::TooLong)?;
    out.extend_from_slice(&len.to_be_bytes());
    Ok(())
}

fn put_block(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), KTestError> {
    put_length(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}
