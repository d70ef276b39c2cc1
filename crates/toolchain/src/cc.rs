//! `cleave cc` and `cleave c++`: clang for static programs on musl. Objects are bitcode; a link makes the native executable from
//! them without optimising again, and links the same objects a second time as bitcode.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::ToolchainError;
use crate::arguments::{Arguments, InputKind, Part, Stage};
use crate::atomic_functions::kept_apart;
use crate::bitcode::SECTION;
use crate::language::{Language, lacks_cxx, source_language};
use crate::libraries::{is_always_there, without_bitcode};
use crate::rust;
use crate::sysroot::{CLANG, Sysroot, run};

const CLANG_CXX: &str = "clang++-19";
pub(crate) const LINKER: &str = "/usr/bin/ld.lld-19";
const OBJCOPY: &str = "llvm-objcopy-19";
const NM: &str = "llvm-nm-19";

/// For every compilation. Nothing is vectorised or contracted, so that the engine and the processor compute the
/// same. Functions like `sin` that set errno stay calls of the C library. Line information is for stack traces. Scopes of
/// variables are marked at `-O0` too; AddressSanitizer, which the flag is made for, is not asked for.
const COMPILE: [&str; 15] = [
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

/// Checking builds of C++ check the library's preconditions too.
const HARDENED_FLAG: &str = "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE";

/// Sanitizers that stand for a driver of fuzz targets, which every link has (runtime/fuzz_native.c), and for its counters.
const OF_FUZZERS: [&str; 2] = ["fuzzer", "fuzzer-no-link"];
/// Sanitizers whose runtime is not there, and need not be: the engine finds what they find.
const OF_ENGINE: [&str; 6] = ["address", "hwaddress", "kernel-address", "leak", "memory", "thread"];

/// A flag without the sanitizers that are left out of it, and which of these the user should hear of; no flag where nothing
/// is left of it.
fn without_runtimes(flag: &OsString) -> (Option<OsString>, Vec<String>) {
    let text = flag.to_str().unwrap_or("");
    if text.starts_with("-fsanitize-coverage") {
        return (None, Vec::new());
    }
    let Some(list) = text.strip_prefix("-fsanitize=") else { return (Some(flag.clone()), Vec::new()) };
    let (of_engine, kept): (Vec<&str>, Vec<&str>) =
        list.split(',').filter(|name| !OF_FUZZERS.contains(name)).partition(|name| OF_ENGINE.contains(name));
    let kept = (!kept.is_empty()).then(|| format!("-fsanitize={}", kept.join(",")).into());
    (kept, of_engine.into_iter().map(String::from).collect())
}

/// The arguments with what our own flags stand for, and the sanitizers that were left out.
fn spelled_out(language: Language, arguments: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    for argument in arguments.iter().filter(|a| *a != CHECKED) {
        let (kept, without) = without_runtimes(argument);
        all.extend(kept);
        left_out.extend(without);
    }
    if arguments.iter().any(|a| a == CHECKED) {
        all.extend(CHECKED_FLAGS.map(OsString::from));
    }
    if all.iter().any(|a| a.as_encoded_bytes().starts_with(b"-fsanitize=")) {
        all.extend(SANITIZED_FLAGS.map(OsString::from));
        let says_itself = all.iter().any(|a| a.as_encoded_bytes().starts_with(b"-D_LIBCPP_HARDENING_MODE"));
        if language == Language::Cxx && !says_itself {
            all.push(HARDENED_FLAG.into());
        }
    }
    (all, left_out)
}

/// Functions that go through our runtime natively: those that allocate, which a test can let fail (see
/// runtime/allocations.c), execute programs (runtime/execute.c), and make threads (runtime/threads.c).
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
    let mut command = Command::new(match sysroot.language() {
        Language::C => CLANG,
        Language::Cxx | Language::Rust => CLANG_CXX,
    });
    command.arg(joined("--sysroot=", sysroot.path()));
    command.arg(format!("--target={}", sysroot.triple())).args(sysroot.processor()).args(COMPILE);
    for folder in sysroot.includes() {
        command.arg("-isystem").arg(folder);
    }
    command
}

