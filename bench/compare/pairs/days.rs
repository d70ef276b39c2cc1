#![crate_type = "lib"]
#[no_mangle]
pub extern "C" fn days(year: i32, month: i32, day: i32) -> i32 {
    let y = if month < 3 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year
}
