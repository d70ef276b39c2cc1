//! Inputs that users give the program themselves, written as a test.

use crate::env::error::EnvError;
use crate::env::spec::{
    ArgSpec, EnvSpec, FUZZ_LENGTH_OBJECT, FUZZ_OBJECT, FilesSpec, STDIN_LENGTH_OBJECT, STDIN_OBJECT,
    StdinSpec, arg_object, connection_object, count_object, file_length_object, file_name, file_object,
    kind_object, length_object, refusal_object, segments_object, stat_object,
};
use crate::files::stat_object::Attributes;

/// Concrete inputs that are to be written as a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// All arguments but the program's name, the concrete ones of the command line among them.
    pub args: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Option<Vec<u8>>,
    /// Contents of the files A, B, ... by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The input of a fuzz target.
    pub data: Option<Vec<u8>>,
}

impl EnvSpec {
    /// The objects of the test that stands for `inputs`, by name and in the order in which a path creates them.
    /// Standard input and files that are shorter than their symbolic length are filled up with zeros; where the length is an
    /// input it says how long they are.
    ///
    /// # Errors
    /// That the inputs are none that the options allow.
    pub fn objects_of(&self, inputs: &Inputs) -> Result<Vec<(String, Vec<u8>)>, EnvError> {
        let mut objects = self.argument_objects(&inputs.args)?;
        let sized = |what: &str, bytes: &[u8], len: u32| {
            if bytes.len() > len as usize {
                return Err(EnvError(format!(
                    "{what} has {} bytes, but the program's arguments make at most {len} of them symbolic; give a \
                     larger LEN",
                    bytes.len()
                )));
            }
            let mut bytes = bytes.to_vec();
            bytes.resize(len as usize, 0);
            Ok(bytes)
        };
        let files = self.files.or(self.tree).unwrap_or(FilesSpec { count: 0, len: 0 });
        let known = |name: &String| (0..files.count).any(|n| file_name(n) == *name);
        if let Some((name, _)) = inputs.files.iter().find(|(name, _)| !known(name)) {
            return Err(EnvError(format!(
                "there is no symbolic file {name}; --sym-files {} LEN makes A, B, ...",
                files.count
            )));
        }
        for n in 0..files.count {
            let name = file_name(n);
            let given = inputs.files.iter().find(|(given, _)| *given == name);
            let bytes = given.map_or(&[][..], |(_, bytes)| bytes);
            objects.push((file_object(n), sized(&format!("the file {name}"), bytes, files.len)?));
            if self.least_file.is_some() {
                objects.push((file_length_object(n), (bytes.len() as u32).to_le_bytes().to_vec()));
            }
            if self.refusing != 0 {
                objects.push((refusal_object(n), vec![0]));
            }
            if self.stat {
                objects.push((stat_object(n), Attributes::default().object(bytes.len() as u64)));
            }
            if self.tree.is_some() {
                objects.push((kind_object(n), vec![0]));
            }
        }
        match (&self.stdin, &inputs.stdin) {
            (StdinSpec::Symbolic(len), given) => {
                let bytes = given.as_deref().unwrap_or_default();
                objects.push((STDIN_OBJECT.into(), sized("standard input", bytes, *len)?));
                if self.least_stdin.is_some() {
                    objects.push((STDIN_LENGTH_OBJECT.into(), (bytes.len() as u32).to_le_bytes().to_vec()));
                }
            }
            (_, Some(_)) => {
                return Err(EnvError("standard input is not symbolic; add --sym-stdin LEN".into()));
            }
            (_, None) => {}
        }
        if let Some(FilesSpec { count, len }) = self.connections {
            for n in 0..count {
                objects.push((connection_object(n), vec![0; len as usize]));
                objects.push((length_object(n), len.to_le_bytes().to_vec()));
                if self.segments {
                    objects.push((segments_object(n), vec![0; len as usize]));
                }
            }
        }
        // A variable that is not set has no value.
        objects.extend(self.symbolic_vars.iter().map(|var| (var.set_object(), vec![0])));
        match (self.fuzz_data, &inputs.data) {
            (Some(most), given) => {
                let bytes = given.as_deref().unwrap_or_default();
                let length = (bytes.len() as u32).to_le_bytes().to_vec();
                objects.push((FUZZ_LENGTH_OBJECT.into(), length));
                objects.push((FUZZ_OBJECT.into(), sized("the input", bytes, most)?));
            }
            (None, Some(_)) => return Err(EnvError("the program is no fuzz target".into())),
            (None, None) => {}
        }
        Ok(objects)
    }

