//! The table of `operator new` and `operator delete` of C++ among the functions of a program, if they are the library's: a program that has
//! its own has taken over.

use cleave_program::code::{FuncId, Function, Program};

/// A function of the library that allocates or frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Operator {
    /// None of them.
    #[default]
    Other,
    /// A function behind them.
    Behind,
    /// `operator new` or `operator delete`; the parameter that says the size.
    One(Option<u8>),
    /// `operator new[]` or `operator delete[]`, likewise.
    Array(Option<u8>),
}

/// The operators among the functions of a program; empty for C.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operators(Vec<Operator>);

/// By whom an object of the heap is made or freed, as [`cleave_memory::Object::origin`] has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Family {
    #[default]
    Malloc,
    New,
    NewArray,
}

impl Family {
    /// As an object keeps it.
    pub(crate) fn of_origin(origin: u32) -> Family {
        match origin {
            1 => Family::New,
            2 => Family::NewArray,
            _ => Family::Malloc,
        }
    }

    /// The name of what makes such an object.
    pub(crate) fn makes(self) -> &'static str {
        ["malloc", "new", "new[]"][self as usize]
    }

    /// The name of what frees it.
    pub(crate) fn frees(self) -> &'static str {
        ["free", "delete", "delete[]"][self as usize]
    }
}

fn operator(name: &str) -> Operator {
    // With an alignment the object may be larger than it was asked for.
    let size = |arguments: &str| (arguments == "void*, unsigned long)").then_some(1);
    for start in ["operator new[](", "operator delete[]("] {
        if let Some(arguments) = name.strip_prefix(start) {
            return Operator::Array(size(arguments));
        }
    }
    for start in ["operator new(", "operator delete("] {
        if let Some(arguments) = name.strip_prefix(start) {
            return Operator::One(size(arguments));
        }
    }
    let behind = ["operator_new_impl(", "operator_new_aligned_impl(", "std::__libcpp_aligned_"];
    if behind.iter().any(|start| name.starts_with(start)) { Operator::Behind } else { Operator::Other }
}

impl Operators {
    pub(crate) fn of(program: &Program) -> Operators {
        let of = |f: &Function| match f.library {
            true => operator(&f.name),
            false => Operator::Other,
        };
        let all: Vec<Operator> = program.functions.iter().map(of).collect();
        if all.iter().all(|&one| one == Operator::Other) { Operators::default() } else { Operators(all) }
    }

    /// Returns true if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Which of them a function is.
    pub(crate) fn get(&self, func: FuncId) -> Operator {
        self.0.get(func as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_told_by_their_names() {
        assert_eq!(operator("operator new(unsigned long)"), Operator::One(None));
        assert_eq!(operator("operator delete[](void*, unsigned long)"), Operator::Array(Some(1)));
        assert_eq!(operator("operator delete(void*, unsigned long, std::align_val_t)"), Operator::One(None));
        assert_eq!(operator("operator_new_impl(unsigned long)"), Operator::Behind);
        assert_eq!(operator("parse(operator new(unsigned long))"), Operator::Other);
        assert!(Operators::of(&Program::default()).is_empty());
    }
}
