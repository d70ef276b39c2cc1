//! The `main` of a run that begins with a function: its contract comes from the command line, and from comments above the function.

use std::path::{Path, PathBuf};

use cleave_toolchain::{Language, source_language};

use crate::entries::contract::{Contract, Item};
use crate::entries::harness::{Harness, OBJECT};
use crate::entries::signature::{Parameter, Signature, TypeKind};
use crate::entries::tokens::{is_name, words};
use crate::entries::{annotations, comparison, contract, harness, signature, wrappers};
use crate::failure::Failure;
use crate::process::messages::note;
use crate::programs::build::{Build, Driver, Other};

/// The driver for `--entry-point`, if its text has a contract or the function has one in a comment.
///
/// # Errors
/// If the contract is not understood or does not fit, or the function is not there.
pub fn for_entry(text: &str, program: &Path, build: &Build) -> Result<Option<Driver>, Failure> {
    let sources = sources_with_types(program, build);
    if sources.is_empty() {
        return Ok(None);
    }
    let in_c = sources_in_c(program, build);
    if in_c.len() < build.sources(program).len() && !is_of_these(text, [&sources, &in_c], build)? {
        return Ok(None); // of a source in another language, a method, or a name with types
    }
    let (signature, contract) = with_given(text, &sources, build)?;
    let Some(contract) = contract else {
        hint(&signature);
        return Ok(None);
    };
    let made = harness::of_contract(&signature, &contract).map_err(|why| of_function(&signature, &why))?;
    Ok(Some(as_main(&signature, &contract, made)))
}

/// Returns true if a text names a function of these sources, of which the second are in C, and what stands in its brackets is about parameters: in C++ the text may also be
/// a name with the types of its parameters, as in `parse(std::string_view)`.
fn is_of_these(text: &str, [sources, in_c]: [&[PathBuf]; 2], build: &Build) -> Result<bool, Failure> {
    let function = text.split('(').next().unwrap_or(text).trim();
    let is_plain_name = function.split("::").all(is_name);
    if !is_plain_name {
        return Ok(false);
    }
    let flags = build.all_flags();
    let items = match text.split_once('(') {
        Some((_, items)) => words(items).map_err(Failure::usage)?,
        None => Vec::new(),
    };
    if signature::if_defined(function, &items, in_c, &flags)?.is_some() {
        return Ok(true);
    }
    // One of several functions with the name is meant by its types, where the items name none of its parameters.
    let Ok(Some(signature)) = signature::if_defined(function, &items, sources, &flags) else {
        return Ok(false);
    };
    let is_about = |parameter: &Parameter| items.contains(&parameter.name);
    let names_object = signature.class.is_some() && items.first().is_some_and(|word| word == OBJECT);
    Ok(items.len() < 2 || names_object || signature.parameters.iter().any(is_about))
}

/// A function and its contract: the items of the text on top of those in the comment above it.
fn with_given(
    text: &str,
    sources: &[PathBuf],
    build: &Build,
) -> Result<(Signature, Option<Contract>), Failure> {
    let given = contract::parsed(text).map_err(Failure::usage)?;
    let function = given.as_ref().map_or(text, |contract| &contract.function);
    let named = words(text).map_err(Failure::usage)?;
    let (signature, annotated) = with_contract(function, &named, sources, build)?;
    let contract = match (given, annotated) {
        (Some(given), Some(annotated)) => Some(both(given, annotated)),
        (given, annotated) => given.or(annotated),
    };
    Ok((signature, contract))
}

/// A failure of the contract of a function.
fn of_function(signature: &Signature, why: &str) -> Failure {
    Failure::usage(format!("the contract of `{}`: {why}", signature.name))
}

/// A `main` behind the function's source. Guesses are told.
fn as_main(signature: &Signature, contract: &Contract, made: Harness) -> Driver {
    for guess in &made.guesses {
        note(format_args!("warning: {guess}; give its bound in --entry-point"));
    }
    Driver {
        source: signature.source.display().to_string(),
        text: harness::with_lines(&made.text),
        is_main: true,
        about: format!("the inputs are those of {}", shown(contract)),
    }
}