fn native_command(sysroot: &Sysroot, arguments: &[OsString], output: &Path) -> Command {
    let musl = sysroot.musl();
    let mut command = clang(sysroot);
    command.args(["-nostdlib", "-static", "-no-pie", "-Wl,--lto-O0", "-Wl,--gc-sections"]);
    // A reference to `__start_NAME` keeps the section, as in a link without `--gc-sections`.
    command.arg("-Wl,-z,nostart-stop-gc");
    command.arg(format!("--ld-path={LINKER}"));
    command.arg("-o").arg(output);
    command.args(WRAPPED.map(|name| format!("-Wl,--wrap={name}")));
    command.args([musl.join("crt1.o"), musl.join("crti.o")]);
    command.arg(joined("-L", musl));
    command.args(arguments).args(LAST);
    command.arg("-Wl,--start-group");
    if sysroot.language() == Language::Cxx {
        command.args(["-Wl,--eh-frame-hdr".into(), sysroot.lib("libc++-native.a").into_os_string()]);
    }
    command.args([sysroot.lib("libcleave-native.a"), musl.join("libc.a")]);
    command.arg(sysroot.builtins()).args(sysroot.libgcc());
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
    // To the linker, as clang would compile a module once more.
    command.arg("-Xlinker").arg(sysroot.lib("start.bc"));
    command.args(arguments).args(LAST);
    if sysroot.language() == Language::Cxx {
        command.arg(sysroot.lib("libc++.bc.a"));
    }
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
            Part::Library(name) if is_always_there(sysroot.language(), name) => {}
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
                command
                    .arg("-c")
                    .args(&flags)
                    .args(dependencies(arguments, path))
                    .args(kept_apart(path))
                    .args(LAST);
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

/// Callbacks of the engine that links use.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Returns true if a name needs no bitcode that defines it: the engine has it, or the linker makes it.
    pub is_known: &'a dyn Fn(&str) -> bool,
    /// A name as people write it.
    pub shown: &'a dyn Fn(&str) -> String,
    /// A program's own bitcode with marks where its threads come to a point without the C library; nothing where there are none.
    pub with_points: &'a dyn Fn(&[u8]) -> Option<Vec<u8>>,
    /// A module of rustc whose `main` gives way to the one that explores proofs; nothing where there are none.
    pub with_proofs: &'a dyn Fn(&[u8]) -> Option<Vec<u8>>,
}

/// Runs `cleave cc ARGUMENTS`, or `cleave c++ ARGUMENTS`; the exit status for the caller to end with. Where CLEAVE_CC_NATIVE_ONLY is set, no bitcode
/// goes into executables: configure scripts then take half the time.
///
/// # Errors
/// [`ToolchainError`] where a tool, the C library or a library of the link is not there, or an input is of a kind that
/// cannot be explored. Errors in the program are clang's to print.
pub fn cc(language: Language, arguments: &[OsString], asked: Asked<'_>) -> Result<i32, ToolchainError> {
    let (arguments, left_out) = spelled_out(language, arguments);
    let sysroot = Sysroot::find()?.for_language(language)?.for_flags(&arguments)?;
    let arguments = Arguments::read(&arguments);
    let native_only = std::env::var_os("CLEAVE_CC_NATIVE_ONLY").is_some();
    let stage = arguments.stage();
    arguments.check(language, stage, native_only)?;
    if stage == Stage::Link {
        for name in left_out {
            eprintln!("cleave: note: -fsanitize={name} is left out: Cleave looks for what it finds");
        }
        return link(&sysroot, &arguments, native_only, asked);
    }
    let mut command = clang(&sysroot);
    let sources = arguments.inputs().filter(|(_, kind)| *kind == InputKind::Source);
    command.args(sources.flat_map(|(source, _)| kept_apart(source))).args(&arguments.words).args(LAST);
    run(command, CLANG)
}

