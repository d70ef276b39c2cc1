//! Branches with a side that nobody has taken, although known values came there: such a side waits for another value. For search
//! strategies, which look for states that have one. They change no path. [`crate::states::visits::Visits`] owns them.

use cleave_memory::AddressSpace;
use cleave_program::code::{FuncId, Function, Op, Operand, Pc, Reg as Number};

/// The most values of one branch. A branch that saw more of them compares numbers, not settings.
const MOST_VALUES: usize = 32;
/// The most branches that are watched at a time.
const MOST_GUARDS: usize = 256;
/// Ops that hand a value on between its read and its branch.
const STEPS: u32 = 4;

/// A branch with a side that nobody has taken.
#[derive(Clone, Debug)]
struct Guard {
    /// The first op of that side.
    target: (FuncId, Pc),
    /// The numbers of the branch and of that op among the ops of all functions.
    branch: u32,
    op: u32,
    /// Where the value is read that decides, and its address.
    read: Read,
    address: u64,
    /// The values that took the other side.
    values: Vec<u64>,
}

/// Where a branch reads the value that decides: the register that has it, the operand with the address, the offset, and bytes.
#[derive(Clone, Copy, Debug)]
struct Read {
    value: Number,
    address: Operand,
    offset: i32,
    len: usize,
}

/// Knowledge about a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    /// It was not looked at.
    #[default]
    Nothing,
    /// It is no guard, or none any more.
    Other,
    /// Its place in the list.
    Guard(u16),
}

/// The guards of a program.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    /// By op.
    known: Vec<Known>,
    guards: Vec<Guard>,
    /// Their indices by address: several branches ask for one setting.
    by_address: Vec<u16>,
}

impl Guards {
    /// None of any of `ops` ops.
    pub(crate) fn new(ops: usize) -> Guards {
        Guards { known: vec![Known::Nothing; ops], guards: Vec::new(), by_address: Vec::new() }
    }

    /// The branch at `pc` was decided by known values for the side that is not `target`, and nobody has taken that. `ops` are the
    /// numbers of the two; `get` gives the value of an operand, if it is known, and `counts` has the visits of each op.
    pub(crate) fn decided(
        &mut self,
        function: &Function,
        (pc, target): (Pc, (FuncId, Pc)),
        ops: [u32; 2],
        get: impl Fn(Operand) -> Option<u64>,
        counts: &[u32],
    ) {
        let known = self.known[ops[0] as usize];
        if known == Known::Other {
            return;
        }
        let read = match known {
            Known::Guard(n) => Some(self.guards[n as usize].read),
            // Other branches may be over by the next time.
            _ if self.guards.len() == MOST_GUARDS && !self.guards.iter().any(|old| is_over(old, counts)) => {
                return;
            }
            _ => read_of(function, pc),
        };
        let found = read.and_then(|read| {
            let address = get(read.address)?.wrapping_add_signed(read.offset.into());
            Some((read, address, get(Operand::reg(read.value))?))
        });
        let Some((read, address, value)) = found else {
            self.known[ops[0] as usize] = Known::Other;
            return;
        };
        if let Known::Guard(n) = known {
            let guard = &mut self.guards[n as usize];
            if guard.values.contains(&value) && guard.address == address {
                return;
            }
            // It reads now here, now there, or a number.
            if guard.address != address || guard.values.len() == MOST_VALUES {
                guard.values.clear();
                self.known[ops[0] as usize] = Known::Other;
                return;
            }
            guard.values.push(value);
            return;
        }
        let guard = Guard { target, branch: ops[0], op: ops[1], read, address, values: vec![value] };
        // A place of one that is over is used again.
        let place = match self.guards.iter().position(|old| is_over(old, counts)) {
            Some(place) => {
                let old = std::mem::replace(&mut self.guards[place], guard);
                self.known[old.branch as usize] = Known::Other;
                place
            }
            None => {
                self.guards.push(guard);
                self.guards.len() - 1
            }
        };
        self.known[ops[0] as usize] = Known::Guard(place as u16);
        self.by_address = (0..self.guards.len() as u16).collect();
        let guards = &self.guards;
        self.by_address.sort_by_key(|&n| guards[n as usize].address);
    }

    /// The untaken sides for which this memory has a value that has not been tried.
    pub(crate) fn fitting(&self, memory: &AddressSpace, counts: &[u32]) -> Vec<(FuncId, Pc)> {
        let mut last = (0, 0, None);
        let mut fitting = Vec::new();
        for &n in &self.by_address {
            let guard = &self.guards[n as usize];
            if is_over(guard, counts) {
                continue;
            }
            let (address, len) = (guard.address, guard.read.len);
            if (last.0, last.1) != (address, len) {
                let held = memory.resolve(address, len as u64).ok();
                last = (address, len, held.and_then(|(object, at)| object.known(at, len)));
            }
            if last.2.is_some_and(|value| !guard.values.contains(&value)) {
                fitting.push(guard.target);
            }
        }
        fitting
    }
}

/// Returns true if somebody has taken the side, or the branch is none that waits for a value.
fn is_over(guard: &Guard, counts: &[u32]) -> bool {
    guard.values.is_empty() || counts[guard.op as usize] > 0
}

/// Where a branch reads the value that decides it.
fn read_of(function: &Function, pc: Pc) -> Option<Read> {
    let (a, b) = match *function.code.get(pc as usize)? {
        Op::CmpBranch { a, b, .. } => (a, Some(b)),
        Op::Branch { cond, .. } => (cond, None),
        _ => return None,
    };
    read(function, a, STEPS).or_else(|| read(function, b?, STEPS))
}

fn read(function: &Function, value: Operand, steps: u32) -> Option<Read> {
    let reg = value.as_reg()?;
    function.code.iter().find_map(|op| match *op {
        Op::Load { w, dst, addr, off, .. } if dst == reg && w % 8 == 0 => {
            Some(Read { value: reg, address: addr, offset: off, len: usize::from(w / 8) })
        }
        Op::Move { dst, a }
        | Op::Zext { dst, a, .. }
        | Op::Sext { dst, a, .. }
        | Op::Trunc { dst, a, .. }
            if dst == reg && steps > 0 =>
        {
            read(function, a, steps - 1)
        }
        Op::Cmp { dst, a, b, .. } if dst == reg && steps > 0 => {
            read(function, a, steps - 1).or_else(|| read(function, b, steps - 1))
        }
        Op::And { dst, a, b, .. } if dst == reg && steps > 0 && b.as_reg().is_none() => {
            read(function, a, steps - 1)
        }
        _ => None,
    })
}
