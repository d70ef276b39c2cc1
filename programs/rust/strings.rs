// Text: UTF-8 is checked as the standard says, and what was checked can be taken apart.
fn main() {
    let bytes: [u8; 3] = cleave::any();
    let Ok(text) = std::str::from_utf8(&bytes) else { return };
    let count = text.chars().count();
    assert!((1..=3).contains(&count));
    assert_eq!(text.chars().map(char::len_utf8).sum::<usize>(), 3);
    if let Some((name, value)) = text.split_once('=') {
        assert!(!name.contains('='));
        if value.parse::<u8>() == Ok(7) {
            panic!("seven"); //~ ERROR panic
        }
    }
}
