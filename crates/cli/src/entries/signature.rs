//! Signatures of functions, as clang reads them out of a source.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::Failure;

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, or one that is made of its number.
    pub name: String,
    /// Its type as C is written, after decay, without qualifiers of the parameter itself: `const char *const` is `const char *`.
    pub ty: String,
    /// The kind of its type.
    pub kind: TypeKind,
}

/// Kinds of types, as a harness sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A pointer to characters.
    Characters,
    /// A pointer to something else.
    Pointer,
    /// A pointer to a function.
    Function,
    /// An integer.
    Integer,
    /// A floating-point number.
    Float,
    /// A text of C++: a `std::string` or a `std::string_view`.
    Text,
    /// Elements of C++: a `std::vector` or a `std::span`.
    Elements,
    /// A structure or a union.
    Other,
}

/// A function that a source defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The source.
    pub source: PathBuf,
    /// Its name, with the namespaces that it is in.
    pub name: String,
    /// The class of the object that it is called on, if it is a method that needs one.
    pub class: Option<String>,
    /// Its parameters, in their order.
    pub parameters: Vec<Parameter>,
    /// The kind of its result; `None` for `void`.
    pub result: Option<TypeKind>,
    /// The byte of the source at which its definition begins.
    pub offset: u64,
}

impl Signature {
    /// The name without namespaces and class.
    pub fn last_name(&self) -> &str {
        last_of(&self.name)
    }
}

fn last_of(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// A declaration in clang's tree.
#[derive(Deserialize)]
struct Decl {
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(rename = "type", default)]
    ty: Type,
    #[serde(default)]
    range: Range,
    #[serde(default)]
    variadic: bool,
    #[serde(rename = "mangledName", default)]
    mangled: String,
    #[serde(rename = "storageClass", default)]
    storage: String,
    #[serde(default)]
    inner: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(rename = "type", default)]
    ty: Type,
}

#[derive(Default, Deserialize)]
struct Type {
    #[serde(rename = "qualType", default)]
    written: String,
    #[serde(rename = "desugaredQualType")]
    whole: Option<String>,
}

#[derive(Default, Deserialize)]
struct Range {
    #[serde(default)]
    begin: Position,
}

#[derive(Default, Deserialize)]
struct Position {
    #[serde(default)]
    offset: u64,
    #[serde(rename = "expansionLoc")]
    expansion: Option<Box<Position>>,
}

/// The function of this name that one of the sources defines. Of several with the name it is the one whose parameters have the names that stand
/// in `words`.
///
/// # Errors
/// If none does, clang cannot read them, the function takes variable arguments, or several are left.
pub fn of_function(
    name: &str,
    words: &[String],
    sources: &[PathBuf],
    flags: &[OsString],
) -> Result<Signature, Failure> {
    if let Some(found) = if_defined(name, words, sources, flags)? {
        return Ok(found);
    }
    let all: Vec<_> = sources.iter().map(|source| source.display().to_string()).collect();
    Err(Failure::usage(format!(
        "`{name}` is defined nowhere in {}; give the name of a function in it",
        all.join(", ")
    )))
}

