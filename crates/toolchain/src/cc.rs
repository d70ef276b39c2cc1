//! `cleave cc`: clang for static programs on musl. Objects are bitcode; a link makes the native executable from
//! them without optimising again, and links the same objects a second time as bitcode.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ToolchainError;
use crate::arguments::{Arguments, InputKind, Part, Stage};
use crate::bitcode::SECTION;
use crate::libraries::{ALWAYS_THERE, without_bitcode};
use crate::sysroot::Sysroot;

const CLANG: &str = "clang-19";
const LINKER: &str = "/usr/bin/ld.lld-19";
const OBJCOPY: &str = "llvm-objcopy-19";
const NM: &str = "llvm-nm-19";

/// For every compilation. Nothing is vectorised or contracted, so that the engine and the processor compute the
/// same. Functions like `sin` that set errno stay calls of the C library. Line information is for stack traces. Scopes of
/// variables are marked at `-O0` too; AddressSanitizer, which the flag is made for, is not asked for.
const COMPILE: [&str; 16] = [
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
    "-Xclang",
    "-fsanitize-address-use-after-scope",
];

/// Behind the flags of the user: an object is bitcode, whatever they say.
const LAST: [&str; 1] = ["-flto=full"];

/// The flag of checking builds: clang's checks, and nothing that an optimiser could drop before it was checked.
const CHECKED: &str = "--checked";
/// What it stands for. It goes behind everything else, so that no `-O` of a makefile undoes it.
const CHECKED_FLAGS: [&str; 2] = ["-O0", "-fsanitize=undefined"];
/// Behind `-fsanitize=...`: our runtime is linked, and the engine looks at the types of calls itself.
const SANITIZED_FLAGS: [&str; 2] = ["-fno-sanitize-link-runtime", "-fno-sanitize=function,vptr"];

/// The arguments with what our own flags stand for.
fn spelled_out(arguments: &[OsString]) -> Vec<OsString> {
    let mut all: Vec<OsString> = arguments.iter().filter(|a| *a != CHECKED).cloned().collect();
    if all.len() < arguments.len() {
        all.extend(CHECKED_FLAGS.map(OsString::from));
    }
    if all.iter().any(|a| a.as_encoded_bytes().starts_with(b"-fsanitize=")) {
        all.extend(SANITIZED_FLAGS.map(OsString::from));
    }
    all
}

/// What goes through our runtime natively: what allocates, which a test can let fail (see runtime/allocations.c), what executes
/// programs (runtime/execute.c), and what makes threads (runtime/threads.c).
const WRAPPED: [&str; 12] = [
    "__mmap",
    "malloc",
    "__libc_malloc",
    "calloc",
    "__libc_calloc",
    "realloc",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "execve",
    "fexecve",
    "__clone",
];

/// With headers and libraries of the sysroot, and none of the host's.
fn clang(sysroot: &Sysroot) -> Command {
    let mut command = Command::new(CLANG);
    command.arg(joined("--sysroot=", sysroot.path()));
    command.args(COMPILE).arg("-isystem").arg(sysroot.include());
    command.arg("-isystem").arg(sysroot.compiler_include());
    command
}

fn run(mut command: Command, tool: &'static str) -> Result<i32, ToolchainError> {
    let status = command.status().map_err(|source| ToolchainError::NoTool { tool, source })?;
    Ok(status.code().unwrap_or(1))
}

fn native_command(sysroot: &Sysroot, arguments: &[OsString], output: &Path) -> Command {
    let musl = sysroot.musl();
    let mut command = clang(sysroot);
    command.args(["-nostdlib", "-static", "-no-pie", "-Wl,--lto-O0", "-Wl,--gc-sections"]);
    command.arg(format!("--ld-path={LINKER}"));
    command.arg("-o").arg(output);
    command.args(WRAPPED.map(|name| format!("-Wl,--wrap={name}")));
    command.args([musl.join("crt1.o"), musl.join("crti.o")]);
    command.arg(joined("-L", musl));
    command.args(arguments).args(LAST);
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
    command.args(arguments).args(LAST);
    command.arg(sysroot.lib("libc.bc.a"));
    command
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut out = OsString::from(flag);
    out.push(path);
    out
}

