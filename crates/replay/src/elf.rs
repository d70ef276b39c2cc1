//! Checks the head of an executable.

/// A segment of an executable: a part loaded when it runs, or a note.
struct Segment {
    kind: u32,
    /// End of the segment in the file, in bytes.
    end: u64,
}

const TRUNCATED: &str = "it is truncated";

/// The segments of an executable, and the end of their table.
fn segments(head: &[u8]) -> Result<(Vec<Segment>, u64), &'static str> {
    let half = |at: usize| head.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]])).ok_or(TRUNCATED);
    let word = |at: u64| -> Result<u64, &'static str> {
        let at = usize::try_from(at).map_err(|_| TRUNCATED)?;
        let bytes = head.get(at..at.saturating_add(8)).ok_or(TRUNCATED)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("a slice of eight bytes")))
    };
    let table = word(32)?;
    let (size, count) = (u64::from(half(54)?), u64::from(half(56)?));
    let mut segments = Vec::new();
    for i in 0..count {
        let at = table.checked_add(i * size).ok_or(TRUNCATED)?;
        let end = word(at.saturating_add(8))?.saturating_add(word(at.saturating_add(32))?);
        segments.push(Segment { kind: word(at)? as u32, end });
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
    let machine = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
    if head.get(4..6) != Some(&[2, 1]) || half(18)? != machine {
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