/// The native executable, and its bitcode inside.
fn link(
    sysroot: &Sysroot,
    arguments: &Arguments,
    native_only: bool,
    asked: Asked<'_>,
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
    let all_bitcode = without.is_empty();
    if !native_only {
        without.into_iter().for_each(warn);
    }
    if native_only {
        return run(told(native_command(sysroot, &words, output), arguments), CLANG); // a configure script's question
    }
    let bitcode = scratch.path().join("program.bc");
    let linked = linked(sysroot, &words, &bitcode);
    if all_bitcode && linked.as_ref().is_ok_and(Symbols::lacks_main) {
        return Err(ToolchainError::NoMain);
    }
    let words = match &linked {
        Ok(symbols) if symbols.has_threads => match with_points(sysroot, &words, scratch.path(), asked)? {
            Some(module) => {
                let others = words.into_iter().filter(|word| !is_bitcode(Path::new(word)));
                std::iter::once(module.into()).chain(others).collect()
            }
            None => words,
        },
        _ => words,
    };
    let status = run(told(native_command(sysroot, &words, output), arguments), CLANG)?;
    if status != 0 {
        return Ok(status);
    }
    match linked.and_then(|symbols| embed(&bitcode, output).map(|()| symbols)) {
        Ok(symbols) => {
            told_undefined(&symbols.undefined(asked.is_known), asked.shown).into_iter().for_each(warn)
        }
        // A native program is what a configure script asks for; it just cannot be explored.
        Err(error) => warn(format!("`{}` has no bitcode inside: {error}", output.display())),
    }
    Ok(0)
}

/// A link that tells what it does where that is wanted.
fn told(mut command: Command, arguments: &Arguments) -> Command {
    if arguments.flags().any(|f| f == "-v") {
        command.arg("-v");
    }
    command
}

/// One module of all bitcode that is linked, in which threads come to the points that the engine has in front of accesses. Nothing
/// where there is no such point, or the objects cannot be one.
fn with_points(
    sysroot: &Sysroot,
    words: &[OsString],
    scratch: &Path,
    asked: Asked<'_>,
) -> Result<Option<PathBuf>, ToolchainError> {
    // An object to clang, which does not compile it once more.
    let module = scratch.join("own.o");
    let mut merge = merge_command(sysroot, words, &module);
    let merged = merge.arg("-r").output().map_err(|source| ToolchainError::NoTool { tool: CLANG, source })?;
    let own = if merged.status.success() { std::fs::read(&module).ok() } else { None };
    let Some(marked) = own.and_then(|own| (asked.with_points)(&own)) else { return Ok(None) };
    std::fs::write(&module, marked)
        .map_err(|source| ToolchainError::File { path: module.clone(), source })?;
    Ok(Some(module))
}

/// Returns true if a file is a bitcode module.
fn is_bitcode(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"BC\xc0\xde"
}

/// `-r`: several objects become one, of bitcode too.
fn merge_command(sysroot: &Sysroot, words: &[OsString], output: &Path) -> Command {
    let mut command = clang(sysroot);
    command.args(["-nostdlib", "-Wl,--lto-O0", "-Wl,--lto-emit-llvm"]).arg(format!("--ld-path={LINKER}"));
    command.arg("-o").arg(output).args(words).args(LAST);
    command
}

/// What a fuzz target has in the place of `main`, and what the library's `main` for it calls (runtime/fuzz.c).
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";
const FUZZ_DRIVER: &str = "cleave_sized_input";

/// The names of linked bitcode.
pub struct Symbols {
    undefined: Vec<String>,
    /// It makes threads.
    has_threads: bool,
}

/// The names of linked bitcode while another process lists them. The file has to stay until they are there.
pub struct SymbolsToCome(Option<Child>);

impl SymbolsToCome {
    fn of(bitcode: &Path) -> Result<SymbolsToCome, ToolchainError> {
        let mut command = Command::new(NM);
        command.arg("--format=posix").arg(bitcode).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|source| ToolchainError::NoTool { tool: NM, source })?;
        Ok(SymbolsToCome(Some(child)))
    }

    /// The names.
    ///
    /// # Errors
    /// If they could not be listed.
    pub fn all(mut self) -> Result<Symbols, ToolchainError> {
        let listed = self.0.take().map(Child::wait_with_output).transpose();
        let out = listed.map_err(|source| ToolchainError::NoTool { tool: NM, source })?;
        let stdout = out.map(|out| out.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&stdout);
        let mut symbols = Symbols { undefined: Vec::new(), has_threads: false };
        for line in text.lines() {
            let mut fields = line.split(' ');
            match (fields.next(), fields.next()) {
                (Some(name), Some("U")) => symbols.undefined.push(name.into()),
                (Some("__pthread_create"), Some("T" | "t")) => symbols.has_threads = true,
                _ => {}
            }
        }
        Ok(symbols)
    }
}