/// Flags of a link that make no sense for a static program, or for bitcode.
const LEFT_OUT: [&str; 7] = ["-static", "-static-pie", "-pie", "-no-pie", "-rdynamic", "-s", "-v"];

/// Where clang would put the dependencies that it writes beside a compilation, and what depends on them.
fn dependencies(arguments: &Arguments, source: &Path) -> Vec<OsString> {
    if !arguments.flags().any(|f| f == "-MD" || f == "-MMD") {
        return Vec::new();
    }
    let stem = PathBuf::from(source.file_stem().unwrap_or_default());
    let target = arguments.output().map_or_else(|| stem.with_extension("o"), Path::to_path_buf);
    let file = arguments.output().map_or(stem, Path::to_path_buf).with_extension("d");
    let has = |name| arguments.words.iter().any(|w| w.as_encoded_bytes().starts_with(name));
    let mut out: Vec<OsString> = Vec::new();
    if !has(b"-MF") {
        out.extend(["-MF".into(), file.into()]);
    }
    if !has(b"-MT") && !has(b"-MQ") {
        out.extend(["-MQ".into(), target.into()]);
    }
    out
}

/// Compiles the sources of a link, each once, and gives the words of the link: objects in the places of sources. Where
/// clang finds errors, its status.
fn compiled(
    sysroot: &Sysroot,
    arguments: &Arguments,
    scratch: &Path,
) -> Result<Result<Vec<OsString>, i32>, ToolchainError> {
    let flags: Vec<&OsString> = arguments
        .parts
        .iter()
        .filter_map(|part| if let Part::Flag(words) = part { Some(words) } else { None })
        .flatten()
        .collect();
    let (mut words, mut failed, mut language) = (Vec::new(), 0, None);
    for (n, part) in arguments.parts.iter().enumerate() {
        match part {
            Part::Output(_) => {}
            Part::Language(named) => language = Some(named),
            Part::Library(name) if ALWAYS_THERE.iter().any(|l| name == l) => {}
            Part::Library(name) => words.push(joined("-l", Path::new(name))),
            Part::Directory(path) => words.push(joined("-L", path)),
            Part::Flag(flag) if flag.len() == 1 && LEFT_OUT.iter().any(|f| &flag[0] == f) => {}
            Part::Flag(flag) => words.extend(flag.iter().cloned()),
            Part::Input(path, InputKind::Object) => words.push(path.into()),
            Part::Input(path, _) => {
                let folder = scratch.join(n.to_string());
                std::fs::create_dir(&folder)
                    .map_err(|source| ToolchainError::File { path: folder.clone(), source })?;
                let object = folder.join(path.file_stem().unwrap_or_default()).with_extension("o");
                let mut command = clang(sysroot);
                command.arg("-c").args(&flags).args(dependencies(arguments, path)).args(LAST);
                command.arg("-o").arg(&object);
                if let Some(named) = language {
                    command.arg("-x").arg(named);
                }
                command.arg(path);
                failed = failed.max(run(command, CLANG)?);
                words.push(object.into());
            }
        }
    }
    Ok(if failed == 0 { Ok(words) } else { Err(failed) })
}

/// Runs `cleave cc ARGUMENTS`; the exit status for the caller to end with. `is_builtin` says which functions the engine
/// has itself. Where CLEAVE_CC_NATIVE_ONLY is set, no bitcode goes into executables: configure scripts then take half
/// the time.
///
/// # Errors
/// [`ToolchainError`] where a tool, the C library or a library of the link is not there, or an input is of a kind that
/// cannot be explored. Errors in the program are clang's to print.
pub fn cc(arguments: &[OsString], is_builtin: &dyn Fn(&str) -> bool) -> Result<i32, ToolchainError> {
    let arguments = &spelled_out(arguments)[..];
    let sysroot = Sysroot::find()?;
    let arguments = Arguments::read(arguments);
    let native_only = std::env::var_os("CLEAVE_CC_NATIVE_ONLY").is_some();
    let stage = arguments.stage();
    arguments.check(stage, native_only)?;
    if stage == Stage::Link {
        return link(&sysroot, &arguments, native_only, is_builtin);
    }
    let mut command = clang(&sysroot);
    command.args(&arguments.words).args(LAST);
    run(command, CLANG)
}