/// The driver for a comparison of the function with another version, and that version.
///
/// # Errors
/// As [`for_entry`]; also where a relation does not fit, or no source is C.
pub fn for_comparison(
    text: &str,
    program: &Path,
    build: &Build,
    other: &Against,
) -> Result<(Driver, Other), Failure> {
    let sources = sources_in_c(program, build);
    if sources.is_empty() {
        return Err(Failure::usage(format!(
            "{} is no C, and the types of a function are read from C; name the C first, and the other language as NEW",
            program.display()
        )));
    }
    let (signature, contract) = with_given(text, &sources, build)?;
    let contract =
        contract.unwrap_or_else(|| Contract { function: signature.name.clone(), ..Contract::default() });
    let made = comparison::of_versions(&signature, &contract, &other.relations);
    let made =
        made.map_err(|why| Failure::usage(format!("the comparison of `{}`: {why}", contract.function)))?;
    let flags = Build { flags: other.flags.clone(), ..build.clone() }.all_flags();
    let files = other.files.iter().map(|file| std::path::absolute(file).unwrap_or(file.clone()));
    let shared = comparison::shared(&signature, &contract);
    let driver = as_main(&signature, &contract, made);
    let shown = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let flags = flags.into_iter().map(shown).collect();
    Ok((driver, Other { files: files.map(|file| file.display().to_string()).collect(), flags, shared }))
}

/// A version that is compared with the sources of a run.
#[derive(Clone, Debug, Default)]
pub struct Against {
    /// Its sources or modules.
    pub files: Vec<PathBuf>,
    /// Flags of the compiler for it.
    pub flags: Vec<String>,
    /// Conditions of `--relate`.
    pub relations: Vec<String>,
}

/// A function that one of the sources defines, and the contract above it. Of several with the name it is the one whose parameters `named`
/// names.
///
/// # Errors
/// If it is not there, or its contract is not understood.
pub fn with_contract(
    function: &str,
    named: &[String],
    sources: &[PathBuf],
    build: &Build,
) -> Result<(Signature, Option<Contract>), Failure> {
    let signature = signature::of_function(function, named, sources, &build.all_flags())?;
    let source = text_of(&signature.source)?;
    let contract = annotations::above(&source, signature.offset as usize, function)
        .map_err(|why| Failure::usage(format!("{}: {why}", signature.source.display())))?;
    Ok((signature, contract))
}

/// A harness for a person to edit: by the contract of the text or of a comment, or by guesses, which are marked.
///
/// # Errors
/// As [`for_entry`].
pub fn harness_to_edit(text: &str, source: &Path, build: &Build) -> Result<String, Failure> {
    let sources = sources_with_types(source, build);
    let (signature, contract) = with_given(text, &sources, build)?;
    let given = contract.as_ref().map(|contract| contract.given.len());
    let contract = completed(contract, &signature);
    let origin = match given {
        None => "guessed from types and names: check it",
        Some(given) if given < contract.given.len() => {
            "as given, the rest guessed from types and names: check it"
        }
        Some(_) => "as given",
    };
    let made = harness::of_contract(&signature, &contract).map_err(|why| of_function(&signature, &why))?;
    let function = &signature.name;
    let mut head =
        format!("/* A harness for {function}. Its contract, {origin}:\n *     {}\n", shown(&contract));
    for guess in &made.guesses {
        head.push_str(&format!(" * Guessed: {guess}.\n"));
    }
    head.push_str(" * Explore it: cleave run FILE */\n");
    Ok(head + &harness::without_lines(&(harness::including(source, true) + &made.text)))
}

/// The contract of a function as a user writes it: that in a comment, with guesses for parameters that it does not name.
///
/// # Errors
/// If the function is not there, or the comment is not understood.
pub fn guess(function: &str, source: &Path, build: &Build) -> Result<String, Failure> {
    let sources = [source.to_path_buf()];
    let (signature, annotated) = with_contract(function, &[], &sources, build)?;
    Ok(shown(&completed(annotated, &signature)))
}

