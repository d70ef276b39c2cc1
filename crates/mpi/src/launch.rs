//! Detects if mpiexec started this process: from the environment, before and without MPI itself.

/// The place of this process among those that one mpiexec started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its number, from 0.
    pub rank: u32,
    /// Number of processes; at least 1.
    pub size: u32,
}

/// Variables that launchers set: the rank, and the number of ranks. Hydra (MPICH, Intel MPI) and Slurm's PMI-2; Open MPI;
/// MVAPICH.
const NAMES: [(&str, &str); 3] = [
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
];

/// The place of this process, if mpiexec or a similar launcher started it.
pub fn launched() -> Option<Launch> {
    launched_by(|name| std::env::var(name).ok())
}

fn launched_by(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
    let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
    NAMES.iter().find_map(|(rank, size)| {
        let (rank, size) = (number(rank)?, number(size)?);
        (rank < size).then_some(Launch { rank, size })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(environment: &[(&str, &str)], expected: Option<Launch>) {
        let variable = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        };
        assert_eq!(launched_by(variable), expected, "{environment:?}");
    }

    #[test]
    fn the_place_is_read_from_what_each_launcher_sets_and_from_nothing_less() {
        check(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")], Some(Launch { rank: 2, size: 4 }));
        check(
            &[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")],
            Some(Launch { rank: 0, size: 1 }),
        );
        check(&[], None);
        check(&[("PMI_RANK", "2")], None);
        check(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")], None);
        check(&[("PMI_RANK", "first"), ("PMI_SIZE", "4")], None);
    }
}
