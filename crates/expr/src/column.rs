//! A term's values in rows, each kept in as many bytes as the term's width asks for.

use crate::byteset::LANES;

/// Values, block by block of 64 rows.
pub(crate) enum Column {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
    Longs(Vec<u64>),
    /// Of more than 64 bits.
    Wide(Vec<u128>),
}

/// What `of` writes for each block, each value made smaller.
fn made<V: Copy, T>(
    zero: V,
    blocks: usize,
    mut of: impl FnMut(usize, &mut [V; LANES]),
    small: impl Fn(V) -> T,
) -> Vec<T> {
    let (mut all, mut lanes) = (Vec::with_capacity(blocks * LANES), [zero; LANES]);
    for block in 0..blocks {
        of(block, &mut lanes);
        all.extend(lanes.iter().map(|v| small(*v)));
    }
    all
}

fn read<T: Copy, V>(from: &[T], block: usize, out: &mut [V; LANES], large: impl Fn(T) -> V) {
    for (o, v) in out.iter_mut().zip(&from[block * LANES..(block + 1) * LANES]) {
        *o = large(*v);
    }
}

impl Column {
    /// Values of at most 64 bits: `of` writes those of a block.
    pub(crate) fn narrow(width: u8, blocks: usize, of: impl FnMut(usize, &mut [u64; LANES])) -> Column {
        match width {
            0..=8 => Column::Bytes(made(0, blocks, of, |v| v as u8)),
            9..=16 => Column::Halves(made(0, blocks, of, |v| v as u16)),
            17..=32 => Column::Words(made(0, blocks, of, |v| v as u32)),
            _ => Column::Longs(made(0, blocks, of, |v| v)),
        }
    }

    /// Values of any width, of operands of any width.
    pub(crate) fn of_wide(width: u8, blocks: usize, of: impl FnMut(usize, &mut [u128; LANES])) -> Column {
        match width {
            0..=8 => Column::Bytes(made(0, blocks, of, |v| v as u8)),
            9..=64 => Column::Longs(made(0, blocks, of, |v| v as u64)),
            _ => Column::Wide(made(0, blocks, of, |v| v)),
        }
    }

    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Column::Wide(_))
    }

    /// The values of a block; of a wide column their lower halves.
    pub(crate) fn read(&self, block: usize, out: &mut [u64; LANES]) {
        match self {
            Column::Bytes(all) => read(all, block, out, u64::from),
            Column::Halves(all) => read(all, block, out, u64::from),
            Column::Words(all) => read(all, block, out, u64::from),
            Column::Longs(all) => read(all, block, out, |v| v),
            Column::Wide(all) => read(all, block, out, |v| v as u64),
        }
    }

    /// The values of a block.
    pub(crate) fn read_wide(&self, block: usize, out: &mut [u128; LANES]) {
        match self {
            Column::Wide(all) => read(all, block, out, |v| v),
            _ => {
                let mut lanes = [0; LANES];
                self.read(block, &mut lanes);
                *out = lanes.map(u128::from);
            }
        }
    }

    /// In bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Column::Bytes(all) => all.len(),
            Column::Halves(all) => 2 * all.len(),
            Column::Words(all) => 4 * all.len(),
            Column::Longs(all) => 8 * all.len(),
            Column::Wide(all) => 16 * all.len(),
        }
    }
}
