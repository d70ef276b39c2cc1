//! The account of a run as lines of text.

use serde_json::Value;

/// The account's values by name; what is inside of another has both names, with a dot between.
pub fn account_lines(account: &Value) -> Vec<(String, String)> {
    fn walk(name: &str, value: &Value, rows: &mut Vec<(String, String)>) {
        match value {
            Value::Object(fields) => {
                for (inner, value) in fields {
                    let name = if name.is_empty() { inner.clone() } else { format!("{name}.{inner}") };
                    walk(&name, value, rows);
                }
            }
            Value::String(text) => rows.push((name.into(), text.clone())),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                rows.push((name.into(), items.join(" ")));
            }
            other => rows.push((name.into(), other.to_string())),
        }
    }
    let mut rows = Vec::new();
    walk("", account, &mut rows);
    rows
}