impl Drop for SymbolsToCome {
    fn drop(&mut self) {
        // Nobody wants the names: it ends by itself, or now.
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Symbols {
    fn of(bitcode: &Path) -> Result<Symbols, ToolchainError> {
        SymbolsToCome::of(bitcode)?.all()
    }

    /// The `main` of fuzz targets came out of the library, and the program is none.
    fn lacks_main(&self) -> bool {
        self.undefined.iter().any(|name| name == FUZZ_TARGET)
            && self.undefined.iter().any(|name| name == FUZZ_DRIVER)
    }

    /// The names that it uses, that it does not define, and that nobody knows: a path that calls or accesses one ends there.
    pub fn undefined(mut self, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
        if self.lacks_main() {
            self.undefined
                .iter_mut()
                .filter(|name| *name == FUZZ_TARGET)
                .for_each(|name| *name = "main".into());
        }
        // The engine's, and what the C library's own code for threads and signals refers to.
        const KNOWN: [&str; 7] = [
            "_GLOBAL_OFFSET_TABLE_",
            "cleave_run_constructors",
            "cleave_run_destructors",
            "__clone",
            "__restore_rt",
            "__pthread_create",
            "__pthread_exit",
        ];
        // What stands behind our own functions with times, where the C library's headers rename these.
        let guarded = |name: &str| name.starts_with("__musl_");
        let unknown = |name: &String| !KNOWN.contains(&name.as_str()) && !is_known(name) && !guarded(name);
        self.undefined.into_iter().filter(unknown).collect()
    }
}

/// One sentence for names that are undefined, each as `as_written` has it.
pub fn told_undefined(names: &[String], as_written: &dyn Fn(&str) -> String) -> Option<String> {
    const SHOWN: usize = 8;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{}`", as_written(name))).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!names.is_empty()).then(|| {
        format!("no bitcode defines {}{more}: a path that gets there ends as unsupported", shown.join(", "))
    })
}

/// Links the bitcode of a program.
fn linked(sysroot: &Sysroot, words: &[OsString], bitcode: &Path) -> Result<Symbols, ToolchainError> {
    let mut link = bitcode_command(sysroot, words, bitcode);
    let result = link.output().map_err(|source| ToolchainError::NoTool { tool: CLANG, source })?;
    if !result.status.success() {
        let messages = String::from_utf8_lossy(&result.stderr);
        let first = messages.lines().next().unwrap_or("the linker gave no reason");
        return Err(ToolchainError::Failed(format!("its bitcode ({first})")));
    }
    Symbols::of(bitcode)
}

/// Puts bitcode into an executable.
fn embed(bitcode: &Path, executable: &Path) -> Result<(), ToolchainError> {
    let mut copy = Command::new(OBJCOPY);
    copy.arg(format!("--remove-section={SECTION}"));
    copy.arg(joined(&format!("--add-section={SECTION}="), bitcode)).arg(executable);
    match run(copy, OBJCOPY)? {
        0 => Ok(()),
        _ => Err(ToolchainError::Failed(format!("`{}`", executable.display()))),
    }
}

pub(crate) fn scratch_directory() -> Result<tempfile::TempDir, ToolchainError> {
    tempfile::tempdir().map_err(|source| ToolchainError::File { path: std::env::temp_dir(), source })
}

/// Flags and inputs, with what our own flags stand for. Sources in Rust are compiled, into `folder`: clang gets modules, which another
/// clang's target stands in.
fn arguments_for(
    sysroot: &Sysroot,
    language: Language,
    inputs: &[PathBuf],
    flags: &[OsString],
    folder: &Path,
) -> Result<Vec<OsString>, ToolchainError> {
    if language == Language::Rust {
        let modules = rust::without_rust(sysroot, inputs, flags, folder)?;
        return Ok(rust::words(sysroot, &modules));
    }
    let words = named(language, inputs);
    let apart = inputs.iter().flat_map(|source| kept_apart(source));
    Ok(spelled_out(language, flags).0.into_iter().chain(apart).chain(words).collect())
}

/// Inputs as words of a link, each in its own language: clang for C++ takes C for C++ where nobody says what it is.
pub fn named(language: Language, inputs: &[PathBuf]) -> Vec<OsString> {
    let is_c = |input: &PathBuf| language == Language::Cxx && source_language(input) == Some(Language::C);
    let words = |input: &PathBuf| match is_c(input) {
        true => vec!["-x".into(), "c".into(), input.into(), "-x".into(), "none".into()],
        false => vec![input.into()],
    };
    inputs.iter().flat_map(words).collect()
}

/// Links a module that rustc has made.
pub(crate) fn link_module(
    sysroot: &Sysroot,
    module: &Path,
    output: &Path,
    asked: Asked<'_>,
) -> Result<i32, ToolchainError> {
    let file_error = |source| ToolchainError::File { path: module.to_path_buf(), source };
    let proofs = (asked.with_proofs)(&std::fs::read(module).map_err(file_error)?);
    if let Some(changed) = &proofs {
        std::fs::write(module, changed).map_err(file_error)?;
    }
    let mut modules = vec![rust::object(module)?];
    modules.extend(proofs.map(|_| sysroot.rust().join(rust::MAIN)));
    let mut words = rust::words(sysroot, &modules);
    words.extend(["-o".into(), output.into()]);
    link(sysroot, &Arguments::read(&words), false, asked)
}

fn described(inputs: &[PathBuf]) -> String {
    let names: Vec<_> = inputs.iter().map(|p| format!("`{}`", p.display())).collect();
    names.join(", ")
}

/// Compiles C and links it, or .bc and .ll files, with the C library and the start-up code: one bitcode module, whose names
/// are listed meanwhile.
///
/// # Errors
/// [`ToolchainError`] where a tool or the C library is not there, or the inputs have errors, which clang has
/// printed.
pub fn link_bitcode(
    inputs: &[PathBuf],
    flags: &[OsString],
    output: &Path,
) -> Result<SymbolsToCome, ToolchainError> {
    let language = language_of(inputs);
    let sysroot = Sysroot::find()?.for_language(language)?.for_flags(flags)?;
    let scratch = scratch_directory()?;
    let arguments = arguments_for(&sysroot, language, inputs, flags, scratch.path())?;
    let link = |sysroot: &Sysroot| match run(bitcode_command(sysroot, &arguments, output), CLANG)? {
        0 => Ok(()),
        _ => Err(ToolchainError::Failed(described(inputs))),
    };
    link(&sysroot)?;
    // A module does not say by its name that it was C++.
    let says = inputs.iter().all(|input| source_language(input).is_some());
    if sysroot.language() == Language::C && !says && lacks_cxx(&Symbols::of(output)?.undefined) {
        link(&sysroot.for_language(Language::Cxx)?)?;
    }
    SymbolsToCome::of(output)
}

/// The functions that a source defines for others, in the order of their addresses.
///
/// # Errors
/// [`ToolchainError`] where a tool or the C library is not there, or the source has errors, which clang has printed.
pub fn defined_functions(source: &Path, flags: &[OsString]) -> Result<Vec<String>, ToolchainError> {
    let scratch = scratch_directory()?;
    let object = scratch.path().join("object.o");
    translated(source, flags, &["-c"], &object)?;
    let mut command = Command::new(NM);
    command.args(["--format=posix", "--defined-only", "--extern-only", "--no-sort"]).arg(&object);
    let out = command.output().map_err(|source| ToolchainError::NoTool { tool: NM, source })?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let function = |line: &str| {
        let mut fields = line.split(' ');
        let name = fields.next()?;
        (fields.next()? == "T" && name != "main").then(|| name.to_string())
    };
    Ok(text.lines().filter_map(function).collect())
}

/// Pairs of a function that a source in C defines, and one that it names, in a call or otherwise. Intrinsic functions of clang are
/// among the latter.
///
/// # Errors
/// As [`defined_functions`].
pub fn named_functions(source: &Path, flags: &[OsString]) -> Result<Vec<(String, String)>, ToolchainError> {
    let scratch = scratch_directory()?;
    let module = scratch.path().join("module.ll");
    translated(source, flags, &["-S", "-emit-llvm"], &module)?;
    let text = std::fs::read(&module).map_err(|source| ToolchainError::NoTool { tool: CLANG, source })?;
    Ok(named_in(&String::from_utf8_lossy(&text)))
}

/// Pairs of a function that a module in text defines, and one that it names.
fn named_in(module: &str) -> Vec<(String, String)> {
    let name_of = |text: &str| {
        let end =
            text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c))).unwrap_or(text.len());
        text[..end].to_string()
    };
    let mut pairs = Vec::new();
    let mut within: Option<String> = None;
    for line in module.lines() {
        let mut names = line.split('@').skip(1).map(name_of);
        if line.starts_with("define ") {
            within = names.next();
        } else if line == "}" {
            within = None;
        } else if let Some(function) = &within {
            pairs.extend(names.map(|name| (function.clone(), name)));
        }
    }
    pairs
}

/// Compiles a source in a form of clang's.
fn translated(source: &Path, flags: &[OsString], form: &[&str], output: &Path) -> Result<(), ToolchainError> {
    let language = source_language(source).unwrap_or(Language::C);
    let sysroot = Sysroot::find()?.for_language(language)?.for_flags(flags)?;
    let mut command = clang(&sysroot);
    command
        .args(spelled_out(sysroot.language(), flags).0)
        .arg("-w")
        .args(form)
        .arg(source)
        .arg("-o")
        .arg(output);
    if run(command, CLANG)? != 0 {
        return Err(ToolchainError::Failed(described(&[source.to_path_buf()])));
    }
    Ok(())
}

/// Clang's syntax tree of the declarations in a source whose names contain `name`: a JSON object for each, one after the other.
///
/// # Errors
/// [`ToolchainError`] where a tool or the C library is not there, or the source has errors, which clang has printed.
pub fn declarations(source: &Path, flags: &[OsString], name: &str) -> Result<String, ToolchainError> {
    let language = source_language(source).unwrap_or(Language::C);
    let sysroot = Sysroot::find()?.for_language(language)?.for_flags(flags)?;
    let mut command = clang(&sysroot);
    command.args(spelled_out(language, flags).0).args(["-w", "-fsyntax-only"]).arg(source);
    command.args(["-Xclang", "-ast-dump=json", "-Xclang"]).arg(format!("-ast-dump-filter={name}"));
    command.stderr(Stdio::inherit());
    let out = command.output().map_err(|source| ToolchainError::NoTool { tool: CLANG, source })?;
    if !out.status.success() {
        return Err(ToolchainError::Failed(described(&[source.to_path_buf()])));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// The language that inputs are linked in: that of one which needs most.
pub fn language_of(inputs: &[PathBuf]) -> Language {
    let has = |language| inputs.iter().any(|input| source_language(input) == Some(language));
    let found = [Language::Rust, Language::Cxx].into_iter().find(|&language| has(language));
    found.unwrap_or(Language::C)
}

/// Compiles and links the same inputs natively, for replay.
///
/// # Errors
/// As [`link_bitcode`].
pub fn build_native(
    inputs: &[PathBuf],
    flags: &[OsString],
    output: &Path,
    asked: Asked<'_>,
) -> Result<(), ToolchainError> {
    let language = language_of(inputs);
    let mut sysroot = Sysroot::find()?.for_language(language)?.for_flags(flags)?;
    let scratch = scratch_directory()?;
    let mut arguments = arguments_for(&sysroot, language, inputs, flags, scratch.path())?;
    let bitcode = scratch.path().join("program.bc");
    let mut symbols = linked(&sysroot, &arguments, &bitcode);
    if sysroot.language() == Language::C && symbols.as_ref().is_ok_and(|known| lacks_cxx(&known.undefined)) {
        sysroot = sysroot.for_language(Language::Cxx)?;
        symbols = linked(&sysroot, &arguments, &bitcode);
    }
    if symbols.is_ok_and(|symbols| symbols.has_threads)
        && let Some(module) = with_points(&sysroot, &arguments, scratch.path(), asked)?
    {
        arguments = arguments_for(&sysroot, language, &[module], flags, scratch.path())?;
    }
    match run(native_command(&sysroot, &arguments, output), CLANG)? {
        0 => Ok(()),
        _ => Err(ToolchainError::Failed(described(inputs))),
    }
}
