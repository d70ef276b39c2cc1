//! The derived traits: a program's own types as inputs, and what makes a value of them safe.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{parse_quote, Attribute, Data, DeriveInput, Error, Expr, Field, Fields};

/// The attribute with the condition of a safe value, at a structure or at its fields.
const CONSTRAINT: &str = "safety_constraint";
/// The attribute of a field that is a bounded input.
const BOUNDED: &str = "bounded";

/// `Arbitrary` for a type.
pub fn arbitrary(mut input: DeriveInput) -> Result<Tokens, Error> {
    let value = value(&input, &|name, _| quote!(::cleave::named(#name)))?;
    let checked = match constraints(&input)? {
        None => value,
        Some(condition) => quote! {{
            let value = #value;
            ::cleave::assume(#condition);
            value
        }},
    };
    let header = header(&mut input, &parse_quote!(::cleave::Arbitrary), &parse_quote!(::cleave::Arbitrary));
    Ok(quote! {
        #header {
            fn any() -> Self {
                #checked
            }
        }
    })
}

/// `BoundedArbitrary` for a type.
pub fn bounded_arbitrary(mut input: DeriveInput) -> Result<Tokens, Error> {
    let value = value(&input, &|name, field| {
        let ty = &field.ty;
        if field.attrs.iter().any(|attribute| attribute.path().is_ident(BOUNDED)) {
            quote!(::cleave::bounded_any::<#ty, N>())
        } else {
            quote!(::cleave::named::<#ty>(#name))
        }
    })?;
    let header =
        header(&mut input, &parse_quote!(::cleave::BoundedArbitrary), &parse_quote!(::cleave::Arbitrary));
    Ok(quote! {
        #header {
            fn bounded_any<const N: usize>() -> Self {
                #value
            }
        }
    })
}

/// `Invariant` for a structure.
pub fn invariant(mut input: DeriveInput) -> Result<Tokens, Error> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "only a structure gets its invariant from its fields; write it by hand",
        ));
    };
    let members = data.fields.members();
    let of_fields = quote!(true #(&& ::cleave::Invariant::is_safe(&value.#members))*);
    let condition = constraints(&input)?.unwrap_or(of_fields);
    let header = header(&mut input, &parse_quote!(::cleave::Invariant), &parse_quote!(::cleave::Invariant));
    Ok(quote! {
        #header {
            fn is_safe(&self) -> bool {
                let value = self;
                #condition
            }
        }
    })
}

/// The head of the implementation of a trait, whose parameters have another one.
fn header(input: &mut DeriveInput, of: &syn::Path, parameters: &syn::Path) -> Tokens {
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#parameters));
    }
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    quote!(impl #generics #of for #name #arguments #conditions)
}

/// A value whose fields are inputs, which `input` makes of their names.
fn value(of: &DeriveInput, input: &dyn Fn(&str, &Field) -> Tokens) -> Result<Tokens, Error> {
    let name = &of.ident;
    match &of.data {
        Data::Struct(data) => Ok(inputs(&quote!(#name), &data.fields, input)),
        Data::Enum(data) if data.variants.is_empty() => {
            Err(Error::new_spanned(name, "an enumeration without variants has no value"))
        }
        Data::Enum(data) => {
            let variants = data.variants.iter().enumerate().map(|(n, variant)| {
                let (n, ident) = (n as u32, &variant.ident);
                let value = inputs(&quote!(#name::#ident), &variant.fields, input);
                quote!(#n => #value)
            });
            let count = data.variants.len() as u32;
            Ok(quote! {{
                let variant: u32 = ::cleave::named("variant");
                ::cleave::assume(variant < #count);
                match variant {
                    #(#variants,)*
                    _ => ::core::unreachable!(),
                }
            }})
        }
        Data::Union(_) => Err(Error::new_spanned(
            name,
            "a union has no values of its own; make an input of one of its fields",
        )),
    }
}

fn inputs(path: &Tokens, fields: &Fields, input: &dyn Fn(&str, &Field) -> Tokens) -> Tokens {
    let inputs = fields.iter().enumerate().map(|(n, field)| match &field.ident {
        Some(name) => {
            let input = input(&name.to_string(), field);
            quote!(#name: #input)
        }
        None => input(&format_ident!("field_{n}").to_string(), field),
    });
    match fields {
        Fields::Unit => quote!(#path),
        Fields::Named(_) => quote!(#path { #(#inputs),* }),
        Fields::Unnamed(_) => quote!(#path(#(#inputs),*)),
    }
}

/// The conditions of a type's safe values, all in one, with references to the fields of `value` in scope; nothing where it has none.
fn constraints(input: &DeriveInput) -> Result<Option<Tokens>, Error> {
    let is_constraint = |attribute: &&Attribute| attribute.path().is_ident(CONSTRAINT);
    let of_type: Vec<_> = input.attrs.iter().filter(is_constraint).collect();
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let of_fields: Vec<_> =
        fields.iter().flat_map(|field| field.attrs.iter().filter(is_constraint)).collect();
    let Some(first) = of_type.iter().chain(&of_fields).next() else { return Ok(None) };
    let told = if !matches!(input.data, Data::Struct(_)) {
        Some("only a structure has a condition; implement the trait by hand")
    } else if !of_type.is_empty() && !of_fields.is_empty() {
        Some("a condition stands at the structure or at its fields, not at both; move them to one place")
    } else if !of_fields.is_empty() && fields.iter().any(|field| field.ident.is_none()) {
        Some("a condition names its field, and this one has no name; give it one")
    } else {
        None
    };
    if let Some(told) = told {
        return Err(Error::new_spanned(first, told));
    }
    let conditions: Vec<Expr> =
        of_type.iter().chain(&of_fields).map(|attribute| attribute.parse_args()).collect::<Result<_, _>>()?;
    let names: Vec<_> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    Ok(Some(quote! {{
        #(#[allow(unused_variables)] let #names = &value.#names;)*
        #((#conditions))&&*
    }}))
}
