//! The arguments of a compiler, read as clang reads them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::ToolchainError;
use crate::language::{Language, is_cxx};

/// Kind of an input, by `-x` or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// C, C that was preprocessed, or LLVM's IR: compiled to bitcode.
    Source,
    /// C++.
    CPlusPlus,
    /// Assembly, preprocessed or not.
    Assembly,
    /// Input of the linker: objects, archives, scripts.
    Object,
}

/// One argument, with its value where that is an argument of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `-o`.
    Output(PathBuf),
    /// A file, or `-`.
    Input(PathBuf, InputKind),
    /// `-l`.
    Library(OsString),
    /// `-L`.
    Directory(PathBuf),
    /// `-x`.
    Language(OsString),
    /// Anything else.
    Flag(Vec<OsString>),
}

/// Stage after which clang stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It is to say something.
    Answer,
    /// `-E`, `-M`, `-MM`.
    Preprocess,
    /// `-c`, `-S`, `-fsyntax-only`.
    Compile,
    /// To the executable.
    Link,
}

/// All arguments.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// As given, response files replaced by what is in them.
    pub(crate) words: Vec<OsString>,
    /// In their order.
    pub(crate) parts: Vec<Part>,
}

/// Flags whose value may be the next argument. `-o`, `-l`, `-L` and `-x` are told apart before.
const WITH_VALUE: [&str; 37] = [
    "-I",
    "-D",
    "-U",
    "-A",
    "-B",
    "-F",
    "-T",
    "-e",
    "-u",
    "-z",
    "-G",
    "-b",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
    "-target",
    "-arch",
    "-rpath",
    "-dumpdir",
    "--param",
    "--sysroot",
    "--target",
];

fn text(argument: &OsStr) -> &str {
    argument.to_str().unwrap_or("")
}

fn after(argument: &OsStr, prefix: &str) -> Option<OsString> {
    let rest = argument.as_bytes().strip_prefix(prefix.as_bytes())?;
    Some(OsString::from_vec(rest.to_vec()))
}

