//! Value vectors: a term's values in the rows of a table, each stored in the fewest bytes that hold the term's width. `rows` and
//! `by_row` use them.

use crate::domains::byteset::LANES;
use crate::evaluation::lanes::{Value, holding};

/// Values, one for each row.
pub(crate) enum Column {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
    Longs(Vec<u64>),
    /// Of more than 64 bits.
    Wide(Vec<u128>),
}

/// Collects the values that `of` writes for each block, each narrowed by `small`. Whole blocks have loops of constant length,
/// which the compiler vectorizes.
fn made<V: Value, T: Copy + Default>(
    rows: usize,
    mut of: impl FnMut(usize, &mut [V; LANES]),
    small: impl Fn(u128) -> T,
) -> Vec<T> {
    let (mut all, mut lanes) = (vec![T::default(); rows], [V::ZERO; LANES]);
    let (whole, rest) = all.as_chunks_mut::<LANES>();
    let blocks = whole.len();
    for (block, values) in whole.iter_mut().enumerate() {
        of(block, &mut lanes);
        values.iter_mut().zip(&lanes).for_each(|(value, v)| *value = small((*v).into()));
    }
    if !rest.is_empty() {
        of(blocks, &mut lanes);
        rest.iter_mut().zip(&lanes).for_each(|(value, v)| *value = small((*v).into()));
    }
    all
}

fn read<T: Copy + Into<u128>, V: Value>(from: &[T], block: usize, out: &mut [V; LANES]) {
    let rest = from.get(block * LANES..).unwrap_or(&[]);
    match rest.first_chunk::<LANES>() {
        Some(whole) => out.iter_mut().zip(whole).for_each(|(o, v)| *o = V::from_wide((*v).into())),
        None => out.iter_mut().zip(rest).for_each(|(o, v)| *o = V::from_wide((*v).into())),
    }
}

impl Column {
    /// An empty vector for terms of a width, with room for `rows` values.
    pub(crate) fn with_room(width: u8, rows: usize) -> Column {
        match width {
            0..=8 => Column::Bytes(Vec::with_capacity(rows)),
            9..=16 => Column::Halves(Vec::with_capacity(rows)),
            17..=32 => Column::Words(Vec::with_capacity(rows)),
            33..=64 => Column::Longs(Vec::with_capacity(rows)),
            _ => Column::Wide(Vec::with_capacity(rows)),
        }
    }

    /// Appends values of the terms' width.
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

    /// Values of terms of a width; `of` writes the values of each block.
    pub(crate) fn of<V: Value>(width: u8, rows: usize, of: impl FnMut(usize, &mut [V; LANES])) -> Column {
        match width {
            0..=8 => Column::Bytes(made(rows, of, |v| v as u8)),
            9..=16 => Column::Halves(made(rows, of, |v| v as u16)),
            17..=32 => Column::Words(made(rows, of, |v| v as u32)),
            33..=64 => Column::Longs(made(rows, of, |v| v as u64)),
            _ => Column::Wide(made(rows, of, |v| v)),
        }
    }

    /// Reads the values of a block; the last block may have fewer than `LANES`. Values wider than `V` are truncated to the lower
    /// bits.
    pub(crate) fn read<V: Value>(&self, block: usize, out: &mut [V; LANES]) {
        match self {
            Column::Bytes(all) => read(all, block, out),
            Column::Halves(all) => read(all, block, out),
            Column::Words(all) => read(all, block, out),
            Column::Longs(all) => read(all, block, out),
            Column::Wide(all) => read(all, block, out),
        }
    }

    /// The rows in which a term of one bit holds: a bit for each row, the first in the lowest bit of the first word.
    pub(crate) fn holds(&self) -> Vec<u64> {
        let Column::Bytes(all) = self else { return Vec::new() };
        all.chunks(LANES).map(holding).collect()
    }

    /// The values of the rows with these indices.
    pub(crate) fn at(&self, places: &[u32]) -> Column {
        fn chosen<T: Copy + Default>(all: &[T], places: &[u32]) -> Vec<T> {
            places.iter().map(|place| all.get(*place as usize).copied().unwrap_or_default()).collect()
        }
        match self {
            Column::Bytes(all) => Column::Bytes(chosen(all, places)),
            Column::Halves(all) => Column::Halves(chosen(all, places)),
            Column::Words(all) => Column::Words(chosen(all, places)),
            Column::Longs(all) => Column::Longs(chosen(all, places)),
            Column::Wide(all) => Column::Wide(chosen(all, places)),
        }
    }

    /// The value in all rows whose bit is set, if it is the same in all of them.
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

    /// Size of the values in bytes.
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
