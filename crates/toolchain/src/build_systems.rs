//! What build systems other than autoconf's want to know: LLVM's archiver and its kin, and files that name the tools.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::ToolchainError;

/// A tool that reads bitcode, in the place of Debian's that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `ar`.
    Ar,
    /// `ranlib`.
    Ranlib,
    /// `nm`.
    Nm,
}

impl Tool {
    /// The tool of a name.
    pub fn named(name: &str) -> Option<Tool> {
        Some(match name {
            "ar" => Tool::Ar,
            "ranlib" => Tool::Ranlib,
            "nm" => Tool::Nm,
            _ => return None,
        })
    }

    fn program(self) -> &'static str {
        match self {
            Tool::Ar => "llvm-ar-19",
            Tool::Ranlib => "llvm-ranlib-19",
            Tool::Nm => "llvm-nm-19",
        }
    }

    /// Becomes the tool, with these arguments; comes back only if that fails.
    pub fn become_it(self, arguments: &[OsString]) -> ToolchainError {
        let tool = self.program();
        ToolchainError::NoTool { tool, source: Command::new(tool).args(arguments).exec() }
    }
}

/// A toolchain file for CMake. Libraries are static, and none of the host's is found.
pub fn cmake_toolchain(cleave: &Path) -> String {
    format!(
        "# For `cmake --toolchain FILE`, written by `cleave toolchain cmake`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER [==[{cleave}]==] cc)
set(CMAKE_C_COMPILER_TARGET x86_64-linux-musl)
set(CMAKE_CXX_COMPILER [==[{cleave}]==] c++)
set(CMAKE_CXX_COMPILER_TARGET x86_64-linux-musl)
set(CMAKE_AR /usr/bin/llvm-ar-19 CACHE FILEPATH \"\")
set(CMAKE_RANLIB /usr/bin/llvm-ranlib-19 CACHE FILEPATH \"\")
set(CMAKE_NM /usr/bin/llvm-nm-19 CACHE FILEPATH \"\")
set(BUILD_SHARED_LIBS OFF CACHE BOOL \"\")
# Found are musl's libraries, and what was built for them and is named by CMAKE_PREFIX_PATH.
set(CMAKE_FIND_ROOT_PATH /usr/lib/x86_64-linux-musl ${{CMAKE_PREFIX_PATH}})
set(CMAKE_LIBRARY_PATH /usr/lib/x86_64-linux-musl)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
",
        cleave = cleave.display()
    )
}

/// A cross file for meson, likewise.
pub fn meson_cross(cleave: &Path) -> String {
    let quoted = cleave.display().to_string().replace('\\', "\\\\").replace('\'', "\\'");
    format!(
        "# For `meson setup --cross-file FILE`, written by `cleave toolchain meson`.
[binaries]
c = ['{quoted}', 'cc']
cpp = ['{quoted}', 'c++']
ar = ['{quoted}', 'ar']
ranlib = ['{quoted}', 'ranlib']
nm = ['{quoted}', 'nm']
strip = 'true'

[properties]
needs_exe_wrapper = false

[built-in options]
default_library = 'static'
b_staticpic = false
b_pie = false

[host_machine]
system = 'linux'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
"
    )
}
