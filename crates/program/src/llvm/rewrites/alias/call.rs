//! A call in the place of a function whose parameters differ from those of its replacement: `pool_alloc(pool, n):malloc(n)`.

use std::ffi::CString;

use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMVoidTypeKind};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::name_of;

/// An argument of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument {
    /// A parameter of the function, from 0.
    Parameter(usize),
    Number(u64),
}

/// The parameters of a replaced function, and what its replacement is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    parameters: usize,
    arguments: Vec<Argument>,
}

/// `NAME:REPLACEMENT`, as the user writes it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alias<'a> {
    /// A function's name, or a regular expression for whole names.
    pub pattern: &'a str,
    /// Name of the replacement.
    pub by: &'a str,
    /// How it is called; `None` if it takes what the function takes.
    pub call: Option<Call>,
}

impl<'a> Alias<'a> {
    /// Reads `NAME:REPLACEMENT` or `NAME(PARAMETER, ...):REPLACEMENT(ARGUMENT, ...)`.
    ///
    /// # Errors
    /// The end of a sentence about the text.
    pub(super) fn read(text: &'a str) -> Result<Alias<'a>, String> {
        // A pattern may have colons; the name of a function has none.
        let (pattern, by) = text.rsplit_once(':').ok_or("has no colon; write NAME:REPLACEMENT")?;
        let mut alias = Alias { pattern, by, call: None };
        if let Some((name, arguments)) = listed(by) {
            let wanted =
                "has arguments for the replacement and no parameters; write 'NAME(n):REPLACEMENT(n)'";
            let (pattern, parameters) = listed(pattern).ok_or(wanted)?;
            let argument = |text: &str| match parameters.iter().position(|p| *p == text) {
                Some(at) => Ok(Argument::Parameter(at)),
                None => text.parse().map(Argument::Number).map_err(|_| {
                    format!("gives `{name}` the argument `{text}`, which is neither a parameter nor a number")
                }),
            };
            let arguments = arguments.into_iter().map(argument).collect::<Result<_, _>>()?;
            alias = Alias { pattern, by: name, call: Some(Call { parameters: parameters.len(), arguments }) };
        }
        if alias.pattern.is_empty() || alias.by.is_empty() {
            return Err("has an empty name; write NAME:REPLACEMENT".into());
        }
        if alias.pattern == alias.by {
            return Err("replaces a function by itself".into());
        }
        Ok(alias)
    }
}

/// `NAME(A, B)` as its name and its list.
fn listed(text: &str) -> Option<(&str, Vec<&str>)> {
    let (name, list) = text.strip_suffix(')')?.rsplit_once('(')?;
    let list = list.trim();
    Some((name, if list.is_empty() { Vec::new() } else { list.split(',').map(str::trim).collect() }))
}

impl Call {
    /// A new function of `function`'s type that calls `replacement`, and is always put inline. Integers become as wide as they are
    /// wanted, without a sign.
    ///
    /// # Errors
    /// The difference that forbids it.
    pub(super) fn made(
        &self,
        module: &Module,
        function: LLVMValueRef,
        replacement: LLVMValueRef,
    ) -> Result<LLVMValueRef, &'static str> {
        // SAFETY: see the module's head; both are functions or their aliases, and the builder stands in the function that it makes.
        unsafe {
            let (own, wanted) = (LLVMGlobalGetValueType(function), LLVMGlobalGetValueType(replacement));
            if LLVMCountParamTypes(own) as usize != self.parameters {
                return Err("it has another number of parameters");
            }
            let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(wanted) as usize];
            LLVMGetParamTypes(wanted, types.as_mut_ptr());
            if types.len() != self.arguments.len() || LLVMIsFunctionVarArg(wanted) != 0 {
                return Err("the replacement takes another number of arguments");
            }
            let name = CString::new(format!("{}.alias", name_of(function))).unwrap_or_default();
            let made = LLVMAddFunction(module.module, name.as_ptr(), own);
            LLVMSetLinkage(made, LLVMInternalLinkage);
            let context = LLVMGetModuleContext(module.module);
            let inline = c"alwaysinline";
            let kind = LLVMGetEnumAttributeKindForName(inline.as_ptr(), inline.count_bytes());
            LLVMAddAttributeAtIndex(
                made,
                LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(context, kind, 0),
            );
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, made, c"".as_ptr()));
            let built = self.body(builder, made, (wanted, replacement), &types);
            LLVMDisposeBuilder(builder);
            if built.is_err() {
                LLVMDeleteFunction(made);
            }
            built.map(|()| made)
        }
    }

    /// Builds the function's only block.
    unsafe fn body(
        &self,
        builder: LLVMBuilderRef,
        made: LLVMValueRef,
        (wanted, replacement): (LLVMTypeRef, LLVMValueRef),
        types: &[LLVMTypeRef],
    ) -> Result<(), &'static str> {
        // SAFETY: as above; the numbers of arguments and types are the same.
        unsafe {
            let mut arguments = Vec::new();
            for (argument, &ty) in self.arguments.iter().zip(types) {
                let value = match *argument {
                    Argument::Parameter(at) => Some(LLVMGetParam(made, at as u32)),
                    Argument::Number(n) => is_integer(ty).then(|| LLVMConstInt(ty, n, 0)),
                };
                let value = value.and_then(|value| fitted(builder, value, ty));
                arguments.push(value.ok_or("an argument has not the type that the replacement takes")?);
            }
            let (list, count) = (arguments.as_mut_ptr(), arguments.len() as u32);
            let result = LLVMBuildCall2(builder, wanted, replacement, list, count, c"".as_ptr());
            let own = LLVMGetReturnType(LLVMGlobalGetValueType(made));
            if LLVMGetTypeKind(own) == LLVMVoidTypeKind {
                LLVMBuildRetVoid(builder);
            } else {
                let result = fitted(builder, result, own).ok_or("they return different types")?;
                LLVMBuildRet(builder, result);
            }
            Ok(())
        }
    }
}

