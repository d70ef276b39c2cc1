//! Checks the head of an executable.

/// A segment of an executable: a part loaded when it runs, or a note.
struct Segment {
    kind: u32,
    /// End of the segment in the file, in bytes.
    end: u64,
}

const TRUNCATED: &str = "it is truncated";

/// The places of the fields that are read: those of 64 bits differ from those of 32.
struct Layout {
    /// Bytes of an address, an offset or a size.
    word: u64,
    /// Place of the offset of the table of segments.
    table: u64,
    /// Place of the size of an entry of that table; the number of entries stands behind it.
    entry: usize,
    /// In an entry: places of the offset in the file, and of the size there.
    offset: u64,
    size: u64,
}

const WIDE: Layout = Layout { word: 8, table: 32, entry: 54, offset: 8, size: 32 };
const NARROW: Layout = Layout { word: 4, table: 28, entry: 42, offset: 4, size: 16 };

/// The segments of an executable, and the end of their table.
fn segments(head: &[u8]) -> Result<(Vec<Segment>, u64), &'static str> {
    let layout = if head.get(4) == Some(&1) { NARROW } else { WIDE };
    let half = |at: usize| head.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]])).ok_or(TRUNCATED);
    let number = |at: u64, bytes: u64| -> Result<u64, &'static str> {
        let at = usize::try_from(at).map_err(|_| TRUNCATED)?;
        let bytes = head.get(at..at.saturating_add(bytes as usize)).ok_or(TRUNCATED)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    };
    let table = number(layout.table, layout.word)?;
    let (size, count) = (u64::from(half(layout.entry)?), u64::from(half(layout.entry + 2)?));
    let mut segments = Vec::new();
    for i in 0..count {
        let at = table.checked_add(i * size).ok_or(TRUNCATED)?;
        let [offset, length] =
            [layout.offset, layout.size].map(|place| number(at.saturating_add(place), layout.word));
        segments.push(Segment { kind: number(at, 4)? as u32, end: offset?.saturating_add(length?) });
    }
    Ok((segments, table.saturating_add(size * count)))
}

/// Length in bytes of the part of an executable that is used when it runs.
pub(crate) fn loaded_length(bytes: &[u8]) -> Result<usize, &'static str> {
    let (segments, table) = segments(bytes)?;
    let end = segments.iter().map(|s| s.end).chain([table]).max().unwrap_or(0);
    usize::try_from(end).ok().filter(|&end| end <= bytes.len()).ok_or(TRUNCATED)
}

/// Checks that `head`, the first bytes of a file, begins a static executable for this machine.
pub(crate) fn check_elf(head: &[u8]) -> Result<(), &'static str> {
    const NEEDS_INTERPRETER: u32 = 3;
    if head.starts_with(b"BC\xc0\xde") {
        return Err("it is LLVM bitcode");
    }
    if !head.starts_with(b"\x7fELF") {
        return Err("it is not an executable");
    }
    let half = |at: usize| head.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]])).ok_or(TRUNCATED);
    // Class, order of bytes and machine; a machine for x86-64 executes programs for i386 too.
    let kind = (head.get(4).copied(), head.get(5).copied(), half(18)?);
    let runs = match cfg!(target_arch = "x86_64") {
        true => matches!(kind, (Some(2), Some(1), 62) | (Some(1), Some(1), 3)),
        false => kind == (Some(2), Some(1), 183),
    };
    if !runs {
        return Err("it is for another machine");
    }
    if !matches!(half(16)?, 2 | 3) {
        return Err("it is an object file, not an executable");
    }
    if segments(head)?.0.iter().any(|segment| segment.kind == NEEDS_INTERPRETER) {
        return Err("it is linked dynamically, and its root holds no libraries");
    }
    Ok(())
}