/// The native executable, and its bitcode inside.
fn link(
    sysroot: &Sysroot,
    arguments: &Arguments,
    native_only: bool,
    is_builtin: &dyn Fn(&str) -> bool,
) -> Result<i32, ToolchainError> {
    let output = arguments.output().unwrap_or(Path::new("a.out"));
    if arguments.flags().any(|f| f == "-###") {
        return run(native_command(sysroot, &arguments.words, output), CLANG);
    }
    let without = without_bitcode(sysroot, arguments)?;
    let scratch = scratch_directory()?;
    let words = match compiled(sysroot, arguments, scratch.path())? {
        Ok(words) => words,
        Err(status) => return Ok(status),
    };
    if arguments.flags().any(|f| f == "-r") {
        return run(merge_command(sysroot, &words, output), CLANG);
    }
    let warn = |what: String| eprintln!("cleave cc: warning: {what}");
    if !native_only {
        without.into_iter().for_each(warn);
    }
    let mut native = native_command(sysroot, &words, output);
    if arguments.flags().any(|f| f == "-v") {
        native.arg("-v");
    }
    let status = run(native, CLANG)?;
    if status != 0 || native_only {
        return Ok(status); // only native: a configure script's question
    }
    let bitcode = scratch.path().join("program.bc");
    match embed(sysroot, &words, &bitcode, output) {
        Ok(()) => told_undefined(&undefined(&bitcode, is_builtin)?).into_iter().for_each(warn),
        // A native program is what a configure script asks for; it just cannot be explored.
        Err(error) => warn(format!("`{}` has no bitcode inside: {error}", output.display())),
    }
    Ok(0)
}

/// `-r`: several objects become one, of bitcode too.
fn merge_command(sysroot: &Sysroot, words: &[OsString], output: &Path) -> Command {
    let mut command = clang(sysroot);
    command.args(["-nostdlib", "-Wl,--lto-O0", "-Wl,--lto-emit-llvm"]).arg(format!("--ld-path={LINKER}"));
    command.arg("-o").arg(output).args(words).args(LAST);
    command
}

/// The names that linked bitcode uses, that it does not define, and that the engine has not: a path that calls one ends
/// there.
///
/// # Errors
/// [`ToolchainError::NoTool`] where LLVM's `nm` does not start.
pub fn undefined(bitcode: &Path, is_builtin: &dyn Fn(&str) -> bool) -> Result<Vec<String>, ToolchainError> {
    // The engine's, and what the C library's own code for threads and signals refers to.
    const KNOWN: [&str; 6] = [
        "cleave_run_constructors",
        "cleave_run_destructors",
        "__clone",
        "__restore_rt",
        "__pthread_create",
        "__pthread_exit",
    ];
    let mut command = Command::new(NM);
    command.args(["--undefined-only", "--format=posix"]).arg(bitcode);
    let out = command.output().map_err(|source| ToolchainError::NoTool { tool: NM, source })?;
    let text = String::from_utf8_lossy(&out.stdout);
    let fields = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let names = fields.filter(|f| f.get(1) == Some(&"U")).map(|f| f[0]);
    Ok(names.filter(|name| !KNOWN.contains(name) && !is_builtin(name)).map(str::to_owned).collect())
}

/// One sentence for names that are undefined.
pub fn told_undefined(names: &[String]) -> Option<String> {
    const SHOWN: usize = 8;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!names.is_empty()).then(|| {
        format!("no bitcode defines {}{more}: a path that gets there ends as unsupported", shown.join(", "))
    })
}

fn embed(
    sysroot: &Sysroot,
    words: &[OsString],
    bitcode: &Path,
    executable: &Path,
) -> Result<(), ToolchainError> {
    let mut link = bitcode_command(sysroot, words, bitcode);
    let result = link.output().map_err(|source| ToolchainError::NoTool { tool: CLANG, source })?;
    if !result.status.success() {
        let messages = String::from_utf8_lossy(&result.stderr);
        let first = messages.lines().next().unwrap_or("the linker gave no reason");
        return Err(ToolchainError::Failed(format!("its bitcode ({first})")));
    }
    let mut copy = Command::new(OBJCOPY);
    copy.arg(format!("--remove-section={SECTION}"));
    copy.arg(joined(&format!("--add-section={SECTION}="), bitcode)).arg(executable);
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
