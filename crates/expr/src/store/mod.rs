//! The store of terms: their nodes, and what is known of them once and for all.

pub(crate) mod histories; // histories of arrays that were read at symbolic offsets
pub(crate) mod nested; // nested reads at unknown places in a term
pub(crate) mod nesting; // the depth of such reads
pub(crate) mod notes; // marks that users of terms set on them
pub(crate) mod term; // handles, operators and nodes
pub(crate) mod term_map; // a map from terms to terms for one walk
pub(crate) mod terms; // the store
pub(crate) mod witness; // concrete values for input bytes
