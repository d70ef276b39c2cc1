//! Shares of those who look for new code, by what each has found of late: of strategies that share the choices. Shares change with finds,
//! not with time: early in a run finds are many and late ones rare.

/// Finds of all together beyond which older ones, and the work for them, count half (bench/results/2026-12-01-shares.txt).
const LATE: f64 = 64.0;
/// Work before which little is known of somebody, in instructions: 512 decisions.
const UNKNOWN: f64 = 1_048_576.0;

/// Somebody's work and finds of late.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recent {
    /// Work, in instructions.
    pub(crate) work: f64,
    /// Steps that came to new code.
    finds: f64,
}

impl Recent {
    /// Finds by work. It is above zero, and that of somebody without finds falls with work.
    pub(crate) fn rate(&self) -> f64 {
        (self.finds + 1.0) / (self.work + UNKNOWN)
    }
}

/// Counts a find of the one at `index`.
pub(crate) fn found(all: &mut [Recent], index: usize) {
    all[index].finds += 1.0;
    if all.iter().map(|one| one.finds).sum::<f64>() > LATE {
        for one in all {
            (one.work, one.finds) = (one.work / 2.0, one.finds / 2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_finds_are_forgotten_as_new_ones_come() {
        let mut all = [Recent::default(); 2];
        (0..1000).for_each(|_| found(&mut all, 0));
        assert!(all[0].rate() > 20.0 * all[1].rate());
        (0..200).for_each(|_| found(&mut all, 1));
        assert!(all[1].rate() > 4.0 * all[0].rate());
        assert!(all.iter().map(|one| one.finds).sum::<f64>() <= LATE);
    }
}
