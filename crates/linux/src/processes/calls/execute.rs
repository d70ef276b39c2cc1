//! Programs in place of others: `execve`, `execveat`. Those that have bitcode are run; see [`crate::processes::execution`].

use cleave_memory::Byte;

use crate::env::world::PAGE_SIZE;
use crate::files::inode::{FileNode, Ino, Name, S_IFREG};
use crate::files::path::{AT_FDCWD, LookupMode, shown};
use crate::kernel::errno::{CallResult, E2BIG, EACCES, EINVAL, ELOOP, ENOENT, ENOEXEC, fail, unsupported};
use crate::kernel::guest::Stop;
use crate::kernel::state::Call;
use crate::processes::execution::Execution;

/// The longest argument or variable, its NUL included.
const MOST_TEXT: u64 = 32 * PAGE_SIZE;
/// Divisor of the stack's limit: arguments and variables may take this part of it.
const PART_OF_STACK: u64 = 4;
/// The maximum of that part in bytes; the next constant is its minimum.
const MOST_TEXTS: u64 = 6 << 20;
const LEAST_TEXTS: u64 = 131_072;
/// Scripts whose interpreters are scripts.
const MOST_SCRIPTS: u32 = 5;
/// Bytes of a script that are looked at.
const HEAD: u64 = 256;

pub(crate) fn execve(call: &mut Call<'_>, [path, arguments, variables, ..]: [u64; 6]) -> CallResult {
    execveat(call, [AT_FDCWD as u64, path, arguments, variables, 0, 0])
}

pub(crate) fn execveat(
    call: &mut Call<'_>,
    [directory, path, arguments, variables, flags, _]: [u64; 6],
) -> CallResult {
    const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
    const AT_EMPTY_PATH: u64 = 0x1000;
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return fail(EINVAL);
    }
    let mode = if flags & AT_SYMLINK_NOFOLLOW != 0 { LookupMode::Keep } else { LookupMode::Follow };
    let name = call.string(path)?;
    let itself = name.is_empty() && flags & AT_EMPTY_PATH != 0;
    let ino = call.lookup_or_self(directory, path, mode, flags & AT_EMPTY_PATH != 0)?;
    let found = Found { ino, path: if itself { by_descriptor(directory) } else { name } };
    call.check_executable(ino)?;
    // From here on the arguments are looked at; a file that cannot be run decides nothing about them.
    let mut start = Start::default();
    let image = call.image_or_script(&found)?;
    call.texts(&mut start, arguments, variables, found.path.len() as u64 + 1)?;
    if start.arguments.is_empty() {
        // Since Linux 5.18 every program is started with a name.
        start.arguments.push(Name::new());
    }
    start.image = match image {
        Runs::Image(image) => image,
        Runs::Script { interpreter, argument } => {
            let hidden = itself && call.process().descriptor(directory as i32)?.close_on_exec;
            if hidden {
                return fail(ENOENT);
            }
            start.script = true;
            call.interpreted(&mut start, &found.path, interpreter, argument)?
        }
    };
    call.begin(&found.path)?;
    Err(Stop::Execute(Box::new(start)).into())
}

type Start = Execution;

/// A file that is to be executed, and the path that it was found by.
struct Found {
    ino: Ino,
    path: Name,
}

/// The two ways to run a file.
enum Runs {
    Image(u32),
    Script { interpreter: Name, argument: Option<Name> },
}

/// The path of a file that was given as a descriptor.
fn by_descriptor(fd: u64) -> Name {
    format!("/dev/fd/{}", fd as i32).bytes().map(Byte::Known).collect()
}

