//! Functions of a Rust source, as syn reads them.

use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, Meta, Type};

use crate::failure::Failure;

/// A function of a source.
#[derive(Clone)]
pub struct Function {
    /// Modules of the source that it is in, outermost first.
    pub modules: Vec<String>,
    /// The type that it is a method of, and the trait, if it is one of a trait.
    pub owner: Option<(Type, Option<syn::Path>)>,
    /// Generic parameters of the `impl` that it is in.
    pub of_owner: syn::Generics,
    /// Its name, parameters and result.
    pub signature: syn::Signature,
}

impl Function {
    /// Its name with modules and type in front: `text::Header::parse`.
    pub fn path(&self) -> String {
        let owner = self.owner.iter().map(|(owner, _)| name_of(owner));
        let own = std::iter::once(self.signature.ident.to_string());
        self.modules.iter().cloned().chain(owner).chain(own).collect::<Vec<_>>().join("::")
    }

    /// The name by which its own module calls it: `Header::parse`, `<Header as FromStr>::from_str`.
    pub fn called(&self) -> String {
        let name = &self.signature.ident;
        match &self.owner {
            None => name.to_string(),
            Some((owner, None)) => format!("{}::{name}", name_of(owner)),
            Some((owner, Some(of))) => format!("<{} as {}>::{name}", written(owner), written(of)),
        }
    }
}

/// A type that a source defines, as far as inputs are made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defined {
    /// Its name.
    pub name: String,
    /// It is an input by `derive` or by an `impl`.
    pub is_arbitrary: bool,
    /// An expression that makes a value of it without inputs: `Header::new()`.
    pub made_by: Option<String>,
}

/// The functions and types of a source.
#[derive(Clone, Default)]
pub struct Source {
    /// Its path.
    pub path: PathBuf,
    /// Its functions, in their order.
    pub functions: Vec<Function>,
    /// Its types.
    pub types: Vec<Defined>,
}

/// Reads a source.
///
/// # Errors
/// If it cannot be read, or is no Rust.
pub fn of_source(path: &Path) -> Result<Source, Failure> {
    let cannot = |why: String| Failure::usage(format!("cannot read {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| cannot(e.to_string()))?;
    let file = syn::parse_file(&text).map_err(|e| cannot(format!("it is no Rust: {e}")))?;
    let mut source = Source { path: path.to_path_buf(), ..Source::default() };
    source.items(&file.items, &mut Vec::new());
    Ok(source)
}

impl Source {
    /// The function of a name. Modules and types may stand in front of it.
    ///
    /// # Errors
    /// If none has the name, or several have it.
    pub fn function(&self, name: &str) -> Result<&Function, Failure> {
        let wanted: Vec<&str> = name.split("::").collect();
        let fits = |function: &&Function| {
            let path = function.path();
            path.split("::").collect::<Vec<_>>().ends_with(&wanted)
        };
        let found: Vec<&Function> = self.functions.iter().filter(fits).collect();
        let file = self.path.display();
        match found[..] {
            [function] => Ok(function),
            [] => Err(Failure::usage(format!(
                "`{name}` is defined nowhere in {file}; give the name of a function in it"
            ))),
            _ => {
                let all: Vec<_> = found.iter().map(|function| format!("`{}`", function.called())).collect();
                Err(Failure::usage(format!(
                    "{file} has several functions `{name}`: {}; give one with the type or module that it is in",
                    all.join(", ")
                )))
            }
        }
    }

    fn items(&mut self, items: &[Item], modules: &mut Vec<String>) {
        for item in items {
            match item {
                Item::Fn(function) => self.functions.push(Function {
                    modules: modules.clone(),
                    owner: None,
                    of_owner: syn::Generics::default(),
                    signature: function.sig.clone(),
                }),
                Item::Mod(module) => {
                    let Some((_, items)) = &module.content else { continue };
                    modules.push(module.ident.to_string());
                    self.items(items, modules);
                    modules.pop();
                }
                Item::Impl(part) => self.methods(part, modules),
                Item::Struct(ty) => {
                    let made = matches!(ty.fields, Fields::Unit).then(|| ty.ident.to_string());
                    self.defined(&ty.ident.to_string(), &ty.attrs, made);
                }
                Item::Enum(ty) => self.defined(&ty.ident.to_string(), &ty.attrs, None),
                _ => {}
            }
        }
    }

    fn methods(&mut self, part: &syn::ItemImpl, modules: &[String]) {
        let of_trait = part.trait_.as_ref().map(|(_, path, _)| path);
        let ty = name_of(&part.self_ty);
        if let Some(last) = of_trait.and_then(|of| of.segments.last()) {
            let defined = self.named(&ty);
            match last.ident.to_string().as_str() {
                "Arbitrary" => defined.is_arbitrary = true,
                "Default" => defined.made_by = Some(format!("{ty}::default()")),
                _ => {}
            }
        }
        for item in &part.items {
            let ImplItem::Fn(method) = item else { continue };
            if of_trait.is_none() && method.sig.ident == "new" && method.sig.inputs.is_empty() {
                self.named(&ty).made_by = Some(format!("{ty}::new()"));
            }
            self.functions.push(Function {
                modules: modules.to_vec(),
                owner: Some(((*part.self_ty).clone(), of_trait.cloned())),
                of_owner: part.generics.clone(),
                signature: method.sig.clone(),
            });
        }
    }

    fn defined(&mut self, name: &str, attributes: &[Attribute], made: Option<String>) {
        let derived = |word: &str| attributes.iter().any(|attribute| derives(attribute, word));
        let (is_arbitrary, has_default) = (derived("Arbitrary"), derived("Default"));
        let ty = self.named(name);
        ty.is_arbitrary |= is_arbitrary;
        ty.made_by = made.or(ty.made_by.take()).or(has_default.then(|| format!("{name}::default()")));
    }

    /// The type of a name. An `impl` may stand in front of the type.
    fn named(&mut self, name: &str) -> &mut Defined {
        let place = self.types.iter().position(|ty| ty.name == name).unwrap_or_else(|| {
            self.types.push(Defined { name: name.to_string(), ..Defined::default() });
            self.types.len() - 1
        });
        &mut self.types[place]
    }
}

/// Returns true if an attribute derives a trait, also one that holds only under `cfg_attr`.
fn derives(attribute: &Attribute, word: &str) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let is_one = |name: &str| list.path.is_ident(name);
    let text = list.tokens.to_string();
    let has = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
    is_one("derive") && has(&text) || is_one("cfg_attr") && text.contains("derive") && has(&text)
}

/// The name of a type without its parameters: that of its methods.
pub fn name_of(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        other => format!("<{}>", written(other)),
    }
}