/// Words in names of integers that count what the pointer in front of them points to.
const COUNTS: [&str; 6] = ["len", "size", "count", "num", "nmemb", "sz"];

/// A contract by types and names.
fn guessed(signature: &Signature) -> Contract {
    completed(None, signature)
}

/// A contract, and for the parameters that it says nothing of guesses by types and names.
fn completed(contract: Option<Contract>, signature: &Signature) -> Contract {
    let empty = || Contract { function: signature.name.clone(), ..Contract::default() };
    let mut contract = contract.unwrap_or_else(empty);
    let is_open = |parameter: &Parameter| {
        contract.given.iter().all(|item| item.place() != Some(parameter.name.as_str()))
    };
    let is_count = |parameter: &Parameter| {
        let name = parameter.name.to_ascii_lowercase();
        parameter.kind == TypeKind::Integer && (name == "n" || COUNTS.iter().any(|word| name.contains(word)))
    };
    let mut given = Vec::new();
    let all = &signature.parameters;
    for (n, parameter) in all.iter().enumerate().filter(|(_, parameter)| is_open(parameter)) {
        let place = parameter.name.clone();
        let count = all.get(n + 1).filter(|next| is_count(next)).map(|next| next.name.clone());
        let object = |count| Item::Object { place: place.clone(), count, nullable: false };
        match (parameter.kind, count) {
            (TypeKind::Pointer | TypeKind::Characters, Some(count)) => {
                given.push(object(Some(count.clone())));
                given.push(Item::Assumed(format!("{count} <= {GUESSED_COUNT}")));
            }
            (TypeKind::Characters, None) if parameter.ty.starts_with("const ") => {
                given.push(Item::Text { place, most: GUESSED_TEXT.to_string(), nullable: false });
            }
            (TypeKind::Characters, None) => given.push(object(Some(GUESSED_COUNT.to_string()))),
            (TypeKind::Pointer, None) => given.push(object(None)),
            (TypeKind::Function, _) => given.push(Item::Fixed { place, value: "0".into() }),
            (TypeKind::Text, _) => {
                given.push(Item::Text { place, most: GUESSED_TEXT.to_string(), nullable: false });
            }
            (TypeKind::Elements, _) => given.push(object(Some(GUESSED_ELEMENTS.to_string()))),
            (TypeKind::Integer | TypeKind::Float | TypeKind::Other, _) => {}
        }
    }
    contract.given.extend(given);
    contract
}

/// Sizes in guessed contracts: small, so that a first run ends.
const GUESSED_COUNT: u32 = 16;
const GUESSED_TEXT: u32 = 8;
const GUESSED_ELEMENTS: u32 = 4;

/// Contracts of the program's functions, as a run checks or uses them.
#[derive(Clone, Debug, Default)]
pub struct Contracts {
    /// A driver for each source that has some.
    pub drivers: Vec<Driver>,
    /// Functions and the wrappers that stand in their place, as for `--function-alias`.
    pub aliases: Vec<String>,
}

