// Each way of std to end a program: an index, an unwrap, arithmetic, a message of its own.
// cleave: expect paths=6 failed=5
// cleave: says index out of bounds: the len is 3
// cleave: says called `Result::unwrap()` on an `Err` value: "bad"
// cleave: says attempt to subtract with overflow
fn parse(text: &[u8]) -> Option<u32> {
    let mut number = 0;
    for &c in text {
        if !c.is_ascii_digit() {
            return None;
        }
        number = number * 10 + u32::from(c - b'0');
    }
    Some(number)
}

fn main() {
    let text: [u8; 3] = cleave::any();
    if let Some(n) = parse(&text) {
        let table = vec![1, 2, 3];
        if n == 123 {
            println!("{}", table[n as usize]); //~ ERROR panic
        }
        if n == 500 {
            let bad: Result<u8, String> = Err("bad".into());
            bad.unwrap(); //~ ERROR panic
        }
        if n == 7 {
            panic!("seven: {n}"); //~ ERROR panic
        }
        println!("{}", 100 / (n - 42)); //~ ERROR panic
    }
}
