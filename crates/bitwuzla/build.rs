//! Compiles Bitwuzla 0.8 with CaDiCaL 2.1.3 into one static library.
//!
//! Their sources are inside packages of the crate registry (see `sources/Cargo.toml`), which cargo unpacks into
//! the build folder; SymFPU's headers are Debian's `libsymfpu-dev`, and GMP, which is LGPL, is linked
//! dynamically from `libgmp-dev`. Whatever goes wrong is said in one sentence.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::Mutex;
use std::{env, fs, thread};

fn main() {
    for path in ["build.rs", "sources/Cargo.toml", "sources/Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    println!("cargo:rerun-if-env-changed=CXX");
    println!("cargo:rerun-if-env-changed=AR");
    if let Err(message) = build() {
        // cargo shows the output of a failed build script as it is
        eprintln!("{message}");
        exit(1);
    }
}

fn build() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("this is to be run by cargo, which sets OUT_DIR")?);
    need("g++", Path::new("/usr/bin/g++"), "g++", env::var_os("CXX").is_some())?;
    need(
        "the headers of SymFPU",
        Path::new("/usr/include/symfpu/core/unpackedFloat.h"),
        "libsymfpu-dev",
        false,
    )?;
    let gmp =
        ["/usr/include/gmp.h", "/usr/include/x86_64-linux-gnu/gmp.h", "/usr/include/aarch64-linux-gnu/gmp.h"];
    let gmp = gmp.iter().map(Path::new).find(|p| p.exists()).unwrap_or(Path::new(gmp[0]));
    need("the headers of GMP", gmp, "libgmp-dev", false)?;

    let libraries = shared_folder(&out)?;
    if !libraries.join("libbitwuzla.a").exists() || !libraries.join("libcadical.a").exists() {
        let vendor = out.join("vendor");
        unpack(&vendor)?;
        compile_all(&vendor, &out)?;
        for name in ["libbitwuzla.a", "libcadical.a"] {
            // a rename, so that nobody ever sees half a library
            let moved = fs::create_dir_all(&libraries)
                .and_then(|()| fs::rename(out.join(name), libraries.join(name)));
            moved.map_err(|e| {
                format!("Bitwuzla cannot be built: {} cannot be written: {e}.", libraries.display())
            })?;
        }
        // 50 MB that nobody needs any more. If it stays, no harm is done.
        let _ = fs::remove_dir_all(&vendor);
    }
    println!("cargo:rustc-link-search=native={}", libraries.display());
    // CaDiCaL behind Bitwuzla, as the linker takes from a library only what those before it left open.
    println!("cargo:rustc-link-lib=static=bitwuzla");
    println!("cargo:rustc-link-lib=static=cadical");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rustc-link-lib=dylib=gmp");
    Ok(())
}

/// Where the libraries are kept: beside the folders of all profiles, as cargo has several build folders for this crate
/// (profiles, clippy, tests, other features), and each would otherwise take two minutes. The name tells what they
/// were made from.
fn shared_folder(out: &Path) -> Result<PathBuf, String> {
    let lock = fs::read_to_string("sources/Cargo.lock")
        .map_err(|e| format!("Bitwuzla cannot be built: sources/Cargo.lock is unreadable: {e}."))?;
    let mut hasher = DefaultHasher::new();
    (include_str!("build.rs"), lock, env::var_os("CXX"), env::var_os("TARGET")).hash(&mut hasher);
    // OUT_DIR is <target>/<profile>/build/<package>/out
    let target = out.ancestors().nth(4).unwrap_or(out);
    Ok(target.join("native").join(format!("bitwuzla-0.8.0-{:016x}", hasher.finish())))
}

fn compile_all(vendor: &Path, out: &Path) -> Result<(), String> {
    let cadical = vendor.join("cadical-sys/cadical/src");
    let bitwuzla = vendor.join("bitwuzla-sys/bitwuzla");
    let config = out.join("config");
    write_config(&config, &bitwuzla)?;
    let mut files = Vec::new();
    sources(&bitwuzla.join("src"), &mut files)?;
    // The program, the Python interface and the readers of text formats are of no use here; only the printer
    // asks the reader of SMT-LIB what a symbol is.
    let left_out = [
        "main",
        "api/python",
        "api/c/parser.cpp",
        "api/cpp/parser.cpp",
        "parser/btor2",
        "parser/smt2/parser.cpp",
        "parser/smt2/symbol_table.cpp",
    ];
    files.retain(|f| !left_out.iter().any(|l| f.starts_with(bitwuzla.join("src").join(l))));
    let includes =
        [&config, &bitwuzla.join("include"), &bitwuzla.join("src"), &bitwuzla.join("src/lib"), &cadical];
    compile("bitwuzla", &files, &includes, &["HAVE_RUSAGE"], out)?;

    let mut files = Vec::new();
    sources(&cadical, &mut files)?;
    let left_out = ["cadical.cpp", "mobical.cpp", "ccadical.cpp", "ipasir.cpp"];
    files.retain(|f| !left_out.iter().any(|l| f.ends_with(l)));
    compile("cadical", &files, &[], &["NBUILD", "QUIET", "NUNLOCKED"], out)?;
    Ok(())
}