impl Call<'_> {
    /// Checks that a file may be executed.
    fn check_executable(&mut self, ino: Ino) -> CallResult<()> {
        let inode = self.inode(ino)?;
        if inode.is_link() {
            return fail(ELOOP);
        }
        if inode.kind() != S_IFREG || !self.allows(ino, 1)? {
            return fail(EACCES);
        }
        self.settle_size(ino)
    }

    /// The image, or the script with its interpreter, that a file is run by.
    fn image_or_script(&mut self, found: &Found) -> CallResult<Runs> {
        let content = match &self.inode(found.ino)?.node {
            &FileNode::Program(image) => return Ok(Runs::Image(image)),
            FileNode::File(content) | FileNode::Sealed(content) => content,
            _ => return fail(EACCES),
        };
        let head = content.read(0, HEAD);
        let begins = |call: &mut Self, magic: &[u8]| {
            let magic: Name = magic.iter().map(|&b| Byte::Known(b)).collect();
            let start = head.get(..magic.len());
            start.map_or(Ok(false), |start| call.same(start, &magic))
        };
        if begins(self, b"#!")? {
            return self.script(&head[2..]);
        }
        if begins(self, b"\x7fELF")? {
            let shown: String = found.path.iter().map(shown).collect();
            return unsupported(format!(
                "running `{shown}`, which has no bitcode; --program names programs that have"
            ));
        }
        // No format that the kernel knows.
        fail(ENOEXEC)
    }

    /// The first line of a script, behind its `#!`.
    fn script(&mut self, line: &[Byte]) -> CallResult<Runs> {
        let mut words: [Name; 2] = Default::default();
        let (mut blanks, mut word, mut whole) = (Name::new(), None, false);
        for &byte in line {
            if self.is(byte, b'\n')? || self.is(byte, 0)? {
                whole = true;
                break;
            }
            let blank = self.is(byte, b' ')? || self.is(byte, b'\t')?;
            match (blank, word) {
                (true, None) => {}
                (true, Some(0)) => {
                    whole = true;
                    word = Some(1);
                }
                (true, Some(_)) => blanks.push(byte),
                (false, None) => {
                    word = Some(0);
                    words[0].push(byte);
                }
                (false, Some(i)) => {
                    // Blanks inside of the argument belong to it, those around it do not.
                    if !words[i].is_empty() {
                        words[i].append(&mut blanks);
                    }
                    blanks.clear();
                    words[i].push(byte);
                }
            }
        }
        // The name may go up to the end of the file, but not up to the end of the bytes that are looked at.
        whole |= (line.len() as u64) < HEAD - 2;
        let [interpreter, argument] = words;
        if interpreter.is_empty() || !whole {
            return fail(ENOEXEC);
        }
        Ok(Runs::Script { interpreter, argument: Some(argument).filter(|a| !a.is_empty()) })
    }

    /// The image of a script's interpreter, which may be a script itself; its arguments come in front.
    fn interpreted(
        &mut self,
        start: &mut Start,
        script: &Name,
        interpreter: Name,
        argument: Option<Name>,
    ) -> CallResult<u32> {
        let (mut script, mut interpreter, mut argument) = (script.clone(), interpreter, argument);
        for _ in 0..MOST_SCRIPTS {
            let front = [Some(interpreter.clone()), argument, Some(script)].into_iter().flatten();
            start.arguments.splice(..1, front);
            let ino = self.lookup(AT_FDCWD, &interpreter, LookupMode::Follow)?;
            self.check_executable(ino)?;
            match self.image_or_script(&Found { ino, path: interpreter.clone() })? {
                Runs::Image(image) => return Ok(image),
                Runs::Script { interpreter: next, argument: its } => {
                    (script, interpreter, argument) = (interpreter, next, its);
                }
            }
        }
        fail(ELOOP)
    }

    /// Reads arguments and variables; `path` are the bytes that the path takes beside them.
    fn texts(&mut self, start: &mut Start, arguments: u64, variables: u64, path: u64) -> CallResult<()> {
        let stack = self.process().limits.get(&3).map_or(0, |l| l.0);
        let most = (stack / PART_OF_STACK).clamp(LEAST_TEXTS, MOST_TEXTS);
        let mut room = most.saturating_sub(path);
        start.arguments = self.list(arguments, &mut room)?;
        start.variables = self.list(variables, &mut room)?;
        Ok(())
    }

    /// The texts of a list of pointers that ends with a null pointer; no list at all is an empty one.
    fn list(&mut self, mut address: u64, room: &mut u64) -> CallResult<Vec<Name>> {
        let mut texts = Vec::new();
        while address != 0 {
            let pointer = self.long(address)?;
            if pointer == 0 {
                break;
            }
            let text = self.text(pointer)?;
            let taken = text.len() as u64 + 1 + 8;
            *room = room.checked_sub(taken).ok_or(E2BIG)?;
            texts.push(text);
            address = address.wrapping_add(8);
        }
        Ok(texts)
    }

    /// An argument or a variable, without its NUL.
    fn text(&mut self, address: u64) -> CallResult<Name> {
        let mut text = Name::new();
        for i in 0..MOST_TEXT {
            for byte in self.guest.read(address.wrapping_add(i), 1)? {
                if self.is(byte, 0)? {
                    return Ok(text);
                }
                text.push(byte);
            }
        }
        fail(E2BIG)
    }

    /// Drops the parts of the process that end with the old program, and names its thread.
    fn begin(&mut self, path: &Name) -> CallResult<()> {
        let end = self.process().descriptor_end() as i32;
        for fd in 0..=end {
            if self.process().descriptor(fd).is_ok_and(|d| d.close_on_exec) {
                crate::files::calls::open::close(self, [fd as u64, 0, 0, 0, 0, 0])?;
            }
        }
        let mut last = path.len();
        while last > 0 && !self.is(path[last - 1], b'/')? {
            last -= 1;
        }
        let mut name = [Byte::Known(0); 16];
        for (to, &from) in name[..15].iter_mut().zip(&path[last..]) {
            *to = from;
        }
        for key in self.process_mut().forget_file_mappings() {
            self.kernel.release(key);
        }
        self.process_mut().execute(name);
        Ok(())
    }
}
