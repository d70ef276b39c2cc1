//! Functions that are defined nowhere, as people know them.

/// What a call of the undefined function `name` asks for.
pub fn missing(name: &str) -> String {
    format!("a call of the function `{name}`, which is defined nowhere")
}