fn need(what: &str, path: &Path, package: &str, otherwise: bool) -> Result<(), String> {
    if otherwise || path.exists() {
        return Ok(());
    }
    Err(format!(
        "Bitwuzla cannot be built: {what} is missing ({} does not exist); install Debian's {package}, \
         or build without the feature `bitwuzla`.",
        path.display()
    ))
}

/// Has cargo put the packages' sources into `vendor`.
fn unpack(vendor: &Path) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new("sources/Cargo.toml");
    let output = Command::new(cargo)
        .args(["vendor", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .arg(vendor)
        .output()
        .map_err(|e| format!("Bitwuzla cannot be built: cargo does not start: {e}."))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "Bitwuzla cannot be built: cargo could not fetch its sources (is the network there?); build without \
         the feature `bitwuzla` to do without it. cargo said: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

/// All C++ files below a folder, in the order of their names.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |e| format!("Bitwuzla cannot be built: {} is unreadable: {e}.", folder.display());
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, into)?;
        } else if path.extension().is_some_and(|e| e == "cpp") {
            into.push(path);
        }
    }
    Ok(())
}

/// Compiles C++ files into a static library in `out`, as many at a time as cargo allows.
fn compile(
    name: &str,
    files: &[PathBuf],
    includes: &[&PathBuf],
    defines: &[&str],
    out: &Path,
) -> Result<(), String> {
    let objects = out.join(format!("{name}-objects"));
    // What an earlier, broken attempt left would end up in the library.
    let _ = fs::remove_dir_all(&objects);
    fs::create_dir_all(&objects).map_err(|e| failed(name, &e.to_string()))?;
    let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let jobs = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1usize).max(1);
    let next = Mutex::new(files.iter().enumerate());
    let one_after_another = || -> Result<(), String> {
        loop {
            let Some((i, file)) = next.lock().map_err(|_| failed(name, "a thread died"))?.next() else {
                return Ok(());
            };
            let mut command = Command::new(&compiler);
            // no debug information: with it the executable has 120 MB
            command.args(["-std=c++17", "-O2", "-fPIC", "-ffunction-sections", "-fdata-sections", "-w"]);
            command.arg("-DNDEBUG").args(defines.iter().map(|d| format!("-D{d}")));
            for folder in includes {
                command.arg("-I").arg(folder);
            }
            command.arg("-c").arg(file).arg("-o").arg(objects.join(format!("{i:03}.o")));
            run(name, &mut command)?;
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(one_after_another)).collect();
        threads.into_iter().try_for_each(|t| t.join().map_err(|_| failed(name, "a thread died"))?)
    })?;
    let library = out.join(format!("lib{name}.a"));
    let _ = fs::remove_file(&library);
    let archiver = env::var_os("AR").unwrap_or_else(|| "ar".into());
    let members = (0..files.len()).map(|i| objects.join(format!("{i:03}.o")));
    run(name, Command::new(archiver).arg("crs").arg(&library).args(members))?;
    let _ = fs::remove_dir_all(&objects);
    Ok(())
}

fn run(name: &str, command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| failed(name, &format!("{command:?} does not start: {e}")))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().take(10).collect();
    Err(failed(name, &first.join("\n")))
}

fn failed(name: &str, why: &str) -> String {
    format!(
        "The library {name} did not compile; install Debian's g++, libgmp-dev and libsymfpu-dev, or build \
         without the feature `bitwuzla`. The reason: {why}"
    )
}

/// The header that Bitwuzla's own build would write.
fn write_config(folder: &Path, bitwuzla: &Path) -> Result<(), String> {
    let license = fs::read_to_string(bitwuzla.join("COPYING")).unwrap_or_default();
    let text = format!(
        "#ifndef BZLA_CONFIG_H_INCLUDED\n#define BZLA_CONFIG_H_INCLUDED\nnamespace bzla::config {{\n\
         static constexpr bool is_debug_build = false;\n\
         static constexpr const char* git_id = \"\";\n\
         static constexpr const char* version = \"0.8.0\";\n\
         static constexpr const char* license = {license:?};\n\
         static constexpr const char* os = \"linux\";\n\
         static constexpr const char* cc = \"\";\n\
         static constexpr const char* cxx = \"\";\n\
         }}\n#endif\n"
    );
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join("config.h"), text));
    written.map_err(|e| format!("Bitwuzla cannot be built: {} cannot be written: {e}.", folder.display()))
}
