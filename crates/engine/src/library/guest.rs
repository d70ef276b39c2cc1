//! The program under test as the kernel sees it. A call of the kernel works on copies, so a call that stops for a decision
//! changes nothing.

use std::rc::Rc;

use cleave_expr::{Term, Terms};
use cleave_linux::{Execution, Guest, Stop as KernelStop, Wait};
use cleave_memory::{AddressSpace, Birth, Byte, Fault, Kind, Object, Shadow};
use cleave_region::BugKind;
use cleave_solver::PathCondition;

use crate::engine::Engine;
use crate::states::state::{Input, Reply, State};
use crate::stop::{End, Stop};
use crate::undefined::shaded_memory::birth_of;
use crate::undefined::shades::Why;
use crate::undefined::shadow;

/// The most bytes that a system call reads at once.
const MOST_AT_ONCE: u64 = 64 << 20;

/// A view of engine and state for the length of one call; `memory` and `inputs` are copies that take the
/// place of the state's when the call is done.
pub(crate) struct View<'a> {
    engine: &'a mut Engine,
    answers: &'a [Reply],
    path: &'a PathCondition,
    memory: AddressSpace,
    inputs: Rc<Vec<Input>>,
    /// Soft constraints on tests from now on.
    wishes: Vec<Term>,
    /// Place of the call in the program.
    place: u32,
    /// The addresses of the functions of the image that runs.
    functions: (u64, u64),
    /// The search for races is on.
    races: bool,
    /// The bug or decision that stops the call: the kernel was given bytes that are not set, that an object may have or not, or
    /// of a variable that is defined nowhere.
    refused: Option<Stop>,
    /// The kernel was given bytes that are made of an address.
    addresses: bool,
}

impl Guest for View<'_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.engine.terms
    }

    fn decide(&mut self, condition: Term) -> Result<bool, KernelStop> {
        self.engine.decided(self.answers, self.path, condition).map_err(KernelStop::Decide)
    }

    fn value(&mut self, term: Term) -> Result<u64, KernelStop> {
        self.engine.concrete_on(self.answers, self.path, term).map_err(KernelStop::Decide)
    }

    fn read(&mut self, address: u64, len: u64) -> Result<Vec<Byte>, KernelStop> {
        if len > MOST_AT_ONCE && self.memory.resolve(address, len).is_ok() {
            return Err(KernelStop::Unsupported(format!("a system call that reads {len} bytes at once")));
        }
        self.defined(address, len)?;
        self.accesses(address, len, false);
        self.memory.read(address, len).map_err(|fault| self.fault(address, &fault))
    }

    fn carry(&mut self, address: u64, len: u64) -> Result<Vec<Byte>, KernelStop> {
        self.accesses(address, len, false);
        self.memory.read(address, len).map_err(|fault| self.fault(address, &fault))
    }

    fn peek(&mut self, address: u64, len: u64) -> Option<Vec<Byte>> {
        self.memory.read(address, len).ok()
    }

    fn known(&self, address: u64, len: u64) -> Option<u64> {
        self.memory.load_known(address, len as usize)
    }

    fn write(&mut self, address: u64, bytes: &[Byte]) -> Result<(), KernelStop> {
        self.accesses(address, bytes.len() as u64, true);
        self.memory.write(address, bytes).map_err(|fault| self.fault(address, &fault))
    }

    fn present(&self, address: u64, len: u64) -> bool {
        let meets = |start: u64, size: u64| {
            start < address.saturating_add(len) && address < start.saturating_add(size)
        };
        let (start, end) = self.functions;
        // An access to a variable that is defined nowhere is reported by `fault`.
        let there =
            |o: &Object| o.has_some(address, len) || self.engine.missing_variable(o.kind, o.origin).is_some();
        // No two objects have bytes in the same slot, and none starts in the first page of one.
        let last = address.saturating_add(len.saturating_sub(1));
        meets(start, end - start) || [address, last].iter().any(|&a| self.memory.object(a).is_some_and(there))
    }

    fn map(&mut self, size: u64) -> Result<u64, KernelStop> {
        let birth = Birth { place: self.place, undefined: false, allocator: 0 };
        let address = self.memory.allocate_born(size, 1, Kind::Mapped, birth);
        address.ok_or_else(|| KernelStop::Unsupported(format!("a mapping of {size} bytes")))
    }

    fn map_at(&mut self, address: u64, size: u64) -> bool {
        let birth = Birth { place: self.place, undefined: false, allocator: 0 };
        self.memory.define_born(address, size, birth)
    }

    fn map_again(&mut self, address: u64, size: u64) -> bool {
        self.memory.map_again(address, address + size)
    }

    fn unmap(&mut self, address: u64, size: u64) -> bool {
        self.memory.unmap(address, address + size, self.place)
    }

    fn input(&mut self, name: &str, len: u32) -> Vec<Byte> {
        self.engine.new_input(&mut self.inputs, name, len)
    }

    fn prefer(&mut self, condition: Term) {
        self.wishes.push(condition);
    }
}

