//! The rule by which gdb finds a frame's caller.

use gimli::write::{
    Address, CallFrameInstruction, CommonInformationEntry, FrameDescriptionEntry, FrameTable,
};
use gimli::{Encoding, X86_64};

use crate::addresses::Addresses;
use crate::symbols::builder::ENCODING;

/// One rule for all code: the frame pointer is two words below the end of the frame. These two words hold the caller's frame
/// pointer and the return address.
pub(crate) fn table(addresses: &Addresses) -> FrameTable {
    let mut table = FrameTable::default();
    // The version of a frame table differs from that of the other debug information.
    let encoding = Encoding { version: 4, ..ENCODING };
    let mut rule = CommonInformationEntry::new(encoding, 1, -8, X86_64::RA);
    rule.add_instruction(CallFrameInstruction::Cfa(X86_64::RBP, 16));
    rule.add_instruction(CallFrameInstruction::Offset(X86_64::RA, -8));
    rule.add_instruction(CallFrameInstruction::Offset(X86_64::RBP, -16));
    let rule = table.add_cie(rule);
    let (start, size) = addresses.code();
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    table.add_fde(rule, FrameDescriptionEntry::new(Address::Constant(start), size));
    table
}
