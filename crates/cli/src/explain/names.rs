//! Names of the bytes of inputs, as a C programmer would write them.

use std::collections::BTreeSet;

use cleave_expr::Names;
use cleave_linux::env::{
    ArgSpec, EnvSpec, FUZZ_LENGTH_OBJECT, STDIN_OBJECT, arg_object, count_object, file_name, file_object,
};
use cleave_region::Test;

/// The objects of a path, by their places in its tests.
pub struct InputNames {
    objects: Vec<(String, u32)>,
}

impl InputNames {
    /// Of a test's objects. Symbolic arguments are called by their places in `argv`, files by their names; names that are no
    /// names in C have `_` in places, and the later ones of one name a number.
    pub fn new(spec: &EnvSpec, test: &Test) -> InputNames {
        let known = known(spec, test);
        let mut used = BTreeSet::new();
        let mut objects = Vec::with_capacity(test.objects.len());
        for object in &test.objects {
            let own = known.iter().find(|(name, _)| *name == object.name).map(|(_, shown)| shown.clone());
            let plain = own.unwrap_or_else(|| as_identifier(&object.name));
            let mut shown = plain.clone();
            let mut n = 2;
            while !used.insert(shown.clone()) {
                shown = format!("{plain}_{n}");
                n += 1;
            }
            objects.push((shown, object.bytes.len() as u32));
        }
        InputNames { objects }
    }

    /// The name of an object.
    pub fn object(&self, object: usize) -> String {
        self.objects.get(object).map_or_else(|| format!("input{object}"), |(name, _)| name.clone())
    }

    fn len(&self, object: u32) -> u32 {
        self.objects.get(object as usize).map_or(0, |(_, len)| *len)
    }
}

impl Names for InputNames {
    fn byte(&self, object: u32, offset: u32) -> String {
        let name = self.object(object as usize);
        if self.len(object) == 1 { name } else { format!("{name}[{offset}]") }
    }

    fn word(&self, object: u32, offset: u32, len: u32) -> String {
        let name = self.object(object as usize);
        if offset == 0 && self.len(object) == len {
            return name;
        }
        let kind = match len {
            2 => "unsigned short",
            4 => "int",
            _ => "long",
        };
        format!("*({kind} *)&{name}[{offset}]")
    }

    fn number(&self, object: u32, offset: u32, of_type: &str, len: u32) -> String {
        let (name, size) = (self.object(object as usize), self.len(object));
        // A long double has ten bytes in an object of sixteen.
        if offset == 0 && (size == len || (len == 10 && size == 16)) {
            return name;
        }
        format!("*({of_type} *)&{name}[{offset}]")
    }
}

/// The objects of the environment that have better names than their own.
fn known(spec: &EnvSpec, test: &Test) -> Vec<(String, String)> {
    let mut known = vec![(STDIN_OBJECT.to_string(), "stdin".to_string())];
    if spec.fuzz_data.is_some() {
        known.push((FUZZ_LENGTH_OBJECT.to_string(), "size".to_string()));
    }
    known.extend((0..spec.files.map_or(0, |f| f.count)).map(|n| (file_object(n), file_name(n))));
    known.extend(spec.symbolic_vars.iter().map(|var| (var.object(), format!("getenv(\"{}\")", var.name))));
    let (mut place, mut next_arg, mut next_range) = (0usize, 0usize, 0usize);
    for arg in &spec.args {
        let symbolic = match arg {
            ArgSpec::Concrete(_) => {
                place += 1;
                0
            }
            ArgSpec::Symbolic { .. } => 1,
            ArgSpec::Range { max, .. } => {
                let name = count_object(next_range);
                next_range += 1;
                let count = test.objects.iter().find(|object| object.name == name);
                let count = count.map_or(0, |o| o.bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)));
                count.min(u64::from(*max)) as usize
            }
        };
        for _ in 0..symbolic {
            known.push((arg_object(next_arg), format!("argv[{place}]")));
            place += 1;
            next_arg += 1;
        }
    }
    known
}

fn as_identifier(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let text: String = name.chars().map(letter).collect();
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty() { format!("_{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_region::Object;
    use std::ffi::OsString;

    #[test]
    fn arguments_are_called_by_their_places() {
        let words = [
            "-n",
            "--sym-arg",
            "2",
            "x",
            "--sym-args",
            "0",
            "3",
            "1",
            "--sym-stdin",
            "4",
            "--sym-files",
            "1",
            "2",
        ];
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let spec = EnvSpec::parse("prog".as_ref(), &words).unwrap();
        let objects = [
            ("n_args", vec![2, 0, 0, 0]),
            ("arg00", vec![0; 3]),
            ("arg01", vec![0; 2]),
            ("arg02", vec![0; 2]),
            ("A-data", vec![0; 2]),
            ("stdin", vec![0; 4]),
            ("x", vec![0; 4]),
            ("a b", vec![0; 1]),
            ("x", vec![0; 4]),
        ];
        let object = |(name, bytes): (&str, Vec<u8>)| Object { name: name.into(), bytes };
        let test = Test { objects: objects.into_iter().map(object).collect() };
        let names = InputNames::new(&spec, &test);
        let all: Vec<String> = (0..9).map(|i| names.object(i)).collect();
        assert_eq!(all, ["n_args", "argv[2]", "argv[4]", "argv[5]", "A", "stdin", "x", "a_b", "x_2"]);
        assert_eq!(names.byte(1, 2), "argv[2][2]");
        assert_eq!(names.byte(7, 0), "a_b");
        assert_eq!(names.word(6, 0, 4), "x");
        assert_eq!(names.word(5, 0, 2), "*(unsigned short *)&stdin[0]");
    }
}
