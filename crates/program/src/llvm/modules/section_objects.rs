//! Objects for sections whose bounds a program knows: the variables lie one behind the other, in the order of the module, each
//! aligned as it needs, as the native link has them.
//!
//! An access that names one of them is bound to it, by an op in front of it (`marks/subobjects.rs`). An access through a pointer is bound to the section: a
//! pointer to one of them may have come from a walk. Functions of such a section have addresses that follow one another.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::layout::*;
use crate::llvm::LoadError;
use crate::llvm::translation::loader::Loader;
use crate::register_code::code::*;

impl Loader<'_> {
    /// Places the section of a variable in slots from this one on; the number of slots.
    pub(crate) fn place_section(&mut self, variable: LLVMValueRef, slot: u64) -> Result<u64, LoadError> {
        let section = &mut self.sections.all[self.sections.of[&variable]];
        let (name, variables) = (section.name.clone(), section.variables.clone());
        let (starts, stops) = (std::mem::take(&mut section.starts), std::mem::take(&mut section.stops));
        let (mut size, mut most, mut constant, mut members) = (0u64, 1, true, Vec::new());
        for &g in &variables {
            let member = self.described(g)?;
            // SAFETY: the type of what is defined is sized.
            let natural = u64::from(self.layout.align(unsafe { LLVMGlobalGetValueType(g) }));
            let align = if member.1 == 0 { natural } else { member.1 }.max(1);
            let offset = size.next_multiple_of(align);
            (size, most) = (offset.saturating_add(member.0.size), most.max(align));
            constant &= member.0.constant;
            members.push((g, offset, member.0));
        }
        let address = (slot << self.program.target.slot_bits()) + start_in_slot(most);
        let whole = Global { size, constant, ..Global::named(name, address, Storage::Section) };
        self.program.globals.push(whole);
        for (g, offset, member) in members {
            self.members_of_sections.insert(g, member.size);
            self.put_global(g, Global { address: address + offset, storage: Storage::Member, ..member });
        }
        self.bounds.extend(starts.into_iter().map(|symbol| (symbol, address)));
        self.bounds.extend(stops.into_iter().map(|symbol| (symbol, address + size)));
        Ok(self.program.target.slots_of(address, size))
    }

    /// The bounds of sections of functions, which have their numbers by now.
    pub(crate) fn bound_functions(&mut self) {
        for section in &self.sections.all {
            let at = |f: &LLVMValueRef| self.functions.get(f).map(|&id| self.address_of_function(id));
            let (Some(first), Some(last)) =
                (section.functions.first().and_then(at), section.functions.last().and_then(at))
            else {
                continue;
            };
            let (starts, stops) = (section.starts.iter(), section.stops.iter());
            let bounds = starts.map(|&s| (s, first)).chain(stops.map(|&s| (s, last + FUNCTION_STRIDE)));
            self.bounds.extend(bounds);
        }
    }
}
