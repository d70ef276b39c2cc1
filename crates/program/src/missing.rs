//! Functions that are defined nowhere, as people know them.

/// What a call of the undefined function `name` asks for. The C library for explored programs leaves out what begins
/// threads, so a call of that says so and not that a function of the library is missing.
pub fn missing(name: &str) -> String {
    match name {
        "pthread_create" | "__pthread_create" | "thrd_create" => format!("a new thread (`{name}`)"),
        _ => format!("a call of the function `{name}`, which is defined nowhere"),
    }
}
