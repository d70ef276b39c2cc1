// The command line, and the environment.
// cleave: args --sym-arg 2
// cleave: says a dash and more
fn main() {
    let all: Vec<std::ffi::OsString> = std::env::args_os().collect();
    assert_eq!(all.len(), 2);
    let text = all[1].as_encoded_bytes();
    assert!(text.len() <= 2 && !text.contains(&0));
    assert!(std::env::var("NO_SUCH_VARIABLE").is_err());
    if text.len() == 2 && text[0] == b'-' {
        panic!("a dash and more"); //~ ERROR panic
    }
}