/// Wrappers for the functions with contracts in comments: calls of all of them are checked if `check` holds, and the contracts of `used` stand in
/// the place of their code.
///
/// # Errors
/// If a contract is not understood, or a function of `used` has none.
pub fn for_contracts(
    program: &Path,
    build: &Build,
    check: bool,
    used: &[String],
) -> Result<Contracts, Failure> {
    let mut made = Contracts::default();
    let mut unknown: Vec<&String> = used.iter().collect();
    for source in sources_in_c(program, build) {
        let mut driver =
            Driver { source: source.display().to_string(), text: wrappers::head(), ..Driver::default() };
        let mut in_place = Vec::new();
        for names in wrappers::annotated(&text_of(&source)?) {
            let Some((signature, contract)) = annotated(&names, std::slice::from_ref(&source), build)? else {
                continue;
            };
            let function = signature.name.clone();
            let is_used = used.contains(&function);
            if !is_used && !check {
                continue;
            }
            let wrapper = if is_used {
                wrappers::in_place(&signature, &contract)
            } else {
                wrappers::checking(&signature, &contract)
            };
            let wrapper = wrapper.map_err(|why| of_function(&signature, &why))?;
            driver.text.push_str(&wrapper.text);
            made.aliases.push(wrapper.alias);
            unknown.retain(|name| **name != function);
            if is_used {
                in_place.push(format!("`{function}`"));
            }
        }
        if !in_place.is_empty() {
            let (contracts, stand) =
                if in_place.len() == 1 { ("contract", "stands") } else { ("contracts", "stand") };
            driver.about = format!("the {contracts} of {} {stand} in the place of code", in_place.join(", "));
        }
        driver.text = harness::with_lines(&driver.text);
        made.drivers.push(driver);
    }
    if let Some(name) = unknown.first() {
        return Err(Failure::usage(format!(
            "--use-contract {name}: no source in C has a function of this name below a comment with its contract; write //@ in front of its clauses"
        )));
    }
    if made.aliases.is_empty() {
        return Err(Failure::usage(
            "--check-contracts: no source in C has a function below a comment with its contract; write //@ in front of its clauses",
        ));
    }
    Ok(made)
}

/// The function that has the contract in a comment, out of the names behind the comment: some may be those of macros.
fn annotated(
    names: &[String],
    sources: &[PathBuf],
    build: &Build,
) -> Result<Option<(Signature, Contract)>, Failure> {
    for name in names {
        if signature::if_defined(name, &[], sources, &build.all_flags())?.is_some()
            && let (signature, Some(contract)) = with_contract(name, &[], sources, build)?
        {
            return Ok(Some((signature, contract)));
        }
    }
    Ok(None)
}

/// The sources of a program in C and C++, as absolute paths.
fn sources_with_types(program: &Path, build: &Build) -> Vec<PathBuf> {
    sources_in(&[Language::C, Language::Cxx], program, build)
}

/// The sources in C of a program, as absolute paths.
pub fn sources_in_c(program: &Path, build: &Build) -> Vec<PathBuf> {
    sources_in(&[Language::C], program, build)
}

fn sources_in(languages: &[Language], program: &Path, build: &Build) -> Vec<PathBuf> {
    let is_in = |path: &PathBuf| source_language(path).is_some_and(|language| languages.contains(&language));
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    build.sources(program).into_iter().filter(is_in).map(absolute).collect()
}

fn text_of(source: &Path) -> Result<String, Failure> {
    let bytes =
        std::fs::read(source).map_err(|e| Failure::new(format!("cannot read {}: {e}", source.display())))?;
    // One character a byte, so that clang's offsets hold.
    Ok(bytes.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect())
}

/// Says what a contract could say, where without one an object and its size have nothing to do with each other.
fn hint(signature: &Signature) {
    let guess = guessed(signature);
    if guess.given.iter().any(|item| matches!(item, Item::Object { .. } | Item::Text { .. })) {
        note(format_args!(
            "each pointer is null or has --pointer-size bytes, whatever other arguments are; a contract says more, like --entry-point '{}'",
            shown(&guess)
        ));
    }
}

/// Items of the command line beside those of comments; of two about one place, the command line's.
fn both(given: Contract, annotated: Contract) -> Contract {
    let is_said =
        |item: &Item| item.place().is_some() && given.given.iter().any(|own| own.place() == item.place());
    let mut all: Vec<Item> = annotated.given.iter().filter(|item| !is_said(item)).cloned().collect();
    all.extend(given.given);
    Contract { given: all, ..annotated }
}

/// A contract as a user writes it on the command line.
pub fn shown(contract: &Contract) -> String {
    let items: Vec<_> = contract.given.iter().map(Item::written).collect();
    format!("{}({})", contract.function, items.join(", "))
}
