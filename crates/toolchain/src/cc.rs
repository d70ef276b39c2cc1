//! `cleave cc`: clang for static programs on musl. Objects are bitcode; a link makes the native executable from
//! them without optimising again, and links the same objects a second time as bitcode.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ToolchainError;
use crate::bitcode::SECTION;
use crate::sysroot::Sysroot;

const CLANG: &str = "clang-19";
const LINKER: &str = "/usr/bin/ld.lld-19";
const OBJCOPY: &str = "llvm-objcopy-19";

/// For every compilation. Nothing is vectorised or contracted, so that the engine and the processor compute the
/// same. Functions like `sin` that set errno stay calls of the C library. Line information is for stack traces.
const COMPILE: [&str; 14] = [
    "--target=x86_64-linux-musl",
    "-nostdinc",
    "-flto",
    "-g",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-ffp-contract=off",
    "-fmath-errno",
    "-fno-stack-protector",
    "-fno-pic",
    "-fno-pie",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-Wno-unused-command-line-argument",
];

fn text(argument: &OsString) -> &str {
    argument.to_str().unwrap_or("")
}

/// Whether clang is to stop before the link, or only to say something.
fn stops_before_link(arguments: &[OsString]) -> bool {
    let asks = |a: &str| {
        matches!(
            a,
            "-c" | "-S"
                | "-E"
                | "-M"
                | "-MM"
                | "-fsyntax-only"
                | "--version"
                | "-v"
                | "-dumpversion"
                | "-dumpmachine"
                | "-###"
        ) || a.starts_with("-print-")
            || a.starts_with("--print-")
            || a.starts_with("--help")
    };
    let has_input = arguments.iter().any(|a| !text(a).starts_with('-') || text(a).starts_with("-l"));
    arguments.iter().any(|a| asks(text(a))) || !has_input
}

/// The first input that is C++.
fn c_plus_plus(arguments: &[OsString]) -> Option<&OsString> {
    let endings = ["cc", "cpp", "cxx", "c++", "C"];
    let is_input = |a: &&OsString| !text(a).starts_with('-');
    let named = arguments.iter().filter(is_input).find(|a| {
        Path::new(a).extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e))
            && Path::new(a).exists()
    });
    named.or_else(|| {
        arguments.windows(2).find(|pair| pair[0] == "-x" && pair[1] == "c++").map(|pair| &pair[1])
    })
}

/// Objects among the arguments that are native code and no bitcode.
fn native_objects(arguments: &[OsString]) -> Vec<&OsString> {
    let is_native = |path: &Path| {
        let mut magic = [0; 4];
        let read = std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut magic));
        read.is_ok() && &magic == b"\x7fELF"
    };
    arguments.iter().filter(|a| text(a).ends_with(".o") && is_native(Path::new(a))).collect()
}

fn clang(sysroot: &Sysroot) -> Command {
    let mut command = Command::new(CLANG);
    command.args(COMPILE).arg("-isystem").arg(sysroot.include());
    command.arg("-isystem").arg(sysroot.compiler_include());
    command
}

fn run(mut command: Command, tool: &'static str) -> Result<i32, ToolchainError> {
    let status = command.status().map_err(|source| ToolchainError::NoTool { tool, source })?;
    Ok(status.code().unwrap_or(1))
}

/// The output of a link.
fn output_of(arguments: &[OsString]) -> PathBuf {
    let mut output = PathBuf::from("a.out");
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "-o" {
            if let Some(path) = rest.next() {
                output = path.into();
            }
        } else if let Some(path) = text(argument).strip_prefix("-o").filter(|p| !p.is_empty()) {
            output = path.into();
        }
    }
    output
}

/// The arguments without `-o FILE`, and without what makes no sense for bitcode.
fn without_output(arguments: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match text(argument) {
            "-o" => {
                rest.next();
            }
            a if a.starts_with("-o") => {}
            "-static" | "-static-pie" | "-pie" | "-no-pie" | "-rdynamic" | "-lc" | "-s" => {}
            _ => out.push(argument.clone()),
        }
    }
    out
}

fn native_command(sysroot: &Sysroot, arguments: &[OsString], output: &Path) -> Command {
    let musl = sysroot.musl();
    let mut command = clang(sysroot);
    command.args(["-nostdlib", "-static", "-no-pie", "-Wl,--lto-O0", "-Wl,--gc-sections"]);
    command.arg(format!("--ld-path={LINKER}"));
    command.arg("-o").arg(output);
    command.args([musl.join("crt1.o"), musl.join("crti.o")]);
    command.arg(joined("-L", musl));
    command.args(without_output(arguments));
    command.arg("-Wl,--start-group");
    command.args([sysroot.lib("libcleave-native.a"), musl.join("libc.a"), sysroot.libgcc().to_path_buf()]);
    command.arg("-Wl,--end-group").arg(musl.join("crtn.o"));
    command
}

