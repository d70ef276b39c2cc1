//! The door to the kernel: one system call.

use crate::errno::Fail;
use crate::guest::{Guest, Stop};
use crate::kernel::{Call, Kernel};
use crate::names::name_of;
use crate::table;

/// Whether the model knows this system call, by its x86-64 number.
pub fn is_modelled(nr: u64) -> bool {
    table::handler(nr).is_some()
}

impl Kernel {
    /// One system call: its x86-64 number and arguments. Gives what the kernel leaves in `rax`: the result, or
    /// the negated error number.
    ///
    /// # Errors
    /// [`Stop`], where the call does not return. After [`Stop::Decide`] the kernel and the memory are to be
    /// thrown away and the call to be made again with the answer.
    pub fn syscall(&mut self, nr: u64, args: [u64; 6], guest: &mut dyn Guest) -> Result<u64, Stop> {
        let Some(handler) = table::handler(nr) else {
            return Err(Stop::Unsupported(format!("system call {} ({nr})", name_of(nr))));
        };
        match handler(&mut Call { kernel: self, guest }, args) {
            Ok(value) => Ok(value),
            Err(Fail::Errno(errno)) => {
                if table::made_up(nr, errno) {
                    self.make_up(&format!("{} fails ({})", name_of(nr), errno.name()));
                }
                Ok(i64::from(-errno.0) as u64)
            }
            Err(Fail::Stop(Stop::Unsupported(what))) => {
                Err(Stop::Unsupported(format!("system call {} ({nr}): {what}", name_of(nr))))
            }
            Err(Fail::Stop(stop)) => Err(stop),
        }
    }
}
