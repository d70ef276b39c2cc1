//! One HTML file to look at: see [`crate::page`].

use super::Format;
use crate::page::page;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "html",
    about: "one file for a browser: coverage with the sources, bugs, where paths part (the default)",
    file: "report.html",
    make: |wanted| Ok(page(wanted)?.into_bytes()),
};
