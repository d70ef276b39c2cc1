//! Ends MPI without `MPI_Finalize`, for libraries in which that waits for ever.
//!
//! MPICH before 4.2 over UCX (Debian 12 has 4.0.2) closes its connections in `MPI_Finalize`, which needs the other side to move
//! its own messages forward, and then waits for the other ranks, during which it moves nothing. Over TCP, a rank that comes
//! to it a little late waits for ever, and so does the whole job. So nothing is closed here: after their last messages the ranks
//! meet, each looking for messages meanwhile, and tell the launcher that they are done. The system closes the
//! connections. This is the launcher's own protocol (PMI, version 1): lines of text on a socket that it has opened.
#![allow(unsafe_code)]

use std::io::{ErrorKind, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;

/// The socket from a rank to the launcher. Dropped only when the process ends, because MPI uses it, too.
pub(crate) struct Launcher(UnixStream);

impl Launcher {
    /// This rank's socket, if its MPI should be ended this way: `version` is the library's version text.
    pub(crate) fn of(version: &str, variable: impl Fn(&str) -> Option<String>) -> Option<Launcher> {
        // Hydra sets it; other launchers with this protocol are not known to follow it exactly.
        variable("HYDI_CONTROL_FD")?;
        let socket = variable("PMI_FD")?.trim().parse().ok().filter(|fd| *fd > 2)?;
        // SAFETY: the launcher has opened this descriptor for this process. MPI uses it within calls to MPI alone, and there are none
        // beside this: a `Link` is used by one thread.
        waits_for_ever(version).then(|| Launcher(unsafe { UnixStream::from_raw_fd(socket) }))
    }

    /// Meets the other ranks and takes leave of the launcher. `look` is called repeatedly while other ranks are awaited.
    ///
    /// # Errors
    /// If the launcher gives an unexpected answer. Then MPI is to be ended its own way.
    pub(crate) fn leave(&mut self, look: impl FnMut()) -> std::io::Result<()> {
        self.0.set_nonblocking(true)?;
        let left = self.meet(look);
        self.0.set_nonblocking(false)?;
        left
    }

    fn meet(&mut self, mut look: impl FnMut()) -> std::io::Result<()> {
        self.ask("cmd=barrier_in\n", "cmd=barrier_out", &mut look)?;
        self.ask("cmd=finalize\n", "cmd=finalize_ack", &mut look)
    }

    fn ask(&mut self, question: &str, awaited: &str, look: &mut impl FnMut()) -> std::io::Result<()> {
        self.0.write_all(question.as_bytes())?;
        let mut answer = Vec::new();
        while answer.last() != Some(&b'\n') {
            let mut byte = [0];
            match self.0.read(&mut byte) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => answer.push(byte[0]),
                Err(e) if e.kind() == ErrorKind::WouldBlock => look(),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        // More words may follow the command.
        let said = String::from_utf8_lossy(&answer);
        if said.split_whitespace().next() == Some(awaited) {
            Ok(())
        } else {
            Err(ErrorKind::InvalidData.into())
        }
    }
}

/// True if this version text is that of MPICH before 4.2 over UCX.
fn waits_for_ever(version: &str) -> bool {
    let value = |name: &str| version.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let over_ucx = value("MPICH Device:").is_some_and(|device| device.starts_with("ch4:ucx"));
    let number = value("MPICH Version:").and_then(|number| {
        let mut parts = number.split('.').map(|part| part.parse::<u32>().ok());
        Some((parts.next()??, parts.next()??))
    });
    over_ucx && number.is_some_and(|number| number < (4, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(version: &str, device: &str) -> String {
        format!("MPICH Version:\t{version}\nMPICH Release date:\tThu\nMPICH Device:\t{device}\n")
    }

    #[test]
    fn only_libraries_whose_end_waits_for_ever_are_left_another_way() {
        for (version, device, expected) in [
            ("4.0.2", "ch4:ucx", true),
            ("3.4.3", "ch4:ucx", true),
            ("4.1.3", "ch4:ucx", true),
            ("4.2.0", "ch4:ucx", false),
            ("5.0.0b1", "ch4:ucx", false),
            ("4.0.2", "ch4:ofi", false),
            ("4", "ch4:ucx", false),
        ] {
            assert_eq!(waits_for_ever(&said(version, device)), expected, "{version} {device}");
        }
        assert!(!waits_for_ever("Open MPI v4.1.4, package: Debian OpenMPI"));
        let none = |_: &str| None;
        assert!(Launcher::of(&said("4.0.2", "ch4:ucx"), none).is_none());
    }

    /// A launcher that answers each line with the next of `answers`.
    fn launcher(answers: &'static [&'static str]) -> (Launcher, std::thread::JoinHandle<String>) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let answering = std::thread::spawn(move || {
            let (mut said, mut byte) = (String::new(), [0]);
            let mut left = answers.iter();
            while let Ok(1) = theirs.read(&mut byte) {
                said.push(char::from(byte[0]));
                if byte[0] == b'\n' {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    match left.next() {
                        Some(answer) => theirs.write_all(answer.as_bytes()).unwrap(),
                        None => break,
                    }
                }
            }
            said
        });
        (Launcher(ours), answering)
    }

    #[test]
    fn a_rank_meets_the_others_looks_for_messages_meanwhile_and_takes_leave() {
        let (mut rank, answering) = launcher(&["cmd=barrier_out\n", "cmd=finalize_ack rc=0\n"]);
        let mut looks = 0;
        rank.leave(|| looks += 1).unwrap();
        assert!(looks > 0);
        drop(rank);
        assert_eq!(answering.join().unwrap(), "cmd=barrier_in\ncmd=finalize\n");
    }

    #[test]
    fn a_launcher_that_says_something_else_or_is_gone_is_an_error() {
        for answers in [&["cmd=what\n"][..], &["cmd=barrier_out\n", "cmd=barrier_out\n"], &[]] {
            let (mut rank, _answering) = launcher(answers);
            assert!(rank.leave(|| ()).is_err(), "{answers:?}");
        }
    }
}
