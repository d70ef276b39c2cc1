//! Statements that make the inputs of a Rust function, by the types of its parameters.

use quote::ToTokens;
use syn::{GenericArgument, GenericParam, PathArguments, Type, TypeParamBound};

use crate::entries::contract::{self, Item};
use crate::entries::rust::functions::{Defined, Function, name_of, written};

/// Sizes in guessed contracts: small, so that a first run ends.
const GUESSED_BYTES: u64 = 16;
const GUESSED_TEXT: u64 = 4;
const GUESSED_ELEMENTS: u64 = 4;
const GUESSED_ENTRIES: u64 = 2;

/// Types of std that are inputs of a size up to a bound.
const BOUNDED: [&str; 6] = ["String", "Vec", "HashMap", "HashSet", "BTreeMap", "BTreeSet"];
/// Types that are inputs as they are, beside numbers.
const PLAIN: [&str; 12] = [
    "bool",
    "char",
    "f32",
    "f64",
    "Option",
    "Result",
    "Box",
    "Rc",
    "Arc",
    "Duration",
    "PhantomData",
    "Wrapping",
];

/// Makes inputs.
pub struct Inputs<'a> {
    /// The function.
    pub function: &'a Function,
    /// Types of its source.
    pub types: &'a [Defined],
    /// Items of its contract.
    pub given: &'a [Item],
    /// Statements so far.
    pub statements: Vec<String>,
    /// Assumptions that stand behind all inputs.
    pub assumptions: Vec<String>,
    /// Values and sizes that no item gives, each as a sentence.
    pub guesses: Vec<String>,
}

/// A place that gets a value, and the size that it has.
struct Place<'a> {
    name: &'a str,
    is_mutable: bool,
    size: Size,
}

/// The size of a text or of elements.
#[derive(Clone, Copy)]
enum Size {
    Exactly(u64),
    AtMost(u64),
    Guessed,
}