/// The words of a response file: split at white space, with quotes and backslashes as in a shell.
fn words_of(bytes: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut rest = bytes.iter().copied();
    while let Some(byte) = rest.next() {
        match (byte, quote) {
            (b'\\', Some(b'"') | None) => word.get_or_insert_default().extend(rest.next()),
            (_, Some(q)) if q == byte => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// Puts the words of `@file` in its place. As in clang, one that cannot be read is an ordinary argument.
fn expand(arguments: &[OsString], depth: usize, into: &mut Vec<OsString>) {
    for argument in arguments {
        let file = after(argument, "@").filter(|_| depth < 16);
        match file.and_then(|path| std::fs::read(path).ok()) {
            Some(bytes) => expand(&words_of(&bytes), depth + 1, into),
            None => into.push(argument.clone()),
        }
    }
}

fn kind(path: &Path, language: Option<&OsStr>) -> InputKind {
    match language.map(text) {
        Some("c++" | "c++-header" | "c++-cpp-output") => return InputKind::CPlusPlus,
        Some("assembler" | "assembler-with-cpp") => return InputKind::Assembly,
        Some("none") | None => {}
        Some(_) => return InputKind::Source,
    }
    match path.extension().map(text) {
        Some("c" | "i" | "h" | "bc" | "ll") => InputKind::Source,
        Some(extension) if is_cxx(extension) => InputKind::CPlusPlus,
        Some("s" | "S" | "sx" | "asm") => InputKind::Assembly,
        None if path == Path::new("-") => InputKind::Source,
        _ => InputKind::Object,
    }
}

impl Arguments {
    /// Reads them.
    pub(crate) fn read(given: &[OsString]) -> Arguments {
        let mut words = Vec::new();
        expand(given, 0, &mut words);
        words.retain(|word| word != "-ffat-lto-objects"); // an object is bitcode and nothing else
        let mut parts = Vec::new();
        let mut language: Option<OsString> = None;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut value = |joined: Option<OsString>| {
                joined.filter(|j| !j.is_empty()).or_else(|| rest.next().cloned()).unwrap_or_default()
            };
            let name = text(word);
            parts.push(if !word.as_bytes().starts_with(b"-") || name == "-" {
                Part::Input(word.into(), kind(Path::new(word), language.as_deref()))
            } else if WITH_VALUE.contains(&name) {
                Part::Flag(std::iter::once(word.clone()).chain(rest.next().cloned()).collect())
            } else if name == "--output" {
                Part::Output(value(None).into())
            } else if let Some(path) = after(word, "--output=") {
                Part::Output(path.into())
            } else if name.starts_with("-o") && !name.starts_with("-object") {
                Part::Output(value(after(word, "-o")).into())
            } else if let Some(joined) = after(word, "-x") {
                let named = value(Some(joined));
                language = Some(named.clone());
                Part::Language(named)
            } else if let Some(joined) = after(word, "--library=") {
                Part::Library(joined)
            } else if let Some(joined) = after(word, "-l") {
                Part::Library(value(Some(joined)))
            } else if let Some(joined) = after(word, "-L") {
                Part::Directory(value(Some(joined)).into())
            } else {
                Part::Flag(vec![word.clone()])
            });
        }
        Arguments { words, parts }
    }

    /// Flags that are one word.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Flag(words) if words.len() == 1 => Some(text(&words[0])),
            _ => None,
        })
    }

    /// The inputs that are files, or `-`.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (&Path, InputKind)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Input(path, kind) => Some((path.as_path(), *kind)),
            _ => None,
        })
    }

    /// Stage after which clang stops.
    pub(crate) fn stage(&self) -> Stage {
        let any = |wanted: &[&str]| self.flags().any(|f| wanted.contains(&f));
        let asks = self.flags().any(|f| f.starts_with("-print-") || f.starts_with("--print-"));
        let has_input = self.parts.iter().any(|part| matches!(part, Part::Input(..) | Part::Library(_)));
        if asks || !has_input || any(&["--version", "--help", "-dumpversion", "-dumpmachine"]) {
            Stage::Answer
        } else if any(&["-E", "-M", "-MM"]) {
            Stage::Preprocess
        } else if any(&["-c", "-S", "-fsyntax-only"]) {
            Stage::Compile
        } else {
            Stage::Link
        }
    }

    /// The output of `-o`.
    pub(crate) fn output(&self) -> Option<&Path> {
        self.parts.iter().rev().find_map(|part| match part {
            Part::Output(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Refuses what the compiler of a language has no way to make.
    ///
    /// # Errors
    /// One each for C++ where it is C's, assembly and shared libraries. A build that is to be native only may have assembly.
    pub(crate) fn check(
        &self,
        language: Language,
        stage: Stage,
        native_only: bool,
    ) -> Result<(), ToolchainError> {
        for (path, kind) in self.inputs() {
            match kind {
                InputKind::CPlusPlus
                    if language == Language::C && (path.exists() || path == Path::new("-")) =>
                {
                    return Err(ToolchainError::CPlusPlus(path.into()));
                }
                InputKind::Assembly if !native_only && stage != Stage::Preprocess && path.exists() => {
                    return Err(ToolchainError::Assembly(path.into()));
                }
                _ => {}
            }
        }
        let shared =
            self.flags().find(|f| matches!(*f, "-shared" | "--shared" | "-dynamiclib" | "-Wl,-shared"));
        match shared {
            Some(flag) if stage == Stage::Link => Err(ToolchainError::Shared(flag.into())),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Arguments {
        Arguments::read(&line.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn values_are_no_inputs_whether_joined_or_apart() {
        let line = ["-I", "a.c", "-oprog", "-L", "dir", "-lz", "-l", "m", "-x", "c", "-", "-xnone", "b.S"];
        let arguments = read(&line);
        let inputs: Vec<_> = arguments.inputs().collect();
        assert_eq!(inputs, [(Path::new("-"), InputKind::Source), (Path::new("b.S"), InputKind::Assembly)]);
        assert_eq!(arguments.output(), Some(Path::new("prog")));
        let libraries: Vec<_> = arguments
            .parts
            .iter()
            .filter_map(|p| if let Part::Library(name) = p { name.to_str() } else { None })
            .collect();
        assert_eq!(libraries, ["z", "m"]);
        assert!(arguments.parts.contains(&Part::Directory("dir".into())));
    }

    #[test]
    fn a_stage_is_told_from_flags_and_inputs() {
        for (line, stage) in [
            (&["-v"][..], Stage::Answer),
            (&["-o", "prog"], Stage::Answer),
            (&["-print-search-dirs", "a.c"], Stage::Answer),
            (&["-v", "a.o", "-o", "prog"], Stage::Link),
            (&["-lm"], Stage::Link),
            (&["-c", "-v", "a.c"], Stage::Compile),
            (&["-MM", "a.c"], Stage::Preprocess),
            (&["-MMD", "a.c"], Stage::Link),
            (&["-I", "-c", "a.c"], Stage::Link),
        ] {
            assert_eq!(read(line).stage(), stage, "{line:?}");
        }
    }

    #[test]
    fn a_response_file_is_split_as_by_a_shell() {
        let words = words_of(b"-DA=\"x y\" 'b c'\\ d\n\t\"\" \"e\\\"f\"");
        assert_eq!(words, ["-DA=x y", "b c d", "", "e\"f"]);
    }
}
