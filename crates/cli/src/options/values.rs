//! Parsers for values of options: durations, sizes, places, names.

use std::time::Duration;

use cleave_engine::Checks;
use cleave_program::code::Place;
use cleave_solver::Tiers;

/// The longest time: 35,000 years. It can be added to any time without an overflow.
const LONGEST: Duration = Duration::from_secs(1 << 40);

/// A duration: a number of seconds, or a number with `ms`, `s`, `m` or `h`; [`LONGEST`] for longer ones.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("give seconds, or a number with ms, s, m or h, like 5m".into()),
    };
    let number: f64 = digits.parse().map_err(|_| "give seconds, or a number with ms, s, m or h, like 5m")?;
    let time = Duration::try_from_secs_f64(number * factor).map_err(|_| "it is out of range".to_string())?;
    Ok(time.min(LONGEST))
}

/// A size in bytes: a number of MiB, or a number with `K`, `M` or `G`.
pub fn size(text: &str) -> Result<u64, String> {
    const HELP: &str = "give a number of MiB, or a number with K, M or G, like 2G";
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "K" | "k" => 10,
        "" | "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err(HELP.into()),
    };
    let number: u64 = digits.parse().map_err(|_| HELP)?;
    number.checked_mul(1 << shift).ok_or_else(|| "it is out of range".into())
}

/// Place where the addresses of a program begin: a function's number and a slot.
pub fn place(text: &str) -> Result<Place, String> {
    let (function, slot) = text.split_once(',').ok_or("give two numbers")?;
    let wrong = |_| "give two numbers".to_string();
    Ok(Place { function: function.parse().map_err(wrong)?, slot: slot.parse().map_err(wrong)? })
}

/// The name of a search.
pub fn search(name: &str) -> Result<String, String> {
    let name = name.to_string();
    cleave_explore::Search::new(std::slice::from_ref(&name), 0).map_err(|e| e.to_string())?;
    Ok(name)
}

/// Names of solvers, with commas between them.
pub fn solvers(names: &str) -> Result<String, String> {
    names.parse::<Tiers>().map(|tiers| tiers.to_string()).map_err(|e| e.to_string())
}

/// A word of `--check`.
pub fn check(word: &str) -> Result<String, String> {
    Checks::default().change(word)?;
    Ok(word.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_read_with_and_without_units() {
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("18000000000000000000"), Ok(LONGEST));
        assert!(std::time::Instant::now().checked_add(LONGEST).is_some());
        assert_eq!(size("3"), Ok(3 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        for wrong in ["", "x", "1d", "-1", "nan", "inf", "1é"] {
            assert!(duration(wrong).is_err(), "{wrong}");
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(size("99999999999999999999G").is_err() && size("18446744073709551615G").is_err());
    }
}
