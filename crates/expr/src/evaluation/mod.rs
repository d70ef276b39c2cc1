//! Evaluation of terms: under a witness, for 64 inputs at once, and in all rows of enumerated models.

pub(crate) mod cache; // values under the last two witnesses
pub(crate) mod column; // value vectors: a term's values in the rows of a table
pub(crate) mod entries; // the entries of constant tables
pub(crate) mod eval; // evaluation under a witness
pub(crate) mod lane_eval; // evaluation for 64 inputs at once
pub(crate) mod lanes; // values for 64 inputs at once
pub(crate) mod limit; // the fuel of one strategy for one query
pub(crate) mod rows; // tables of enumerated models
pub(crate) mod semantics; // the operators on concrete values
pub(crate) mod share; // the bytes that one holder has of a limited memory
pub(crate) mod table; // evaluation in all rows of a table
pub(crate) mod table_limit; // the one limit of memory of tables
pub(crate) mod table_memory; // the tables that share this limit