impl Inputs<'_> {
    /// Makes a parameter; the expression that the call has for it.
    ///
    /// # Errors
    /// A sentence about a type of which nothing is known, or an item that does not fit.
    pub fn parameter(&mut self, name: &str, ty: &Type) -> Result<String, String> {
        let ty = &self.without_self(ty);
        if let Some(value) = self.given.iter().find_map(|item| match item {
            Item::Fixed { place, value } if place == name => Some(value),
            _ => None,
        }) {
            self.statements.push(format!("let {name}: {} = {value};", written(ty)));
            return Ok(name.to_string());
        }
        let size = self.size_of(name)?;
        let Some((stands, view)) = self.stands_for(ty)? else { return self.made(name, ty, size) };
        self.guesses.push(format!("`{name}` is a `{}`", written(&stands)));
        let made = self.made(name, &stands, size)? + view;
        Ok(match ty {
            Type::Reference(reference) if reference.mutability.is_some() => format!("&mut {made}"),
            Type::Reference(_) => format!("&{made}"),
            _ => made,
        })
    }

    /// The size that an item gives.
    fn size_of(&mut self, name: &str) -> Result<Size, String> {
        let Some(item) = self.given.iter().find(|item| item.place() == Some(name)) else {
            return Ok(Size::Guessed);
        };
        let number = |text: &str| text.trim_matches(['(', ')', ' ']).parse::<u64>().ok();
        match item {
            Item::Object { nullable: true, .. } | Item::Text { nullable: true, .. } => {
                Err(format!("`{}`: nothing in Rust is null", item.written()))
            }
            Item::Object { count: Some(count), .. } => {
                if let Some(count) = number(count) {
                    return Ok(Size::Exactly(count));
                }
                self.assumptions.push(format!("{name}.len() == ({count}) as usize"));
                let (most, unbounded) = contract::bounded(count, self.given)?;
                match number(&most) {
                    Some(most) if unbounded.is_empty() => Ok(Size::AtMost(most)),
                    _ => Err(format!(
                        "nothing bounds `{}` by a number; add a condition like `{count} <= 8`",
                        item.written()
                    )),
                }
            }
            Item::Text { most, .. } => number(most)
                .map(Size::AtMost)
                .ok_or_else(|| format!("`{}`: give a number of bytes", item.written())),
            Item::Object { count: None, .. } | Item::Fixed { .. } | Item::Assumed(_) => Ok(Size::Guessed),
        }
    }

    fn made(&mut self, name: &str, ty: &Type, size: Size) -> Result<String, String> {
        let plain = Place { name, is_mutable: false, size };
        match ty {
            Type::Paren(inner) => self.made(name, &inner.elem, size),
            Type::Group(inner) => self.made(name, &inner.elem, size),
            Type::Reference(reference) => {
                let place = Place { name, is_mutable: reference.mutability.is_some(), size };
                self.referred(&place, &reference.elem)
            }
            Type::Ptr(pointer) => {
                let place = Place { name, is_mutable: pointer.mutability.is_some(), size };
                self.pointed(&place, &pointer.elem)
            }
            _ if named(ty, "PathBuf") || named(ty, "OsString") => {
                self.text(&plain)?;
                Ok(format!("{}::from({name})", written(ty)))
            }
            _ if named(ty, "Cow") && arguments(ty).iter().any(|inner| named(inner, "str")) => {
                self.text(&plain)?;
                Ok(format!("std::borrow::Cow::from({name})"))
            }
            _ => match arguments(ty).first() {
                Some(Type::Reference(reference)) if named(ty, "Option") => {
                    let place = Place { name, is_mutable: reference.mutability.is_some(), size };
                    self.optional(&place, &reference.elem)
                }
                _ => self.owned(&plain, ty).map(|()| name.to_string()),
            },
        }
    }

    /// The value that a reference refers to.
    fn referred(&mut self, place: &Place, ty: &Type) -> Result<String, String> {
        let (name, is_mutable) = (place.name, place.is_mutable);
        match ty {
            Type::Slice(slice) => self.elements(place, &slice.elem)?,
            _ if named(ty, "str") => {
                self.text(place)?;
                return Ok(if is_mutable { format!("{name}.as_mut_str()") } else { format!("&{name}") });
            }
            _ if named(ty, "Path") || named(ty, "OsStr") => {
                self.text(place)?;
                return Ok(format!("{}::new(&{name})", written(ty)));
            }
            _ if named(ty, "CStr") => {
                self.bytes_with_zero(place)?;
                return Ok(format!("std::ffi::CStr::from_bytes_until_nul(&{name}).unwrap()"));
            }
            _ => self.owned(place, ty)?,
        }
        Ok(format!("{}{name}", if is_mutable { "&mut " } else { "&" }))
    }

    /// One value that a raw pointer points to, or elements where an item says how many.
    fn pointed(&mut self, place: &Place, ty: &Type) -> Result<String, String> {
        let Place { name, is_mutable, size } = *place;
        let view = if is_mutable { format!("{name}.as_mut_ptr()") } else { format!("{name}.as_ptr()") };
        if named(ty, "c_char") {
            self.bytes_with_zero(place)?;
            return Ok(format!("{view}.cast()"));
        }
        if matches!(size, Size::Guessed) {
            self.owned(place, ty)?;
            return Ok(if is_mutable { format!("&raw mut {name}") } else { format!("&raw const {name}") });
        }
        self.elements(place, ty)?;
        Ok(view)
    }

    /// The value that an optional reference refers to.
    fn optional(&mut self, place: &Place, ty: &Type) -> Result<String, String> {
        let (owned, view) = match ty {
            Type::Slice(slice) => (format!("Vec<{}>", written(&slice.elem)), "as_deref"),
            _ if named(ty, "str") => ("String".into(), "as_deref"),
            _ => (written(ty), if place.is_mutable { "as_mut" } else { "as_ref" }),
        };
        let end = if place.is_mutable && view == "as_deref" { "_mut" } else { "" };
        let owned = syn::parse_str(&format!("Option<{owned}>")).map_err(|_| self.unknown(place.name, ty))?;
        self.owned(place, &owned)?;
        Ok(format!("{}.{view}{end}()", place.name))
    }

    /// A value of its own.
    fn owned(&mut self, place: &Place, ty: &Type) -> Result<(), String> {
        if refers(ty) {
            return Err(self.unknown(place.name, ty));
        }
        let bounded = std::iter::once(ty.clone()).chain(arguments(ty)).find(is_bounded);
        if let Some(inner) = bounded {
            return self.bounded(place, ty, &inner);
        }
        let (name, sign) = (place.name, sign(place));
        let text = written(ty);
        if let Some(defined) = self.types.iter().find(|defined| defined.name == name_of(ty)) {
            match (defined.is_arbitrary, &defined.made_by) {
                (true, _) => {}
                (false, Some(made)) => {
                    self.guesses.push(format!("`{name}` is {made}"));
                    self.statements.push(format!("let {sign}{name} = {made};"));
                    return Ok(());
                }
                (false, None) => self.guesses.push(format!(
                    "`{text}` is an input: put #[cfg_attr(all(test, cleave), derive(cleave::Arbitrary))] above it"
                )),
            }
        } else if !is_plain(ty) {
            self.guesses.push(format!("`{text}` is an input: it has to be cleave::Arbitrary"));
        }
        self.statements.push(format!("let {sign}{name}: {text} = cleave::named({name:?});"));
        Ok(())
    }

    /// A value of a type that has a size.
    fn bounded(&mut self, place: &Place, ty: &Type, inner: &Type) -> Result<(), String> {
        if let (true, Some(element)) = (named(ty, "Vec"), arguments(ty).first()) {
            return self.elements(place, element);
        }
        let (guess, unit) = match name_of(inner).as_str() {
            "String" => (GUESSED_TEXT, "bytes"),
            "Vec" => (GUESSED_ELEMENTS, "elements"),
            _ => (GUESSED_ENTRIES, "entries"),
        };
        let most = self.most(place, guess, unit)?;
        let (name, sign) = (place.name, sign(place));
        self.statements.push(format!("let {sign}{name} = cleave::bounded_any::<{}, {most}>();", written(ty)));
        Ok(())
    }

    /// The greatest size of a place.
    fn most(&mut self, place: &Place, guess: u64, unit: &str) -> Result<u64, String> {
        match place.size {
            Size::AtMost(most) => Ok(most),
            Size::Exactly(count) => Err(format!(
                "`{0}[{count}]` is for slices, vectors and pointers; write `{0}: string <= {count}` for a text",
                place.name
            )),
            Size::Guessed => {
                self.guesses.push(format!("`{}` has at most {guess} {unit}", place.name));
                Ok(guess)
            }
        }
    }

    fn text(&mut self, place: &Place) -> Result<(), String> {
        let most = self.most(place, GUESSED_TEXT, "bytes")?;
        let (name, sign) = (place.name, sign(place));
        self.statements.push(format!("let {sign}{name} = cleave::bounded_any::<String, {most}>();"));
        Ok(())
    }

    fn bytes_with_zero(&mut self, place: &Place) -> Result<(), String> {
        let most = self.most(place, GUESSED_TEXT, "bytes")?;
        let name = place.name;
        self.statements.push(format!("let mut {name} = cleave::vec::any_vec::<u8, {most}>();"));
        self.statements.push(format!("{name}.push(0);"));
        Ok(())
    }

    fn elements(&mut self, place: &Place, element: &Type) -> Result<(), String> {
        let (name, sign, ty) = (place.name, sign(place), element);
        if refers(ty) || is_bounded(ty) {
            return Err(format!(
                "nothing makes elements of type `{}` for `{name}`; write a function of simpler values that calls this one",
                written(ty)
            ));
        }
        let guess = if named(ty, "u8") { GUESSED_BYTES } else { GUESSED_ELEMENTS };
        let how = match place.size {
            Size::Exactly(count) => format!("exact_vec::<{}, {count}>", written(ty)),
            _ => format!("any_vec::<{}, {}>", written(ty), self.most(place, guess, "elements")?),
        };
        let is_known = self.types.iter().any(|defined| defined.name == name_of(ty) && defined.is_arbitrary);
        if !is_known && !is_plain(ty) {
            self.guesses.push(format!("`{}` is an input: it has to be cleave::Arbitrary", written(ty)));
        }
        self.statements.push(format!("let {sign}{name} = cleave::vec::{how}();"));
        Ok(())
    }

    /// `Self` is the type that the function is a method of.
    fn without_self(&self, ty: &Type) -> Type {
        let Some((owner, _)) = &self.function.owner else { return ty.clone() };
        let text = ty.to_token_stream().to_string();
        let words: Vec<_> =
            text.split(' ').map(|word| if word == "Self" { written(owner) } else { word.into() }).collect();
        syn::parse_str(&words.join(" ")).unwrap_or_else(|_| ty.clone())
    }

    /// A type that may stand for a generic parameter or an `impl Trait`, and what its expression has behind it; `None` for other types.
    fn stands_for(&self, ty: &Type) -> Result<Option<(Type, &'static str)>, String> {
        let Some(bounds) = self.bounds_of(ty) else { return Ok(None) };
        for bound in &bounds {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            let of = last.ident.to_string();
            let inner = inner_of(&last.arguments).unwrap_or_default();
            let (stands, view) = match (of.as_str(), inner.as_str()) {
                ("Read" | "BufRead", _) | ("AsRef" | "Into" | "Borrow", "[u8]") => ("&[u8]", "[..]"),
                ("AsRef" | "Borrow", "str" | "Path" | "OsStr") | ("ToString" | "Display", _) => ("&str", ""),
                ("Into", "String" | "PathBuf" | "OsString") => ("String", ""),
                ("Write", _) if bound.path.segments.iter().all(|part| part.ident != "fmt") => {
                    ("&mut Vec<u8>", "")
                }
                ("Iterator", element) if !element.is_empty() => (&*format!("Vec<{element}>"), ".into_iter()"),
                ("IntoIterator", element) if !element.is_empty() => (&*format!("Vec<{element}>"), ""),
                ("Into" | "TryInto", inner) if !inner.is_empty() => (inner, ""),
                _ => continue,
            };
            return syn::parse_str(stands).map(|ty| Some((ty, view))).map_err(|e| e.to_string());
        }
        Err(format!(
            "nothing says which type `{}` is; write a function without it that calls this one",
            written(ty)
        ))
    }

    /// The bounds of a generic parameter of the function, or of an `impl Trait`.
    fn bounds_of(&self, ty: &Type) -> Option<Vec<TypeParamBound>> {
        let ty = match ty {
            Type::Reference(reference) => &*reference.elem,
            other => other,
        };
        match ty {
            Type::ImplTrait(of) => return Some(of.bounds.iter().cloned().collect()),
            Type::TraitObject(of) => return Some(of.bounds.iter().cloned().collect()),
            _ => {}
        }
        let Type::Path(path) = ty else { return None };
        let generics = [&self.function.signature.generics, &self.function.of_owner];
        for generics in generics {
            for parameter in &generics.params {
                let GenericParam::Type(parameter) = parameter else { continue };
                if !path.path.is_ident(&parameter.ident) {
                    continue;
                }
                let mut bounds: Vec<_> = parameter.bounds.iter().cloned().collect();
                for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
                    if let syn::WherePredicate::Type(of) = predicate
                        && named(&of.bounded_ty, &parameter.ident.to_string())
                    {
                        bounds.extend(of.bounds.iter().cloned());
                    }
                }
                return Some(bounds);
            }
        }
        None
    }

    fn unknown(&self, name: &str, ty: &Type) -> String {
        format!(
            "nothing makes a `{}` for `{name}`; write a function of simpler values that calls this one",
            written(ty)
        )
    }
}

