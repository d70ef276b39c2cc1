//! The attributes of the crate `cleave`, which exports them: proofs, and inputs of a program's own types.
#![warn(missing_docs)]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{parse_macro_input, parse_quote, Attribute, DeriveInput, Error, ItemFn};

mod derive;

/// Bounds of loops and names of solvers: Cleave explores loops to their end, and chooses for itself.
const WITHOUT_MEANING: [&str; 2] = ["unwind", "solver"];
/// A proof in which a panic is expected.
const SHOULD_PANIC: &str = "should_panic";
/// Attributes of Kani that change a program.
const UNKNOWN: [&str; 4] = ["stub", "stub_verified", "proof_for_contract", "for_contract"];

/// The last part of an attribute's path, if it is one of Kani's or ours.
fn word(attribute: &Attribute) -> Option<String> {
    let path = attribute.path();
    let ours =
        ["kani", "cleave"].iter().any(|name| path.segments.first().is_some_and(|first| first.ident == name));
    let bare = path.is_ident(SHOULD_PANIC);
    (ours || bare).then(|| path.segments.last().map(|last| last.ident.to_string())).flatten()
}

/// Marks a function without parameters, which `cleave cargo test` explores as a program of its own: its inputs come of
/// `cleave::any()`, and a path on which it panics is a counterexample. With `#[should_panic]` below it some path has to panic.
#[proc_macro_attribute]
pub fn proof(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(item as ItemFn);
    match entry(&Tokens::from(arguments), &mut function) {
        Ok(entry) => quote!(#function #entry).into(),
        Err(error) => {
            let told = error.to_compile_error();
            quote!(#told #function).into()
        }
    }
}

/// The record of a proof. Takes away the attributes that belong to it.
fn entry(arguments: &Tokens, function: &mut ItemFn) -> Result<Tokens, Error> {
    let signature = &function.sig;
    if !arguments.is_empty() {
        return Err(Error::new_spanned(arguments, "a proof has no options; write #[cleave::proof]"));
    }
    if !signature.inputs.is_empty() || !signature.generics.params.is_empty() {
        return Err(Error::new_spanned(
            signature,
            "a proof has no parameters; make its inputs by cleave::any()",
        ));
    }
    if signature.asyncness.is_some() {
        return Err(Error::new_spanned(signature, "a proof cannot be async; run the future in it"));
    }
    let mut should_panic = false;
    for attribute in &function.attrs {
        match word(attribute) {
            Some(word) if UNKNOWN.contains(&word.as_str()) => {
                return Err(Error::new_spanned(
                    attribute,
                    format!("Cleave has no `{word}`; prove the function as it is"),
                ));
            }
            Some(word) => should_panic |= word == SHOULD_PANIC,
            None => {}
        }
    }
    let taken = |word: &str| word == SHOULD_PANIC || WITHOUT_MEANING.contains(&word);
    function.attrs.retain(|attribute| !word(attribute).is_some_and(|word| taken(&word)));
    let name = &function.sig.ident;
    Ok(quote! {
        const _: () = {
            #[used]
            #[unsafe(link_section = "cleave_proofs")]
            static PROOF: ::cleave::Proof =
                ::cleave::Proof::new(concat!(module_path!(), "::", stringify!(#name)), run, #should_panic);
            fn run() {
                ::cleave::run_proof(#name);
            }
        };
    })
}

/// Leaves a function as it is: Cleave explores loops to their end.
#[proc_macro_attribute]
pub fn unwind(_bound: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Leaves a function as it is: Cleave chooses its solver itself.
#[proc_macro_attribute]
pub fn solver(_name: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Says of a proof that stands below it that some path has to panic.
#[proc_macro_attribute]
pub fn should_panic(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = parse_macro_input!(item as ItemFn);
    if !function.attrs.iter().any(|attribute| word(attribute).is_some_and(|word| word == "proof")) {
        let told = Error::new_spanned(&function.sig, "`should_panic` stands at no proof").to_compile_error();
        return quote!(#told #function).into();
    }
    function.attrs.push(parse_quote!(#[::cleave::should_panic]));
    quote!(#function).into()
}

/// Makes a type an input, part by part: each field is one, and so is the variant of an enumeration. `#[safety_constraint(CONDITION)]` at a
/// structure, or at its fields, leaves only the values for which the conditions hold; they name the fields, as references.
#[proc_macro_derive(Arbitrary, attributes(safety_constraint))]
pub fn arbitrary(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    derive::arbitrary(input).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes a type an input of a bounded size: fields that are marked `#[bounded]` are bounded inputs, the others are inputs.
#[proc_macro_derive(BoundedArbitrary, attributes(bounded))]
pub fn bounded_arbitrary(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    derive::bounded_arbitrary(input).unwrap_or_else(Error::into_compile_error).into()
}

/// Says of a structure that a value is safe where the conditions of its `#[safety_constraint(CONDITION)]` hold, or, where it has none,
/// where its fields are safe.
#[proc_macro_derive(Invariant, attributes(safety_constraint))]
pub fn invariant(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    derive::invariant(input).unwrap_or_else(Error::into_compile_error).into()
}
