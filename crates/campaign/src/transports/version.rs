//! The version of Cleave with the format of its paths. Machines that differ in one of them cannot explore a run together:
//! coordinators tell it, and what joins them compares it before it takes work.

use cleave_path::PATH_FORMAT;

/// The version of this Cleave, and the format of its paths.
pub fn version() -> String {
    version_with(PATH_FORMAT)
}

fn version_with(paths: u32) -> String {
    format!("{} (paths of format {paths})", env!("CARGO_PKG_VERSION"))
}

/// The reason why this machine cannot explore a run of `whose`, which has the version `its`; `None` if it can.
pub fn refusal(whose: &str, its: &str) -> Option<String> {
    let own = version();
    (its != own)
        .then(|| format!("this is Cleave {own}, and {whose} is {its}; install one version on all machines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_paths_of_another_format_is_refused_by_name() {
        assert_eq!(refusal("the run's", &version()), None);
        let said = refusal("the run's", &version_with(7777)).expect("another format");
        for part in ["paths of format 7777", &format!("paths of format {PATH_FORMAT}"), "the run's is"] {
            assert!(said.contains(part), "{said}");
        }
        // Versions before the number.
        assert!(refusal("rank 0", env!("CARGO_PKG_VERSION")).is_some());
    }
}