/// The first type in angle brackets: that of `Into<T>`, of `Iterator<Item = T>`.
fn inner_of(arguments: &PathArguments) -> Option<String> {
    let PathArguments::AngleBracketed(inner) = arguments else { return None };
    inner.args.first().map(|argument| match argument {
        GenericArgument::AssocType(item) => written(&item.ty),
        other => written(other),
    })
}

fn sign(place: &Place) -> &'static str {
    if place.is_mutable { "mut " } else { "" }
}

/// Returns true if the last part of a type's path is this name.
fn named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

fn is_bounded(ty: &Type) -> bool {
    BOUNDED.iter().any(|name| named(ty, name))
}

/// Types that stand in a type's angle brackets.
fn arguments(ty: &Type) -> Vec<Type> {
    let Type::Path(path) = ty else { return Vec::new() };
    let Some(PathArguments::AngleBracketed(inner)) = path.path.segments.last().map(|last| &last.arguments)
    else {
        return Vec::new();
    };
    let types = inner.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

/// Returns true if a type has references or pointers in it, of which no input is made.
fn refers(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) | Type::Ptr(_) | Type::BareFn(_) | Type::TraitObject(_) | Type::ImplTrait(_) => {
            true
        }
        Type::Array(array) => refers(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(refers),
        Type::Path(_) => arguments(ty).iter().any(refers),
        _ => false,
    }
}

/// Returns true if the crate `cleave` makes inputs of a type.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => is_plain(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        Type::Path(_) => {
            let name = name_of(ty);
            let is_number = name.starts_with(['u', 'i']) && {
                let width = &name[1..];
                width == "size" || ["8", "16", "32", "64", "128"].contains(&width)
            };
            let is_range = name.starts_with("Range");
            let known =
                is_number || is_range || name.starts_with("NonZero") || PLAIN.contains(&name.as_str());
            known && arguments(ty).iter().all(is_plain)
        }
        _ => false,
    }
}