/// The value as one of another type; `None` if it is neither of this type nor are both integers.
unsafe fn fitted(builder: LLVMBuilderRef, value: LLVMValueRef, ty: LLVMTypeRef) -> Option<LLVMValueRef> {
    // SAFETY: as above.
    unsafe {
        let given = LLVMTypeOf(value);
        if given == ty {
            return Some(value);
        }
        (is_integer(given) && is_integer(ty)).then(|| LLVMBuildIntCast2(builder, value, ty, 0, c"".as_ptr()))
    }
}

fn is_integer(ty: LLVMTypeRef) -> bool {
    // SAFETY: see the module's head.
    unsafe { LLVMGetTypeKind(ty) == LLVMIntegerTypeKind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_read_as_it_is_written() {
        let plain = Alias { pattern: "t(wi|hri)ce", by: "more", call: None };
        assert_eq!(Alias::read("t(wi|hri)ce:more").unwrap(), plain);
        let call =
            |parameters, arguments: &[Argument]| Some(Call { parameters, arguments: arguments.to_vec() });
        let pool = Alias::read("pool_(get|take)(pool, n):calloc( 1,n )").unwrap();
        let arguments = [Argument::Number(1), Argument::Parameter(1)];
        assert_eq!(pool, Alias { pattern: "pool_(get|take)", by: "calloc", call: call(2, &arguments) });
        assert_eq!(Alias::read("reset():abort()").unwrap().call, call(0, &[]));
        for (text, why) in [
            ("twice", "no colon"),
            (":twice", "empty name"),
            ("(n):malloc(n)", "empty name"),
            ("twice:", "empty name"),
            ("twice:twice", "by itself"),
            ("take:malloc(n)", "no parameters"),
            ("take(n):malloc(m)", "neither a parameter nor a number"),
            ("take(n):malloc(-1)", "neither a parameter nor a number"),
        ] {
            assert!(Alias::read(text).unwrap_err().contains(why), "{text}");
        }
    }
}
