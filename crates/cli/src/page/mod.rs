//! The report of a run as one HTML file: findings, and coverage of its tests, with the sources. It needs no other file and no
//! network. The data stands in it as JSON; the script in it makes the pages.

pub(crate) mod data; // Data of the HTML report, as its script reads it.
pub(crate) mod parting_places; // Places of the program at which the ways of tests part.

use crate::failure::Failure;
use crate::formats::Wanted;
use data::Data;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The file's text.
///
/// # Errors
/// Those of the run directory.
pub fn page(wanted: &Wanted<'_>) -> Result<String, Failure> {
    let data = serde_json::to_string(&Data::of(wanted)?).map_err(Failure::new)?;
    // Nothing in the data may end the script that holds it. The sign stands in strings only.
    let data = data.replace('<', "\\u003c");
    Ok(PAGE.replace("{{style}}", STYLE).replace("{{script}}", SCRIPT).replace("{{data}}", &data))
}