fn bitcode_command(sysroot: &Sysroot, arguments: &[OsString], output: &Path) -> Command {
    let mut command = clang(sysroot);
    command.args(["-nostdlib", "-static", "-no-pie", "-Wl,--lto-O0", "-Wl,--lto-emit-llvm"]);
    command.args(["-Wl,-e,cleave_start", "-Wl,--unresolved-symbols=ignore-all"]);
    command.arg(format!("--ld-path={LINKER}"));
    command.arg("-o").arg(output);
    command.arg(joined("-L", sysroot.musl()));
    command.arg(sysroot.lib("start.bc"));
    command.args(without_output(arguments));
    command.arg(sysroot.lib("libc.bc.a"));
    command
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut out = OsString::from(flag);
    out.push(path);
    out
}

/// Runs `cleave cc ARGUMENTS`; the exit status for the caller to end with. Where CLEAVE_CC_NATIVE_ONLY is set, no
/// bitcode goes into executables: configure scripts then take half the time.
///
/// # Errors
/// [`ToolchainError`] where a tool or the C library is not there. Errors in the program are clang's to print.
pub fn cc(arguments: &[OsString]) -> Result<i32, ToolchainError> {
    let sysroot = Sysroot::find()?;
    if let Some(input) = c_plus_plus(arguments) {
        return Err(ToolchainError::CPlusPlus(input.into()));
    }
    if stops_before_link(arguments) {
        let mut command = clang(&sysroot);
        command.args(arguments);
        return run(command, CLANG);
    }
    let output = output_of(arguments);
    let status = run(native_command(&sysroot, arguments, &output), CLANG)?;
    if status != 0 {
        return Ok(status);
    }
    if std::env::var_os("CLEAVE_CC_NATIVE_ONLY").is_some() {
        return Ok(0); // a configure script's question
    }
    for object in native_objects(arguments) {
        eprintln!(
            "cleave cc: warning: `{}` has no bitcode: what calls its functions cannot be explored; compile it with \
             `cleave cc`",
            object.display()
        );
    }
    if let Err(error) = embed(&sysroot, arguments, &output) {
        // A native program is what a configure script asks for; it just cannot be explored.
        eprintln!("cleave cc: warning: `{}` has no bitcode inside: {error}", output.display());
    }
    Ok(0)
}

fn embed(sysroot: &Sysroot, arguments: &[OsString], executable: &Path) -> Result<(), ToolchainError> {
    let scratch = scratch_directory()?;
    let bitcode = scratch.path().join("program.bc");
    let mut link = bitcode_command(sysroot, arguments, &bitcode);
    let result = link.output().map_err(|source| ToolchainError::NoTool { tool: CLANG, source })?;
    if !result.status.success() {
        let messages = String::from_utf8_lossy(&result.stderr);
        let first = messages.lines().next().unwrap_or("the linker gave no reason");
        return Err(ToolchainError::Failed(format!("its bitcode ({first})")));
    }
    let mut copy = Command::new(OBJCOPY);
    copy.arg(format!("--remove-section={SECTION}"));
    copy.arg(joined(&format!("--add-section={SECTION}="), &bitcode)).arg(executable);
    match run(copy, OBJCOPY)? {
        0 => Ok(()),
        _ => Err(ToolchainError::Failed(format!("`{}`", executable.display()))),
    }
}

fn scratch_directory() -> Result<tempfile::TempDir, ToolchainError> {
    tempfile::tempdir().map_err(|source| ToolchainError::File { path: std::env::temp_dir(), source })
}

/// Sources are compiled as they are written: with line information and without optimisation.
fn arguments_for(inputs: &[PathBuf], flags: &[OsString]) -> Vec<OsString> {
    flags.iter().cloned().chain(inputs.iter().map(|p| p.as_os_str().to_os_string())).collect()
}

fn described(inputs: &[PathBuf]) -> String {
    let names: Vec<_> = inputs.iter().map(|p| format!("`{}`", p.display())).collect();
    names.join(", ")
}

/// Compiles C and links it, or .bc and .ll files, with the C library and the start-up code: one bitcode module.
///
/// # Errors
/// [`ToolchainError`] where a tool or the C library is not there, or the inputs have errors, which clang has
/// printed.
pub fn link_bitcode(inputs: &[PathBuf], flags: &[OsString], output: &Path) -> Result<(), ToolchainError> {
    let sysroot = Sysroot::find()?;
    let arguments = arguments_for(inputs, flags);
    match run(bitcode_command(&sysroot, &arguments, output), CLANG)? {
        0 => Ok(()),
        _ => Err(ToolchainError::Failed(described(inputs))),
    }
}

/// Compiles and links the same inputs natively, for replay.
///
/// # Errors
/// As [`link_bitcode`].
pub fn build_native(inputs: &[PathBuf], flags: &[OsString], output: &Path) -> Result<(), ToolchainError> {
    let sysroot = Sysroot::find()?;
    let arguments = arguments_for(inputs, flags);
    match run(native_command(&sysroot, &arguments, output), CLANG)? {
        0 => Ok(()),
        _ => Err(ToolchainError::Failed(described(inputs))),
    }
}