/// The function of this name, if one of the sources defines it.
///
/// # Errors
/// As [`of_function`].
pub fn if_defined(
    name: &str,
    words: &[String],
    sources: &[PathBuf],
    flags: &[OsString],
) -> Result<Option<Signature>, Failure> {
    for source in sources {
        if let Some(found) = in_source(name, words, source, flags)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A function of a class in clang's tree.
const METHOD: &str = "CXXMethodDecl";

fn in_source(
    name: &str,
    words: &[String],
    source: &Path,
    flags: &[OsString],
) -> Result<Option<Signature>, Failure> {
    let tree = cleave_toolchain::declarations(source, flags, name)?;
    let last = last_of(name);
    let decls = serde_json::Deserializer::from_str(&tree).into_iter::<Decl>().collect::<Result<Vec<_>, _>>();
    let mut decls = decls
        .map_err(|e| Failure::new(format!("cannot read what clang says of {}: {e}", source.display())))?;
    decls.retain(|decl| (decl.kind == "FunctionDecl" || decl.kind == METHOD) && decl.name == last);
    // Only the declaration in the class says so.
    let of_class = decls.iter().filter(|decl| decl.storage == "static");
    let without_object: Vec<String> = of_class.map(|decl| decl.mangled.clone()).collect();
    let mut all = Vec::new();
    for decl in decls {
        if !decl.inner.iter().any(|part| part.kind == "CompoundStmt") {
            continue;
        }
        if decl.variadic {
            return Err(Failure::usage(format!(
                "`{name}` takes variable arguments, which no contract names; write a function that calls it"
            )));
        }
        let has_plain_result = has_plain_result(&decl.ty.written);
        let has_object = decl.kind == METHOD && !without_object.contains(&decl.mangled);
        let mut found = signature(decl, source);
        found.name = name.to_string();
        found.class = name.rsplit_once("::").map(|(class, _)| class.to_string()).filter(|_| has_object);
        if !has_plain_result {
            found.result = Some(kind_of_result(&found, flags));
        }
        all.push(found);
    }
    one_of(all, words).map_err(|count| {
        Failure::usage(format!(
            "{count} functions are called `{name}` in {}; name parameters that only one of them has, or write a function of another name that calls it",
            source.display()
        ))
    })
}

/// The function with all parameters that `words` name, and with the fewest others. An error is the number of those that are left.
fn one_of(mut all: Vec<Signature>, words: &[String]) -> Result<Option<Signature>, usize> {
    if all.len() < 2 {
        return Ok(all.pop());
    }
    let named = |signature: &Signature| {
        signature.parameters.iter().filter(|parameter| words.contains(&parameter.name)).count()
    };
    let most = all.iter().map(named).max().unwrap_or_default();
    all.retain(|signature| most > 0 && named(signature) == most);
    let least = all.iter().map(|signature| signature.parameters.len()).min();
    all.retain(|signature| Some(signature.parameters.len()) == least);
    match all.len() {
        1 => Ok(all.pop()),
        _ => Err(all.len()),
    }
}

/// Returns true if the text of a function's type tells the kind of its result: no name of a type stands for it, and it is no pointer to a
/// function.
fn has_plain_result(ty: &str) -> bool {
    let result = ty.split('(').next().unwrap_or_default().trim();
    let is_pointer_to_function = ty.trim_start_matches(result).trim_start().starts_with("(*");
    !is_pointer_to_function && (result == "void" || kind_of(result) != TypeKind::Other)
}

/// The kind of a function's result, whatever names its type has.
fn kind_of_result(signature: &Signature, flags: &[OsString]) -> TypeKind {
    const VARIABLE: &str = "cleave_kind_of_result";
    let values: Vec<_> =
        signature.parameters.iter().map(|parameter| format!("*(__typeof__({}) *)0", parameter.ty)).collect();
    let source = std::path::absolute(&signature.source).unwrap_or_else(|_| signature.source.clone());
    let function = match &signature.class {
        Some(class) => format!("(({class} *)0)->{}", signature.last_name()),
        None => signature.name.clone(),
    };
    let text = format!(
        "#include \"{}\"\nextern __typeof__({function}({})) {VARIABLE};\n",
        source.display(),
        values.join(", ")
    );
    let tree = || {
        let folder = tempfile::tempdir().ok()?;
        let file = folder.path().join("result").with_extension(source.extension().unwrap_or_default());
        std::fs::write(&file, text).ok()?;
        cleave_toolchain::declarations(&file, flags, VARIABLE).ok()
    };
    let tree = tree().unwrap_or_default();
    let decls = serde_json::Deserializer::from_str(&tree).into_iter::<Decl>();
    let ty = decls.filter_map(Result::ok).find(|decl| decl.name == VARIABLE).map(|decl| decl.ty);
    ty.map_or(TypeKind::Other, |ty| kind_of(ty.whole.as_deref().unwrap_or(&ty.written)))
}

fn signature(decl: Decl, source: &Path) -> Signature {
    let begin = &decl.range.begin;
    let offset = begin.expansion.as_ref().map_or(begin.offset, |place| place.offset);
    let result = decl.ty.written.split('(').next().unwrap_or_default().trim().to_string();
    let own = decl.inner.into_iter().filter(|part| part.kind == "ParmVarDecl");
    let parameters = own
        .enumerate()
        .map(|(n, Part { name, ty, .. })| {
            let kind = kind_of(ty.whole.as_deref().unwrap_or(&ty.written));
            // The whole name of a class is one outside of the function's namespace, too.
            let ty = match (kind, &ty.whole) {
                (TypeKind::Text | TypeKind::Elements, Some(whole)) => {
                    unqualified(&Type { written: whole.clone(), whole: None })
                }
                _ => unqualified(&ty),
            };
            Parameter { name: if name.is_empty() { format!("argument{n}") } else { name }, kind, ty }
        })
        .collect();
    Signature {
        source: source.to_path_buf(),
        name: decl.name,
        class: None,
        parameters,
        result: (result != "void").then(|| kind_of(&result)),
        offset,
    }
}

/// A type without qualifiers of its own: a variable of the type gets its value by an assignment.
fn unqualified(ty: &Type) -> String {
    // A reference gets a variable of its own.
    if let Some(object) = ty.written.trim_end().strip_suffix('&') {
        let whole = ty.whole.as_deref().map(|whole| whole.trim_end_matches(['&', ' ']).to_string());
        return unqualified(&Type { written: object.trim_end().to_string(), whole });
    }
    let bare = without_last_qualifiers(&ty.written);
    let whole = ty.whole.as_deref().unwrap_or(&ty.written);
    let is_pointer = |text: &str| text.ends_with('*') || text.contains(")(");
    let is_constant = match is_pointer(without_last_qualifiers(whole)) {
        true => whole.ends_with("const") || whole.contains("*const)("),
        false => whole.starts_with("const ") || whole.ends_with(" const"),
    };
    match bare {
        _ if !is_constant => bare.to_string(),
        bare if bare.ends_with('*') => bare.to_string(),
        bare if !is_pointer(bare) && bare.starts_with("const ") => bare["const ".len()..].to_string(),
        // A name of a type, or a pointer to a function.
        bare => format!("__typeof_unqual__({bare})"),
    }
}

fn without_last_qualifiers(ty: &str) -> &str {
    let mut ty = ty.trim();
    while let Some(rest) = QUALIFIERS.iter().find_map(|word| ty.strip_suffix(word)) {
        ty = rest.trim_end();
    }
    ty
}

/// Words in front of a type, or behind its star, that say nothing about its kind.
const QUALIFIERS: [&str; 6] = ["const", "volatile", "restrict", "__restrict", "_Nonnull", "_Nullable"];

fn kind_of(ty: &str) -> TypeKind {
    let ty = without_last_qualifiers(ty.trim_end_matches(['&', ' ']));
    if let "std::string" | "std::string_view" = ty.strip_prefix("const ").unwrap_or(ty) {
        return TypeKind::Text;
    }
    if ty.ends_with('>') {
        let class = ty.split('<').next().unwrap_or_default().rsplit([':', ' ']).next().unwrap_or_default();
        let of_characters = ty.contains("<char>") || ty.contains("<char,");
        return match class {
            "basic_string" | "basic_string_view" if of_characters => TypeKind::Text,
            "vector" | "span" => TypeKind::Elements,
            _ => TypeKind::Other,
        };
    }
    if ty.contains("(*)(") || ty.contains("(*const)(") {
        return TypeKind::Function;
    }
    let words = |text: &str| -> Vec<String> {
        text.split_whitespace().filter(|word| !QUALIFIERS.contains(word)).map(String::from).collect()
    };
    if let Some(inner) = ty.strip_suffix('*') {
        return match words(inner).join(" ").as_str() {
            "char" => TypeKind::Characters,
            _ => TypeKind::Pointer,
        };
    }
    if ty.contains("(*)") {
        return TypeKind::Pointer;
    }
    let of_integers = [
        "char", "short", "int", "long", "signed", "unsigned", "_Bool", "bool", "__int128", "size_t",
        "ssize_t",
    ];
    let words = words(ty);
    let is_integer = words.first().is_some_and(|word| word == "enum")
        || !words.is_empty() && words.iter().all(|word| of_integers.contains(&word.as_str()));
    match words.last().map(String::as_str) {
        _ if is_integer => TypeKind::Integer,
        Some("float" | "double") => TypeKind::Float,
        _ => TypeKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_types() {
        for (ty, kind) in [
            ("const char *", TypeKind::Characters),
            ("char *restrict", TypeKind::Characters),
            ("const unsigned char *", TypeKind::Pointer),
            ("struct header *", TypeKind::Pointer),
            ("int (*)[4]", TypeKind::Pointer),
            ("int (*)(const void *, const void *)", TypeKind::Function),
            ("unsigned long", TypeKind::Integer),
            ("const int", TypeKind::Integer),
            ("enum color", TypeKind::Integer),
            ("long double", TypeKind::Float),
            ("struct pair", TypeKind::Other),
            ("int (*const)(void)", TypeKind::Function),
            ("const std::basic_string<char> &", TypeKind::Text),
            ("std::basic_string_view<char>", TypeKind::Text),
            ("const std::string &", TypeKind::Text),
            ("std::string_view", TypeKind::Text),
            ("const std::vector<int> &", TypeKind::Elements),
            ("std::map<int, int>", TypeKind::Other),
            ("int &", TypeKind::Integer),
        ] {
            assert_eq!(kind_of(ty), kind, "{ty}");
        }
    }

    #[test]
    fn a_parameter_is_a_variable_even_where_the_function_does_not_change_it() {
        for (written, whole, ty) in [
            ("const unsigned char *const", None, "const unsigned char *"),
            ("char *const restrict", None, "char *"),
            ("const int", None, "int"),
            ("const struct pair", None, "struct pair"),
            ("name_t", Some("char *const"), "__typeof_unqual__(name_t)"),
            ("int (*const)(void)", None, "__typeof_unqual__(int (*const)(void))"),
            ("const char *", None, "const char *"),
            ("number_t", Some("int"), "number_t"),
            ("const std::string &", Some("const std::basic_string<char> &"), "std::string"),
            ("int &", None, "int"),
        ] {
            let of = Type { written: written.into(), whole: whole.map(Into::into) };
            assert_eq!(unqualified(&of), ty);
        }
    }

    #[test]
    fn kinds_of_results_that_the_type_does_not_tell() {
        for (ty, plain) in [
            ("int (int)", true),
            ("void (void)", true),
            ("const char *(int)", true),
            ("size_t (void)", true),
            ("uLong (void)", false),
            ("int (*(int))(int)", false),
            ("int (int (*)(int))", true),
        ] {
            assert_eq!(has_plain_result(ty), plain, "{ty}");
        }
    }
}
