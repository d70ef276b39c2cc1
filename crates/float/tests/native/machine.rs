//! The oracle: each operation as a function of LLVM IR, compiled for x86-64 by clang without optimising the IR,
//! linked with musl and compiler-rt, and run on this processor.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// One operation, what must do it, and the operands to try.
pub struct Case {
    /// What a failure calls it.
    pub name: String,
    /// Declarations that its body needs.
    pub declares: String,
    /// The body of `void f(ptr %pa, ptr %pb, ptr %pc, ptr %out)`.
    pub body: String,
    /// Bits of the result that count.
    pub width: u32,
    /// The function under test.
    pub ours: Box<dyn Fn([u128; 3]) -> u128>,
    pub operands: Vec<[u128; 3]>,
}

const DRIVER: &str = r#"
typedef unsigned char u8;
typedef void function(u8 *a, u8 *b, u8 *c, u8 *out);
extern function *const table[];
unsigned long fread(void *, unsigned long, unsigned long, void *);
unsigned long fwrite(const void *, unsigned long, unsigned long, void *);
int fflush(void *);
extern void *const stdin, *const stdout;
int main(void) {
    struct { _Alignas(16) u8 op[16], a[16], b[16], c[16]; } in;
    while (fread(&in, sizeof in, 1, stdin) == 1) {
        _Alignas(16) u8 out[16] = {0};
        table[in.op[0] | in.op[1] << 8](in.a, in.b, in.c, out);
        fwrite(out, 16, 1, stdout);
    }
    return fflush(stdout);
}
"#;

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().expect("clang-19 is installed");
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// The mathematical functions that clang's code calls.
#[derive(Clone, Copy, PartialEq)]
pub enum Library {
    Musl,
    /// The C library of this machine.
    Host,
}

fn build(dir: &Path, library: Library, cases: &[Case]) {
    let mut ir = String::from("target triple = \"x86_64-pc-linux-gnu\"\n");
    let mut declares: Vec<&str> = cases.iter().flat_map(|c| c.declares.lines()).collect();
    declares.sort();
    declares.dedup();
    writeln!(ir, "{}", declares.join("\n")).unwrap();
    let mut table = String::from("typedef void function(void *, void *, void *, void *);\n");
    for (n, case) in cases.iter().enumerate() {
        writeln!(ir, "define void @f{n}(ptr %pa, ptr %pb, ptr %pc, ptr %out) {{\n{}}}", case.body).unwrap();
        writeln!(table, "extern function f{n};").unwrap();
    }
    let names: Vec<String> = (0..cases.len()).map(|n| format!("f{n}")).collect();
    writeln!(table, "function *const table[] = {{ {} }};", names.join(", ")).unwrap();
    for (name, text) in [("ops.ll", ir.as_str()), ("driver.c", DRIVER), ("table.c", table.as_str())] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let runtime = output("clang-19", &["-rtlib=compiler-rt", "-print-libgcc-file-name"]);
    let musl = "/usr/lib/x86_64-linux-musl";
    let libraries = match library {
        Library::Musl => vec![
            "-nostdlib".to_owned(),
            "-static".to_owned(),
            format!("{musl}/crt1.o"),
            format!("{musl}/libc.a"),
            runtime,
        ],
        Library::Host => vec!["-lm".to_owned()],
    };
    let made = Command::new("clang-19")
        .current_dir(dir)
        .args(["-O2", "-Xclang", "-disable-llvm-passes", "-Wno-override-module"])
        .args(["-ffreestanding", "-fuse-ld=lld", "-o", "oracle", "driver.c", "table.c", "ops.ll"])
        .args(libraries)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

fn run(dir: &Path, input: Vec<u8>) -> Vec<u8> {
    let mut child =
        Command::new(dir.join("oracle")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(&input).unwrap());
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(out.status.success());
    out.stdout
}

/// Every case agrees with the machine on all of its operands.
pub fn check(cases: &[Case]) {
    check_with(Library::Musl, cases);
}

/// Likewise, with the functions of that library.
pub fn check_with(library: Library, cases: &[Case]) {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), library, cases);
    let mut input = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        for operands in &case.operands {
            input.extend((n as u128).to_le_bytes());
            operands.iter().for_each(|v| input.extend(v.to_le_bytes()));
        }
    }
    let results = run(dir.path(), input);
    let mut results = results.as_chunks::<16>().0.iter().map(|b| u128::from_le_bytes(*b));
    let mut failures = String::new();
    for case in cases {
        let (mask, mut wrong) = (u128::MAX >> (128 - case.width), 0);
        for &operands in &case.operands {
            let theirs = results.next().expect("a result for every record") & mask;
            let ours = (case.ours)(operands);
            if ours != theirs {
                wrong += 1;
                if wrong <= 4 {
                    let [a, b, c] = operands;
                    writeln!(failures, "{} {a:#x} {b:#x} {c:#x}: {ours:#x}, native {theirs:#x}", case.name)
                        .unwrap();
                }
            }
        }
        if wrong > 0 {
            writeln!(failures, "{}: {wrong} of {} wrong", case.name, case.operands.len()).unwrap();
        }
    }
    assert!(results.next().is_none());
    assert!(failures.is_empty(), "\n{failures}");
}