/// Rust as a person writes it. Lifetimes are left to the compiler.
pub fn written(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    for word in words(&tokens.to_token_stream().to_string()) {
        let spaced = matches!(word.as_str(), "as" | "=" | "+" | "->" | ";" | ",");
        let opens = !spaced || matches!(word.as_str(), ";" | ",");
        let after_word = text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let joins_words = after_word && word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if (!opens || joins_words) && !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(&word);
        if spaced || matches!(word.as_str(), "mut" | "const" | "dyn" | "impl") {
            text.push(' ');
        }
    }
    text.trim_end().to_string()
}

/// The words of Rust's own text of its tokens, which stand apart. A reference's lifetime is left out, any other is `'_`.
fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_lifetime = word.starts_with('\'') && !word[1..].contains('\'') && word != "'static";
        match is_lifetime {
            true if all.last().is_some_and(|last| last.ends_with('&')) => {}
            true => all.push("'_".to_string()),
            false => all.push(word.to_string()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        let mut source = Source { path: "a.rs".into(), ..Source::default() };
        source.items(&syn::parse_file(text).unwrap().items, &mut Vec::new());
        source
    }

    #[test]
    fn functions_are_found_by_the_end_of_their_paths() {
        let all = source(
            "fn parse() {} mod text { pub fn parse(a: u8) {} } struct Header; impl Header { fn new() -> Header { Header } \
             pub fn parse(&self) {} } impl std::str::FromStr for Header { fn from_str(text: &str) {} }",
        );
        let told =
            |name: &str| all.function(name).map(Function::called).map_err(|e| e.sentence().to_string());
        assert_eq!(told("text::parse").unwrap(), "parse");
        assert_eq!(told("Header::parse").unwrap(), "Header::parse");
        assert_eq!(told("from_str").unwrap(), "<Header as std::str::FromStr>::from_str");
        assert!(told("parse").unwrap_err().contains("several functions `parse`"));
        assert!(told("pars").unwrap_err().contains("defined nowhere"));
    }

    #[test]
    fn types_are_inputs_or_made() {
        let all = source(
            "impl Default for A { fn default() -> A { A(1) } } struct A(u8); #[derive(Default, Debug)] struct B(u8); struct C; \
             #[cfg_attr(test, derive(cleave::Arbitrary))] enum D { E } struct F(u8); impl F { fn new() -> F { F(2) } }",
        );
        let of = |name: &str| all.types.iter().find(|ty| ty.name == name).unwrap().clone();
        for (name, made) in [("A", "A::default()"), ("B", "B::default()"), ("C", "C"), ("F", "F::new()")] {
            assert_eq!(of(name).made_by.as_deref(), Some(made));
            assert!(!of(name).is_arbitrary);
        }
        assert!(of("D").is_arbitrary);
    }

    #[test]
    fn types_are_written_as_a_person_writes_them() {
        for (ty, text) in [
            ("Vec<u8>", "Vec<u8>"),
            ("&'a mut [Option<&'a str>; 4]", "&mut [Option<&str>; 4]"),
            ("std::collections::HashMap<K, V>", "std::collections::HashMap<K, V>"),
            ("Header<'a>", "Header<'_>"),
            ("*const u8", "*const u8"),
            ("(u8, [u16; 2])", "(u8, [u16; 2])"),
            ("&'static dyn Fn(u8) -> u8", "&'static dyn Fn(u8) -> u8"),
        ] {
            let parsed: Type = syn::parse_str(ty).unwrap();
            assert_eq!(written(&parsed), text);
        }
    }
}
