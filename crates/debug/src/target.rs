//! Implements the traits of `gdbstub` for [`Session`].

use std::convert::Infallible;

use gdbstub::arch::Arch;
use gdbstub::common::Signal;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadRangeStepping, SingleThreadRangeSteppingOps, SingleThreadResume,
    SingleThreadResumeOps, SingleThreadSingleStep, SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::{Target, TargetError, TargetResult};

use crate::machine::Registers;
use crate::session::{Session, Wish};

/// `EPERM`: the debugger writes neither memory nor registers, because the input determines the path.
const NOT_PERMITTED: u8 = 1;
/// `EFAULT`.
const BAD_ADDRESS: u8 = 14;

/// x86-64; most of its registers are unavailable.
pub enum Cpu {}

impl Arch for Cpu {
    type Usize = u64;
    type Registers = Registers;
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(r#"<target version="1.0"><architecture>i386:x86-64</architecture><osabi>none</osabi></target>"#)
    }
}

impl gdbstub::arch::Registers for Registers {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.rip
    }

    /// The general registers rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15, rip; unavailable ones are `None`.
    fn gdb_serialize(&self, mut write: impl FnMut(Option<u8>)) {
        let mut all = [None; 17];
        (all[0], all[6], all[7], all[16]) = (self.rax, Some(self.rbp), Some(self.rsp), Some(self.rip));
        for register in all {
            match register {
                Some(value) => value.to_le_bytes().into_iter().for_each(|byte| write(Some(byte))),
                None => (0..8).for_each(|_| write(None)),
            }
        }
    }

    fn gdb_deserialize(&mut self, _bytes: &[u8]) -> Result<(), ()> {
        Err(())
    }
}

impl Target for Session {
    type Arch = Cpu;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    // A stop of the interpreter is not at a breakpoint instruction, so gdb must not look for one.
    fn guard_rail_implicit_sw_breakpoints(&self) -> bool {
        true
    }
}

impl SingleThreadBase for Session {
    fn read_registers(&mut self, registers: &mut Registers) -> TargetResult<(), Self> {
        *registers = self.machine.registers(&mut self.timeline);
        Ok(())
    }

    fn write_registers(&mut self, _registers: &Registers) -> TargetResult<(), Self> {
        Err(TargetError::Errno(NOT_PERMITTED))
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8]) -> TargetResult<usize, Self> {
        let found = self.machine.read(&mut self.timeline, start, data.len());
        if found.is_empty() {
            return Err(TargetError::Errno(BAD_ADDRESS));
        }
        data[..found.len()].copy_from_slice(&found);
        Ok(found.len())
    }

    fn write_addrs(&mut self, _start: u64, _data: &[u8]) -> TargetResult<(), Self> {
        Err(TargetError::Errno(NOT_PERMITTED))
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadResume for Session {
    /// Ignores the signal: gdb only returns signals that it was sent, and the path does not depend on them.
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.wish = Wish::Continue;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<SingleThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Session {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.wish = Wish::Step;
        Ok(())
    }
}

impl SingleThreadRangeStepping for Session {
    fn resume_range_step(&mut self, start: u64, end: u64) -> Result<(), Infallible> {
        self.wish = Wish::LeaveRange(start, end);
        Ok(())
    }
}

impl ReverseStep<()> for Session {
    fn reverse_step(&mut self, _thread: ()) -> Result<(), Infallible> {
        self.wish = Wish::StepBack;
        Ok(())
    }
}

impl ReverseCont<()> for Session {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        self.wish = Wish::ContinueBack;
        Ok(())
    }
}

impl Breakpoints for Session {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Session {
    fn add_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        self.breakpoints.insert(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        Ok(self.breakpoints.remove(&address))
    }
}

impl HwWatchpoint for Session {
    /// Accepts watchpoints on writes only; a write that does not change the contents is not seen.
    fn add_hw_watchpoint(&mut self, address: u64, len: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        if kind != WatchKind::Write {
            return Ok(false);
        }
        let held = self.machine.read(&mut self.timeline, address, len as usize);
        self.watches.insert((address, len), held);
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, address: u64, len: u64, _kind: WatchKind) -> TargetResult<bool, Self> {
        Ok(self.watches.remove(&(address, len)).is_some())
    }
}

impl MonitorCmd for Session {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Infallible> {
        let answer = self.monitor(&String::from_utf8_lossy(command));
        out.write_raw(format!("{}\n", answer.trim_end()).as_bytes());
        Ok(())
    }
}
