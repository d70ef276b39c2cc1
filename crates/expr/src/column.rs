//! A term's values in rows, each kept in as many bytes as the term's width asks for.

use crate::byteset::LANES;

/// Values, one for each row.
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
    rows: usize,
    mut of: impl FnMut(usize, &mut [V; LANES]),
    small: impl Fn(V) -> T,
) -> Vec<T> {
    let (mut all, mut lanes) = (Vec::with_capacity(rows), [zero; LANES]);
    for block in 0..rows.div_ceil(LANES) {
        of(block, &mut lanes);
        all.extend(lanes.iter().take(rows - block * LANES).map(|v| small(*v)));
    }
    all
}

fn read<T: Copy, V>(from: &[T], block: usize, out: &mut [V; LANES], large: impl Fn(T) -> V) {
    let rest = from.get(block * LANES..).unwrap_or(&[]);
    for (o, v) in out.iter_mut().zip(rest) {
        *o = large(*v);
    }
}

impl Column {
    /// No values yet, of terms of a width, with room for so many.
    pub(crate) fn with_room(width: u8, rows: usize) -> Column {
        match width {
            0..=8 => Column::Bytes(Vec::with_capacity(rows)),
            9..=16 => Column::Halves(Vec::with_capacity(rows)),
            17..=32 => Column::Words(Vec::with_capacity(rows)),
            33..=64 => Column::Longs(Vec::with_capacity(rows)),
            _ => Column::Wide(Vec::with_capacity(rows)),
        }
    }

    /// Puts values of the terms' width behind the others.
    pub(crate) fn append<V: Copy + Into<u128>>(&mut self, values: &[V]) {
        let values = values.iter().map(|v| (*v).into());
        match self {
            Column::Bytes(all) => all.extend(values.map(|v| v as u8)),
            Column::Halves(all) => all.extend(values.map(|v| v as u16)),
            Column::Words(all) => all.extend(values.map(|v| v as u32)),
            Column::Longs(all) => all.extend(values.map(|v| v as u64)),
            Column::Wide(all) => all.extend(values),
        }
    }

    /// Values of at most 64 bits: `of` writes those of a block.
    pub(crate) fn narrow(width: u8, rows: usize, of: impl FnMut(usize, &mut [u64; LANES])) -> Column {
        match width {
            0..=8 => Column::Bytes(made(0, rows, of, |v| v as u8)),
            9..=16 => Column::Halves(made(0, rows, of, |v| v as u16)),
            17..=32 => Column::Words(made(0, rows, of, |v| v as u32)),
            _ => Column::Longs(made(0, rows, of, |v| v)),
        }
    }

    /// Values of any width, of operands of any width.
    pub(crate) fn of_wide(width: u8, rows: usize, of: impl FnMut(usize, &mut [u128; LANES])) -> Column {
        match width {
            0..=8 => Column::Bytes(made(0, rows, of, |v| v as u8)),
            9..=64 => Column::Longs(made(0, rows, of, |v| v as u64)),
            _ => Column::Wide(made(0, rows, of, |v| v)),
        }
    }

    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Column::Wide(_))
    }

    /// The values of a block, the last of which may have fewer than it has room for; of a wide column their lower halves.
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

    /// The values of the rows at these places.
    pub(crate) fn at(&self, places: &[u32]) -> Column {
        fn chosen<T: Copy>(all: &[T], places: &[u32]) -> Vec<T> {
            places.iter().filter_map(|place| all.get(*place as usize).copied()).collect()
        }
        match self {
            Column::Bytes(all) => Column::Bytes(chosen(all, places)),
            Column::Halves(all) => Column::Halves(chosen(all, places)),
            Column::Words(all) => Column::Words(chosen(all, places)),
            Column::Longs(all) => Column::Longs(chosen(all, places)),
            Column::Wide(all) => Column::Wide(chosen(all, places)),
        }
    }

    /// The value that it has in all rows of which a bit is set, if that is one.
    pub(crate) fn only(&self, alive: &[u64]) -> Option<u128> {
        fn one<T: Copy + PartialEq>(all: &[T], alive: &[u64]) -> Option<T> {
            let first = alive.iter().position(|block| *block != 0)?;
            let value = *all.get(first * LANES + alive[first].trailing_zeros() as usize)?;
            let differ =
                |lanes: &[T]| lanes.iter().rev().fold(0u64, |set, v| set << 1 | u64::from(*v != value));
            let same =
                all.chunks(LANES).zip(alive).all(|(lanes, &alive)| alive == 0 || differ(lanes) & alive == 0);
            same.then_some(value)
        }
        match self {
            Column::Bytes(all) => one(all, alive).map(u128::from),
            Column::Halves(all) => one(all, alive).map(u128::from),
            Column::Words(all) => one(all, alive).map(u128::from),
            Column::Longs(all) => one(all, alive).map(u128::from),
            Column::Wide(all) => one(all, alive),
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
