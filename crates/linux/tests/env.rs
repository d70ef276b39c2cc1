//! Environments: how they are read from a command line, and what a test makes of them.

use cleave_linux::env::{ArgSpec, EnvSpec, FilesSpec, StdinSpec};
use std::ffi::OsString;

fn parse(line: &str) -> Result<EnvSpec, String> {
    let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    EnvSpec::parse("prog".as_ref(), &arguments).map_err(|e| e.to_string())
}

fn argv(spec: &EnvSpec, objects: &[(&str, &[u8])]) -> Result<Vec<String>, String> {
    let env = spec.expand(|name| objects.iter().find(|(n, _)| *n == name).map(|(_, b)| *b));
    let env = env.map_err(|e| e.to_string())?;
    Ok(env.argv.into_iter().map(|a| String::from_utf8(a).unwrap()).collect())
}

#[test]
fn symbolic_options_may_stand_between_concrete_arguments() {
    let spec =
        parse("-d --sym-arg 3 x -sym-args 0 2 4 --sym-stdin 8 --sym-files 2 5 y --sym-stdout").unwrap();
    let concrete = |text: &str| ArgSpec::Concrete(text.as_bytes().to_vec());
    let expected = vec![
        concrete("prog"),
        concrete("-d"),
        ArgSpec::Symbolic { least: 0, len: 3 },
        concrete("x"),
        ArgSpec::Range { least: 0, min: 0, max: 2, len: 4 },
        concrete("y"),
    ];
    assert_eq!(spec.args, expected);
    assert_eq!((spec.stdin, spec.files), (StdinSpec::Symbolic(8), Some(FilesSpec { count: 2, len: 5 })));
    assert!(spec.sym_stdout);
}

#[test]
fn arguments_that_only_look_alike_are_the_programs_own() {
    let spec = parse("--sym --sym-argsx sym-arg ---sym-arg --help").unwrap();
    assert_eq!(spec.args.len(), 6);
    assert!(!spec.is_symbolic());
}

#[test]
fn options_with_wrong_numbers_are_refused_with_what_to_give() {
    for (line, part) in [
        ("--sym-arg", "lacks its LEN"),
        ("--sym-arg x", "LEN is \"x\""),
        ("--sym-arg -1", "LEN is \"-1\""),
        ("--sym-args 1 2", "lacks its LEN"),
        ("--sym-args 3 2 1", "MIN is greater than MAX"),
        ("--sym-args 0 99999999999 1", "MAX is"),
        ("--sym-files 27 1", "N is \"27\""),
        ("--sym-stdin", "give a number from 0 to"),
    ] {
        let refused = parse(line).unwrap_err();
        assert!(refused.contains(part), "{line}: {refused}");
    }
}

#[test]
fn arguments_are_numbered_as_they_exist_and_end_at_their_first_nul() {
    let spec = parse("--sym-args 0 2 3 mid --sym-arg 2 --sym-args 1 3 1").unwrap();
    let objects: &[(&str, &[u8])] = &[
        ("n_args", &[1, 0, 0, 0]),
        ("arg00", b"a\0cd"),
        ("arg01", b"xyz"),
        ("n_args_1", &[2, 0, 0, 0]),
        ("arg02", b"p\0"),
        ("arg03", b"\0\0"),
        ("arg04", b"!\0"),
    ];
    assert_eq!(argv(&spec, objects).unwrap(), ["prog", "a", "mid", "xy", "p", ""]);
    assert!(spec.owns("arg03") && spec.owns("n_args_1") && !spec.owns("n_args_2") && !spec.owns("stdin"));
}

#[test]
fn variables_are_set_or_inputs_and_the_last_of_a_name_counts() {
    let spec =
        parse("--set-env A=1 --sym-env B 3 --sym-env C 2 --set-env A=x=y --set-env C=known --set-env HOME=")
            .unwrap();
    assert!(spec.is_symbolic() && !parse("--set-env A=1").unwrap().is_symbolic());
    assert!(spec.owns("env-B") && spec.owns("env-B-set") && !spec.owns("env-C"));
    let variables = |objects: &[(&str, &[u8])]| -> Vec<String> {
        let env = spec.expand(|name| objects.iter().find(|(n, _)| *n == name).map(|(_, b)| *b)).unwrap();
        let text = |(name, value): &(Vec<u8>, Vec<u8>)| {
            String::from_utf8([&name[..], b"=", value].concat()).unwrap()
        };
        env.vars.iter().map(text).collect()
    };
    let known = ["PWD=/", "A=x=y", "C=known", "HOME="];
    assert_eq!(variables(&[("env-B", b"abc\0")]), known, "a variable that is not set has no value");
    let set: &[(&str, &[u8])] = &[("env-B-set", &[1]), ("env-B", b"a\0c\0")];
    assert_eq!(variables(set), [&known[..], &["B=a"]].concat());
    for (line, part) in [
        ("--set-env", "lacks its NAME=VALUE"),
        ("--set-env A", "lacks its NAME=VALUE"),
        ("--set-env =1", "no name of a variable"),
        ("--sym-env", "no name of a variable"),
        ("--sym-env A=1 2", "no name of a variable"),
        ("--sym-env A", "lacks its LEN"),
        ("--sym-env A x", "LEN is \"x\""),
    ] {
        let refused = parse(line).unwrap_err();
        assert!(refused.contains(part), "{line}: {refused}");
    }
}

#[test]
fn a_count_outside_of_its_range_belongs_to_other_arguments() {
    let spec = parse("--sym-args 1 2 3").unwrap();
    assert!(argv(&spec, &[("n_args", &[3, 0, 0, 0])]).unwrap_err().contains("1 to 2"));
    assert!(argv(&spec, &[("n_args", &[1, 0, 0, 1])]).is_err());
    assert!(argv(&spec, &[]).is_err());
}

#[test]
fn input_and_files_have_their_full_length_whatever_the_test_holds() {
    let spec = parse("--sym-stdin 4 --sym-files 2 3").unwrap();
    let objects: &[(&str, &[u8])] = &[("stdin", b"a\0b"), ("B-data", b"12345")];
    let env = spec.expand(|name| objects.iter().find(|(n, _)| *n == name).map(|(_, b)| *b)).unwrap();
    assert_eq!(env.stdin, b"a\0b\0");
    assert_eq!(env.files, [("A".to_owned(), vec![0; 3]), ("B".to_owned(), b"123".to_vec())]);
}
