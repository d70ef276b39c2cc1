//! Parsers for numbers and times as KLEE writes them.

/// A number; -1 is the largest.
pub fn number(text: &str) -> Result<u64, String> {
    if text == "-1" {
        return Ok(u64::MAX);
    }
    text.parse().map_err(|_| "it is no number".to_string())
}

/// A time in milliseconds: a number of seconds, or numbers with units behind each other, the largest first, like 1h30min.
/// One below a millisecond counts as one.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    const HELP: &str = "give seconds, or numbers with h, min, s, ms, us or ns, like 1h30min";
    let mut nanoseconds: u128 = 0;
    if let Ok(seconds) = text.parse::<f64>() {
        let time = std::time::Duration::try_from_secs_f64(seconds).map_err(|_| HELP)?;
        nanoseconds = time.as_nanos();
    } else {
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or(HELP)?;
            let (count, behind) = rest.split_at(digits);
            let letters = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
            let (unit, behind) = behind.split_at(letters);
            let unit: u128 = match unit {
                "h" => 3_600_000_000_000,
                "min" => 60_000_000_000,
                "s" => 1_000_000_000,
                "ms" => 1_000_000,
                "us" => 1_000,
                "ns" => 1,
                _ => return Err(HELP.into()),
            };
            nanoseconds = nanoseconds.saturating_add(count.parse::<u64>().map_err(|_| HELP)? as u128 * unit);
            rest = behind;
        }
    }
    Ok(u64::try_from(nanoseconds.div_ceil(1_000_000)).unwrap_or(u64::MAX - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_klee_writes_them() {
        for (text, expected) in [
            ("10", 10_000),
            ("0.5", 500),
            ("1h30min", 5_400_000),
            ("5s250ms", 5_250),
            ("1us", 1),
            ("0s", 0),
            ("", 0),
        ] {
            assert_eq!(milliseconds(text), Ok(expected), "{text}");
        }
        for wrong in ["x", "5m", "h", "1h x", "-1", "nan", "1é", "99999999999999999999s"] {
            assert!(milliseconds(wrong).is_err(), "{wrong}");
        }
        assert!(milliseconds("18446744073709551615h").is_ok());
    }
}
