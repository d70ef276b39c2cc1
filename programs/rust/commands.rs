// Programs are started by fork and execve, as std does where it is not told a version of glibc. A program that is not there is an
// error, which the child hands on through a pipe.
// cleave: expect paths=2 failed=0
use std::process::Command;

fn main() {
    let n: u8 = cleave::any();
    let error = Command::new("/no/such/program").arg(if n > 3 { "a" } else { "b" }).status().unwrap_err();
    println!("{} {:?}", n > 3, error.kind());
}
