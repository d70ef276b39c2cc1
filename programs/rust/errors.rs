// Errors that main returns are an exit status, not a bug.
// cleave: args --sym-stdin 2
use std::error::Error;
use std::io::Read;

fn number() -> Result<u8, Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let number: u8 = text.trim_end().parse()?;
    if number == 42 {
        return Err("not that one".into());
    }
    Ok(number)
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = number()?;
    assert_ne!(number, 42);
    println!("{number}");
    Ok(())
}
