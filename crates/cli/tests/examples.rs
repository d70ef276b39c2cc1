//! The examples of `examples` print what their page says.

use crate::support::pages::{Page, root};

const PAGE: &str = "examples/README.md";

macro_rules! examples {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            let page = Page::read(PAGE, Some(stringify!($name)));
            assert!(page.commands() > 0 && page.left_out.is_empty());
            page.check();
        })*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

examples!(maze, password, packet, handshake, heap, structures, tickets, octet, checksum, parse);

#[test]
fn each_example_has_its_section() {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(sections, NAMES);
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some((name, "c" | "cpp" | "rs")) = file.rsplit_once('.') else { continue };
        // Those of other languages stand in the README.
        assert!(
            ["paths", "order", "ranges"].contains(&name) || NAMES.contains(&name),
            "{PAGE} has no section about {file}"
        );
        assert!(page.contains(&file), "{PAGE} does not name {file}");
    }
}