impl View<'_> {
    /// The kernel accesses memory on behalf of the thread that calls it.
    fn accesses(&mut self, address: u64, len: u64, writes: bool) {
        if self.races && len > 0 {
            self.engine.note_in_race(address, len, writes);
        }
    }

    /// Bytes that the kernel reads must be defined, each of them.
    fn defined(&mut self, address: u64, len: u64) -> Result<(), KernelStop> {
        let Some(shadows) = self.memory.shadows(address, len) else { return Ok(()) };
        let Some(born) = self.memory.object(address).map(birth_of) else { return Ok(()) };
        for shadow in shadows {
            let (undefined, cause) = match shadow {
                Shadow::Defined => continue,
                Shadow::Fresh => (true, born),
                Shadow::Shaded(shade) if shade.is_base() => {
                    self.addresses |=
                        matches!(self.engine.shades.get(shade).1.why, Why::Address(_) | Why::Less(_));
                    continue;
                }
                Shadow::Shaded(shade) => {
                    let (bits, cause) = self.engine.shades.get(shade);
                    let some = shadow::any(&mut self.engine.terms, bits);
                    (self.decide(some)?, cause)
                }
            };
            if undefined {
                self.refused = Some(self.engine.undefined_use("what is given to the system", cause));
                return Err(KernelStop::Unsupported("bytes that are not defined".into()));
            }
        }
        Ok(())
    }

    fn fault(&mut self, address: u64, fault: &Fault) -> KernelStop {
        let missing = matches!(*fault, Fault::OutOfBounds { kind, origin, .. }
            if self.engine.missing_variable(kind, origin).is_some());
        if missing || matches!(fault, Fault::Uncertain { .. }) {
            self.refused = Some(self.engine.pointer_bug(fault));
        }
        KernelStop::Fault { address, message: self.engine.fault_message(fault) }
    }
}

/// The outcome of a call of the kernel.
pub(crate) enum Called<T> {
    /// It has returned.
    Done(T),
    /// It waits: the kernel is as the call left it, the memory as before.
    Waits(Wait),
    /// The process runs another program from here on.
    Executes(Box<Execution>),
}

impl Engine {
    /// One call of the kernel, on copies that replace the state's parts when it returns.
    pub(crate) fn kernel_call<T>(
        &mut self,
        state: &mut State,
        call: impl FnOnce(&mut cleave_linux::Kernel, &mut dyn Guest) -> Result<T, KernelStop>,
    ) -> Result<Called<T>, Stop> {
        let mut kernel = state.kernel.clone();
        let mut view = View {
            memory: state.memory.clone(),
            inputs: state.inputs.clone(),
            wishes: Vec::new(),
            place: self.here_in_program(state).to_raw(),
            functions: self.image(state).function_addresses(),
            answers: &state.answers,
            path: &state.path,
            refused: None,
            addresses: false,
            races: self.looks_for_races(state),
            engine: self,
        };
        let result = call(&mut kernel, &mut view);
        if let Some(stop) = view.refused {
            return Err(stop);
        }
        let (memory, inputs, wishes) = (view.memory, view.inputs, view.wishes);
        if view.addresses && !matches!(result, Err(KernelStop::Decide(_))) {
            self.depends_on_addresses(state);
        }
        match result {
            Ok(value) => {
                state.kernel = kernel;
                state.memory = memory;
                state.inputs = inputs;
                if !wishes.is_empty() {
                    Rc::make_mut(&mut state.preferences).extend(wishes);
                }
                Ok(Called::Done(value))
            }
            Err(KernelStop::Decide(cond)) => Err(Stop::Decide { cond, assume: false }),
            Err(KernelStop::Fault { message, .. }) => Err(Stop::bug(
                BugKind::OutOfBounds,
                format!("a system call was given a bad pointer: {message}"),
            )),
            Err(KernelStop::Unsupported(what)) => Err(Stop::unsupported(what)),
            Err(KernelStop::Wait(wait)) => {
                state.kernel = kernel;
                Ok(Called::Waits(wait))
            }
            Err(KernelStop::Execute(start)) => {
                state.kernel = kernel;
                state.inputs = inputs;
                Ok(Called::Executes(start))
            }
            Err(KernelStop::Exit(status)) => {
                state.kernel = kernel;
                Err(Stop::End(End::Exit(Byte::Known(status as u8))))
            }
            Err(KernelStop::Signal(signal)) => {
                state.kernel = kernel;
                Err(Stop::End(End::Signal(signal)))
            }
        }
    }
}
