// A range like "3-17". One kind of text ends the program.
fn parse(text: &str) -> Option<(u8, u8)> {
    let (from, to) = text.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn main() {
    let bytes: [u8; 3] = cleave::any();
    match std::str::from_utf8(&bytes).ok().and_then(parse) {
        Some((from, to)) => println!("{} numbers", to - from + 1),
        None => println!("no range"),
    }
}