    /// All arguments but the program's name, the symbolic ones as short and as few as there can be.
    pub fn plain_arguments(&self) -> Vec<Vec<u8>> {
        let one = |spec: &ArgSpec| match spec {
            ArgSpec::Concrete(bytes) => vec![bytes.clone()],
            ArgSpec::Symbolic { least, .. } => vec![vec![b'a'; *least as usize]],
            ArgSpec::Range { least, min, .. } => vec![vec![b'a'; *least as usize]; *min as usize],
        };
        self.args.iter().skip(1).flat_map(one).collect()
    }

    /// The objects of the arguments. A range takes as many as it can and leaves enough for the arguments behind it.
    fn argument_objects(&self, given: &[Vec<u8>]) -> Result<Vec<(String, Vec<u8>)>, EnvError> {
        let fewest = |args: &[ArgSpec]| -> usize {
            let one = |a: &ArgSpec| if let ArgSpec::Range { min, .. } = a { *min as usize } else { 1 };
            args.iter().map(one).sum()
        };
        let specs = self.args.get(1..).unwrap_or_default();
        let mut rest = given;
        let mut take = || -> Result<Vec<u8>, EnvError> {
            let (first, others) = rest
                .split_first()
                .ok_or_else(|| EnvError("there are fewer arguments than the options ask for".into()))?;
            rest = others;
            Ok(first.clone())
        };
        let (mut objects, mut named, mut ranges, mut left) = (Vec::new(), 0, 0, given.len());
        let mut symbolic = |arg: Vec<u8>, [least, len]: [u32; 2], objects: &mut Vec<(String, Vec<u8>)>| {
            if arg.len() < least as usize {
                let arg = arg.escape_ascii();
                return Err(EnvError(format!(
                    "the argument {arg} is shorter than its symbolic length, {least}"
                )));
            }
            if arg.len() > len as usize || arg.contains(&0) {
                let arg = arg.escape_ascii();
                return Err(EnvError(format!(
                    "the argument {arg} is longer than its symbolic length, {len}"
                )));
            }
            let mut bytes = arg;
            bytes.resize(len as usize + 1, 0);
            objects.push((arg_object(named), bytes));
            named += 1;
            Ok(())
        };
        for (i, spec) in specs.iter().enumerate() {
            match spec {
                ArgSpec::Concrete(expected) => {
                    let arg = take()?;
                    left -= 1;
                    if arg != *expected {
                        let (arg, expected) = (arg.escape_ascii(), expected.escape_ascii());
                        return Err(EnvError(format!(
                            "the argument {arg} stands where {expected} has to be"
                        )));
                    }
                }
                ArgSpec::Symbolic { least, len } => {
                    symbolic(take()?, [*least, *len], &mut objects)?;
                    left -= 1;
                }
                ArgSpec::Range { least, min, max, len } => {
                    let spare = left.saturating_sub(fewest(&specs[i + 1..]));
                    let count = spare.clamp(*min as usize, *max as usize);
                    objects.push((count_object(ranges), (count as u32).to_le_bytes().to_vec()));
                    ranges += 1;
                    for _ in 0..count {
                        symbolic(take()?, [*least, *len], &mut objects)?;
                        left -= 1;
                    }
                }
            }
        }
        if left > 0 {
            return Err(EnvError(format!("{left} arguments are more than the options allow")));
        }
        Ok(objects)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::{OsStr, OsString};

    use super::*;

    fn spec(line: &str) -> EnvSpec {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        EnvSpec::parse(OsStr::new("program"), &words).unwrap()
    }

    fn inputs(args: &[&str], stdin: Option<&str>, files: &[(&str, &str)]) -> Inputs {
        Inputs {
            args: args.iter().map(|a| a.as_bytes().to_vec()).collect(),
            stdin: stdin.map(|s| s.as_bytes().to_vec()),
            files: files.iter().map(|(n, b)| (n.to_string(), b.as_bytes().to_vec())).collect(),
            data: None,
        }
    }

    #[test]
    fn inputs_written_as_objects_are_the_inputs_again() {
        for (line, args) in [
            ("--sym-args 0 2 4", &[][..]),
            ("--sym-args 0 2 4", &["a", "bcde"][..]),
            ("-n --sym-arg 3 --sym-args 0 2 4 x", &["-n", "abc", "de", "x"][..]),
            ("--sym-args 1 3 2 --sym-args 0 1 2 --sym-arg 2", &["a", "b", "c", "d", "e"][..]),
        ] {
            let spec = spec(&format!("{line} --sym-stdin 4 --sym-files 2 3"));
            let given = inputs(args, Some("in"), &[("B", "xyz")]);
            let objects = spec.objects_of(&given).unwrap();
            let find = |name: &str| objects.iter().find(|(n, _)| n == name).map(|(_, b)| b.as_slice());
            let env = spec.expand(find).unwrap();
            assert_eq!(env.argv[1..], given.args, "{line}");
            assert_eq!(env.stdin, b"in\0\0");
            assert_eq!(env.files, [("A".into(), vec![0; 3]), ("B".into(), b"xyz".to_vec())]);
        }
    }

    #[test]
    fn lengths_that_are_inputs_are_those_of_what_is_given() {
        let spec = spec("--sym-arg 1..3 --sym-stdin 0..4 --sym-files 1 2..5");
        let given = inputs(&["ab"], Some("in"), &[("A", "xyz")]);
        let objects = spec.objects_of(&given).unwrap();
        assert!(objects.iter().all(|(name, _)| spec.owns(name)), "{objects:?}");
        let find = |name: &str| objects.iter().find(|(n, _)| n == name).map(|(_, b)| b.as_slice());
        let env = spec.expand(find).unwrap();
        assert_eq!((&env.argv[1..], &env.stdin[..]), (&given.args[..], &b"in"[..]));
        assert_eq!(env.files, [("A".into(), b"xyz".to_vec())]);
        let none = spec.expand(|_| None).unwrap();
        assert_eq!(
            (none.stdin.len(), none.files[0].1.len()),
            (0, 2),
            "what is missing is zero, and no file is shorter"
        );
        assert_eq!(spec.plain_arguments(), [b"a"]);
    }

    #[test]
    fn inputs_that_the_options_do_not_allow_are_refused() {
        let refused = |line: &str, given: Inputs| spec(line).objects_of(&given).unwrap_err().to_string();
        assert!(refused("--sym-arg 2", inputs(&["abc"], None, &[])).contains("longer"));
        assert!(refused("--sym-arg 2..3", inputs(&["a"], None, &[])).contains("shorter"));
        assert!(refused("--sym-arg 2", inputs(&[], None, &[])).contains("fewer"));
        assert!(refused("--sym-arg 2", inputs(&["a", "b"], None, &[])).contains("more"));
        assert!(refused("-n --sym-arg 2", inputs(&["-x", "b"], None, &[])).contains("-n"));
        assert!(refused("", inputs(&[], Some("x"), &[])).contains("--sym-stdin"));
        assert!(refused("--sym-stdin 1", inputs(&[], Some("xy"), &[])).contains("larger LEN"));
        assert!(refused("--sym-files 1 1", inputs(&[], None, &[("B", "")])).contains("file B"));
    }
}
