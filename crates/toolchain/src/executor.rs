//! Executors: a program's bitcode, compiled with AddressSanitizer's instrumentation and a counter for each edge, and linked with
//! runtime/executor/executor.c, which executes it again and again on inputs that it is given.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::ToolchainError;
use crate::cc::{LINKER, scratch_directory};
use crate::sysroot::{CLANG, Sysroot};

/// Time between two looks at a tool that runs.
const LOOK: Duration = Duration::from_millis(20);

/// Makes the executor of a program for x86-64 while `goes_on`. `bitcode` is a module with the C library in it, as [`crate::link_bitcode`] and
/// [`crate::extract_bitcode`] give it. The file is there when it is whole. Nothing is printed.
///
/// # Errors
/// [`ToolchainError`] where a tool or the C library is not there, the module cannot be compiled, or nobody wants it any more.
pub fn build_executor(
    bitcode: &[u8],
    executor: &Path,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), ToolchainError> {
    let sysroot = Sysroot::find()?;
    let runtime = sysroot.lib("executor.o");
    if !runtime.exists() {
        return Err(ToolchainError::NoSysroot(format!("there is no {}", runtime.display())));
    }
    let scratch = scratch_directory()?;
    let [module, object, linked] =
        ["program.bc", "program.o", "executor"].map(|name| scratch.path().join(name));
    let file_error = |source| ToolchainError::File { path: executor.to_path_buf(), source };
    std::fs::write(&module, bitcode).map_err(file_error)?;
    let mut compile = Command::new(CLANG);
    compile.args(["--target=x86_64-linux-musl", "-x", "ir", "-O1", "-w", "-c"]);
    compile.args(["-mllvm", "-force-attribute=sanitize_address", "-fsanitize=address"]);
    compile.args([
        "-fsanitize-coverage=inline-8bit-counters,trace-cmp",
        "-fsanitize-address-use-after-return=never",
    ]);
    compile.args(["-fno-pic", "-fno-omit-frame-pointer", "-fno-stack-protector"]);
    quietly(compile.arg(&module).arg("-o").arg(&object), CLANG, goes_on)?;
    let mut link = Command::new(LINKER);
    link.args(["-static", "--gc-sections", "-z", "nostart-stop-gc", "--unresolved-symbols=ignore-all"]);
    link.arg(runtime).arg(&object).arg(sysroot.musl().join("libc.a")).arg(sysroot.builtins());
    quietly(link.arg("-o").arg(&linked), LINKER, goes_on)?;
    // Another file system may be the run's: the file is whole when it has its name.
    let beside = executor.with_extension("new");
    std::fs::copy(&linked, &beside).and_then(|_| std::fs::rename(&beside, executor)).map_err(file_error)
}

/// Runs a tool without its messages; ends it when nobody wants its result any more.
fn quietly(
    command: &mut Command,
    tool: &'static str,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), ToolchainError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let no_tool = |source| ToolchainError::NoTool { tool, source };
    let mut child = command.spawn().map_err(no_tool)?;
    loop {
        if let Some(status) = child.try_wait().map_err(no_tool)? {
            let failed = || ToolchainError::Failed("the native executor".into());
            return status.success().then_some(()).ok_or_else(failed);
        }
        if !goes_on() {
            // It has ended by itself, or ends now.
            let _ = child.kill();
            let _ = child.wait();
            return Err(ToolchainError::Failed("the native executor".into()));
        }
        std::thread::sleep(LOOK);
    }
}
