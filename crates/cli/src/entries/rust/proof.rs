//! The text of a proof: a module that makes the inputs of one function and calls it, for a person to edit.

use std::fmt::Write as _;
use std::path::Path;

use syn::{FnArg, Pat};

use crate::entries::contract::{self, Contract, Item};
use crate::entries::logic;
use crate::entries::rust::functions::{self, Function, Source, name_of};
use crate::entries::rust::inputs::Inputs;
use crate::entries::tokens::{self, words};
use crate::failure::Failure;

/// A module with a proof of a function of a source. It stands at the end of the module that the function is in.
///
/// # Errors
/// If the function is not there, takes what nothing makes, or the contract does not fit it.
pub fn to_edit(text: &str, path: &Path) -> Result<String, Failure> {
    let contract = contract::parsed(text).map_err(Failure::usage)?;
    let name = contract.as_ref().map_or(text, |contract| &contract.function);
    let source = functions::of_source(path)?;
    let function = source.function(name)?;
    let contract = contract.unwrap_or_default();
    of_function(&source, function, &contract)
        .map_err(|why| Failure::usage(format!("the inputs of `{}`: {why}", function.path())))
}

fn of_function(source: &Source, function: &Function, contract: &Contract) -> Result<String, String> {
    let signature = &function.signature;
    if signature.asyncness.is_some() {
        return Err("an async function needs an executor; write a function that runs it with one".into());
    }
    let (given, types) = (&contract.given[..], &source.types[..]);
    let mut inputs = Inputs {
        function,
        types,
        given,
        statements: Vec::new(),
        assumptions: Vec::new(),
        guesses: Vec::new(),
    };
    let mut arguments = Vec::new();
    let mut names = Vec::new();
    for (n, parameter) in signature.inputs.iter().enumerate() {
        let (name, made) = match parameter {
            FnArg::Receiver(receiver) => {
                let name = name_of_receiver(function);
                let made = inputs.parameter(&name, &receiver.ty)?;
                (name, made)
            }
            FnArg::Typed(typed) => {
                let name = match &*typed.pat {
                    Pat::Ident(name) => name.ident.to_string(),
                    _ => format!("argument{n}"),
                };
                let made = inputs.parameter(&name, &typed.ty)?;
                (name, made)
            }
        };
        names.push(name);
        arguments.push(made);
    }
    for item in given {
        match item {
            Item::Assumed(condition) => {
                let conditions = comparisons(condition)?;
                inputs.assumptions.splice(0..0, conditions);
            }
            other if other.place().is_some_and(|place| !names.iter().any(|name| name == place)) => {
                return Err(format!("`{}` names no parameter", other.written()));
            }
            _ => {}
        }
    }
    Ok(module(source, function, &inputs, &arguments))
}

/// The module.
fn module(source: &Source, function: &Function, inputs: &Inputs, arguments: &[String]) -> String {
    let name = format!("proof_of_{}", function.path().rsplit("::").next().unwrap_or_default());
    let place = match &function.modules[..] {
        [] => format!("at the end of {}", source.path.display()),
        modules => format!("at the end of the module {} in {}", modules.join("::"), source.path.display()),
    };
    let mut text = format!("// A proof of {}. It stands {place}.\n", function.path());
    for guess in &inputs.guesses {
        let _ = writeln!(text, "// Guessed: {guess}.");
    }
    let _ = writeln!(text, "// Explore it: {}", command(&source.path, &name));
    let _ = writeln!(
        text,
        "#[cfg(all(test, cleave))]\nmod {name} {{\n    use super::*;\n\n    #[cleave::proof]\n    fn holds() {{"
    );
    for statement in &inputs.statements {
        let _ = writeln!(text, "        {statement}");
    }
    for assumption in &inputs.assumptions {
        let _ = writeln!(text, "        cleave::assume({assumption});");
    }
    let call = format!("{}({})", function.called(), arguments.join(", "));
    let call = match function.signature.unsafety {
        Some(_) => format!("unsafe {{ {call} }}"),
        None => call,
    };
    let _ = match function.signature.output {
        syn::ReturnType::Default => writeln!(text, "        {call};\n        // assert!(CONDITION);"),
        syn::ReturnType::Type(..) => {
            writeln!(text, "        let _result = {call};\n        // assert!(CONDITION OF _result);")
        }
    };
    text.push_str("    }\n}\n");
    text
}

/// The command that explores a proof of a source.
fn command(path: &Path, name: &str) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let is_of_package = absolute.ancestors().skip(1).any(|folder| folder.join("Cargo.toml").exists());
    match is_of_package {
        true => format!("cleave cargo test {name}"),
        false => format!("cleave rustc --test {} -o proofs && cleave proofs ./proofs {name}", path.display()),
    }
}

/// The variable that a method is called on: `header` for a `Header`.
fn name_of_receiver(function: &Function) -> String {
    let owner = function.owner.as_ref().map(|(owner, _)| name_of(owner)).unwrap_or_default();
    let mut name = String::new();
    for (n, c) in owner.chars().filter(|c| c.is_alphanumeric() || *c == '_').enumerate() {
        if c.is_uppercase() && n > 0 {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    if syn::parse_str::<syn::Ident>(&name).is_ok() { name } else { "object".into() }
}

/// The conditions of a text as Rust has them: `0 < n <= 8` are two.
fn comparisons(text: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for conjunct in logic::conjuncts(text)? {
        match logic::chained(&words(&conjunct)?)? {
            pairs if pairs.is_empty() => all.push(conjunct),
            pairs => all.extend(pairs.iter().map(|pair| tokens::written(pair))),
        }
    }
    Ok(all)
}
