//! The oracle: each operation as a function of LLVM IR, compiled for x86-64 by clang without optimising the IR,
//! linked with musl and libgcc as `cleave cc` does, and run on this processor.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::operands::Operands;

/// One operation, what must do it, and the operands to try.
pub struct Case {
    /// Its name in a failure's message.
    pub name: String,
    /// Declarations that its body needs.
    pub declares: String,
    /// The body of `void f(ptr %pa, ptr %pb, ptr %pc, ptr %out)`.
    pub body: String,
    /// Bits of the result that count.
    pub width: u32,
    /// The function under test.
    pub ours: Box<dyn Fn([u128; 3]) -> u128>,
    pub operands: Operands,
    /// Attributes of the function, as LLVM writes them.
    pub attributes: &'static str,
}

/// Records that are sent at once. Their results fit into a pipe: so the program never waits for us to read them while we
/// wait for it to read the next ones.
const TOGETHER: usize = 2048;

/// It reads a header, the operation and a count, and as many records; and writes as many results.
const DRIVER: &str = r#"
typedef unsigned char u8;
typedef void function(u8 *a, u8 *b, u8 *c, u8 *out);
extern function *const table[];
unsigned long fread(void *, unsigned long, unsigned long, void *);
unsigned long fwrite(const void *, unsigned long, unsigned long, void *);
int fflush(void *);
extern void *const stdin, *const stdout;
struct record { _Alignas(16) u8 a[16], b[16], c[16]; };
struct result { _Alignas(16) u8 bits[16]; };
static struct record in[2048];
static struct result out[2048];
int main(void) {
    unsigned header[2];
    while (fread(header, sizeof header, 1, stdin) == 1) {
        fread(in, sizeof *in, header[1], stdin);
        for (unsigned i = 0; i < header[1]; i++) {
            out[i] = (struct result){0};
            table[header[0]](in[i].a, in[i].b, in[i].c, out[i].bits);
        }
        fwrite(out, sizeof *out, header[1], stdout);
        fflush(stdout);
    }
    return 0;
}
"#;

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().expect("gcc is installed");
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
        let how = case.attributes;
        writeln!(ir, "define void @f{n}(ptr %pa, ptr %pb, ptr %pc, ptr %out) {how} {{\n{}}}", case.body)
            .unwrap();
        writeln!(table, "extern function f{n};").unwrap();
    }
    let names: Vec<String> = (0..cases.len()).map(|n| format!("f{n}")).collect();
    writeln!(table, "function *const table[] = {{ {} }};", names.join(", ")).unwrap();
    for (name, text) in [("ops.ll", ir.as_str()), ("driver.c", DRIVER), ("table.c", table.as_str())] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let libgcc = output("gcc", &["-print-libgcc-file-name"]);
    let musl = "/usr/lib/x86_64-linux-musl";
    let libraries = match library {
        Library::Musl => vec![
            "-nostdlib".to_owned(),
            "-static".to_owned(),
            format!("{musl}/crt1.o"),
            format!("{musl}/libc.a"),
            libgcc,
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

/// The program, running.
struct Machine {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

impl Machine {
    fn start(dir: &Path) -> Machine {
        let mut command = Command::new(dir.join("oracle"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Machine { child, to, from }
    }

    fn send(&mut self, op: usize, records: &[[u128; 3]]) {
        let mut bytes = Vec::with_capacity(8 + records.len() * 48);
        bytes.extend((op as u32).to_le_bytes());
        bytes.extend((records.len() as u32).to_le_bytes());
        records.iter().flatten().for_each(|v| bytes.extend(v.to_le_bytes()));
        self.to.write_all(&bytes).unwrap();
    }

    fn results(&mut self, count: usize) -> Vec<u128> {
        let mut bytes = vec![0; count * 16];
        self.from.read_exact(&mut bytes).expect("a result for every record");
        bytes.as_chunks::<16>().0.iter().map(|b| u128::from_le_bytes(*b)).collect()
    }

    /// All records had their results.
    fn stop(mut self) {
        drop(self.to);
        assert_eq!(self.from.read(&mut [0; 1]).unwrap(), 0);
        assert!(self.child.wait().unwrap().success());
    }
}

/// One operation on all its operands; how many they were, and what was wrong.
fn judge(machine: &mut Machine, op: usize, case: Case) -> (usize, String) {
    let (mask, mut operands) = (u128::MAX >> (128 - case.width), case.operands);
    let (mut wrong, mut total, mut failures) = (0, 0, String::new());
    let mut next = move || -> Vec<[u128; 3]> { operands.by_ref().take(TOGETHER).collect() };
    let mut records = next();
    machine.send(op, &records);
    while !records.is_empty() {
        // The machine computes while the next operands and our results are made.
        let following = next();
        let ours: Vec<u128> = records.iter().map(|&v| (case.ours)(v)).collect();
        let theirs = machine.results(records.len());
        machine.send(op, &following);
        for ((&[a, b, c], ours), theirs) in records.iter().zip(ours).zip(theirs) {
            let theirs = theirs & mask;
            if ours != theirs {
                wrong += 1;
                if wrong <= 4 {
                    writeln!(failures, "{} {a:#x} {b:#x} {c:#x}: {ours:#x}, native {theirs:#x}", case.name)
                        .unwrap();
                }
            }
        }
        total += records.len();
        records = following;
    }
    if wrong > 0 {
        writeln!(failures, "{}: {wrong} of {total} wrong", case.name).unwrap();
    }
    (total, failures)
}

/// Every case agrees with the machine on all of its operands.
pub fn check(cases: Vec<Case>) {
    check_with(Library::Musl, cases);
}

/// Likewise, with the functions of that library.
pub fn check_with(library: Library, cases: Vec<Case>) {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), library, &cases);
    let mut machine = Machine::start(dir.path());
    let (mut failures, mut total, count) = (String::new(), 0, cases.len());
    for (op, case) in cases.into_iter().enumerate() {
        let name = case.name.clone();
        let (judged, wrong) = judge(&mut machine, op, case);
        println!("{name}: {judged} operands");
        total += judged;
        failures += &wrong;
    }
    machine.stop();
    println!("seed {}: {count} operations, {total} operands", super::operands::seed());
    assert!(failures.is_empty(), "\n{failures}");
}
