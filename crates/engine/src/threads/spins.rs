//! Threads that spin: they look at the same words again and again until another thread changes one. Such a thread leads nowhere
//! new, and its path would have no end, so it waits.
//!
//! A thread spins when it comes back to an access of [`crate::ops::atomics`] with the same values in all registers, has changed
//! nothing in memory and made no system call since it was there, and the words that it has accessed since are as it found them.
//! It would repeat its steps until one of these words is another.

use std::rc::Rc;

use cleave_memory::AddressSpace;

use crate::engine::Engine;
use crate::states::state::State;
use crate::threads::spin::{Spin, Spot, Word};
use crate::threads::switching::parked;

pub(crate) const SPINS: &str = "it reads the same words again and again, and nobody changes them";

/// Maximum number of accesses that are looked back to.
const MOST_VISITS: usize = 16;
/// Number of accesses that a thread makes before it is suspected, if one order is explored: to look costs time.
const PATIENCE: u32 = 64;

fn spot(state: &State) -> Spot {
    state.frames().map(|f| (f.func, f.pc, f.regs.clone())).collect()
}

fn word(state: &State, address: u64, size: u64) -> Option<Word> {
    Some(Word { address, bytes: state.memory.read(address, size).ok()? })
}

fn is_as_it_was(memory: &AddressSpace, word: &Word) -> bool {
    memory.read(word.address, word.bytes.len() as u64).is_ok_and(|bytes| bytes == word.bytes)
}

/// True if a thread spins on words that have not changed.
pub(crate) fn spins(state: &State, (pid, tid): (u64, u64)) -> bool {
    let Some(there) = &state.parked else { return false };
    let Some(words) = there.spins.get(&tid).and_then(|spin| spin.awaited.as_ref()) else { return false };
    let parked = there.processes.get(&pid).map(|belongings| &belongings.memory);
    let memory = if pid == there.current.0 { Some(&state.memory) } else { parked };
    memory.is_some_and(|memory| words.iter().all(|word| is_as_it_was(memory, word)))
}

/// A thread does something that is no access: it does not spin.
pub(crate) fn spins_no_more(state: &mut State) {
    let tid = state.kernel.running_thread();
    if state.parked.as_ref().is_some_and(|there| there.spins.contains_key(&tid)) {
        parked(state).spins.remove(&tid);
    }
}

impl Engine {
    /// True if the thread that runs is to be watched for spinning.
    fn looks_for_spins(&self, state: &State) -> bool {
        let tid = state.kernel.running_thread();
        let spin = state.parked.as_ref().and_then(|there| there.spins.get(&tid));
        self.explores(state) || spin.is_some_and(|spin| spin.patience >= PATIENCE)
    }

    /// Notes if the thread that runs, which has come to an access by itself, spins there. The result is the same when the op
    /// runs again.
    pub(crate) fn comes_to_access(&mut self, state: &mut State) {
        if !self.looks_for_spins(state) {
            return;
        }
        let (tid, now) = (state.kernel.running_thread(), spot(state));
        let mut spin = parked(state).spins.remove(&tid).unwrap_or_default();
        let changed = spin.memory.as_ref().is_some_and(|then| !state.memory.holds_the_same(then));
        let known = Rc::make_mut(&mut spin);
        if changed {
            *known = Spin { patience: known.patience, ..Spin::default() };
        }
        let visit = known.visits.iter().rfind(|(then, _)| *then == now);
        let words = visit.map(|&(_, read)| known.words[read..].to_vec());
        known.awaited = words.filter(|words| words.iter().all(|word| is_as_it_was(&state.memory, word)));
        known.next = Some(now);
        parked(state).spins.insert(tid, spin);
    }

    /// An access of the thread that runs begins.
    pub(crate) fn notes_access(&mut self, state: &mut State, address: u64, size: u64) {
        let tid = state.kernel.running_thread();
        if !self.looks_for_spins(state) {
            Rc::make_mut(parked(state).spins.entry(tid).or_default()).patience += 1;
            return;
        }
        let (found, memory) = (word(state, address, size), state.memory.clone());
        let spin = Rc::make_mut(parked(state).spins.entry(tid).or_default());
        let here = spin.next.take();
        // A thread that has spun goes on because a word has changed.
        if spin.awaited.take().is_some() || spin.visits.len() >= MOST_VISITS || found.is_none() {
            *spin = Spin { patience: spin.patience, ..Spin::default() };
        }
        spin.visits.extend(here.map(|here| (here, spin.words.len())));
        spin.words.extend(found);
        spin.memory = Some(memory);
    }
}
