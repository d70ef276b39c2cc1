//! Starts a program at another function than `main`: a new `main` makes its arguments symbolic and calls it. The old `main`
//! stays, under another name.

use std::ffi::CString;

use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::demangled::demangled;
use crate::llvm::LoadError;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::types::Layout;
use crate::llvm::modules::values::name_of;
use crate::llvm::rewrites::alias::bitcode_of;

/// The function that a program starts with, if it is not `main`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Entry {
    /// The function's name in the module.
    pub function: String,
    /// Bytes of the object that each pointer among its arguments points to.
    pub pointer_size: u64,
}

/// The module's bitcode with a `main` that calls the function: integers and structures are symbolic as a whole, a pointer
/// is null or points to a symbolic object, which is a decision.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read the module, or the function is not there or has arguments without a size.
pub fn with_entry(bytes: &[u8], entry: &Entry) -> Result<Vec<u8>, LoadError> {
    let module = Module::parse(bytes)?;
    let no = |why: &str| LoadError::Entry(entry.function.clone(), why.to_string());
    let name = CString::new(entry.function.as_str()).map_err(|_| no("has a zero in its name"))?;
    // SAFETY: see the module's head.
    unsafe {
        let mut function = LLVMGetNamedFunction(module.module, name.as_ptr());
        if function.is_null() {
            function = match &as_written(&module, &entry.function)[..] {
                [] => function,
                [one] => *one,
                _ => return Err(no("is the name of several functions; give its parameters too")),
            };
        }
        if function.is_null() || LLVMCountBasicBlocks(function) == 0 {
            return Err(no("is defined nowhere in the module"));
        }
        if LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) != 0 {
            return Err(no("takes variable arguments, which no type says"));
        }
        if name_of(function) != "main" {
            let old = LLVMGetNamedFunction(module.module, c"main".as_ptr());
            if !old.is_null() {
                let aside = c"main.of.the.program";
                LLVMSetValueName2(old, aside.as_ptr(), aside.count_bytes());
            }
            let context = LLVMGetModuleContext(module.module);
            let builder = LLVMCreateBuilderInContext(context);
            let made = Maker { module: &module, context, builder, entry }.main(function);
            LLVMDisposeBuilder(builder);
            made.ok_or_else(|| no("has an argument of a type without a size"))?;
        }
        module.verified()?;
        Ok(bitcode_of(&module))
    }
}

/// The functions of C++ that a person calls so: with their parameters, or without.
fn as_written(module: &Module, name: &str) -> Vec<LLVMValueRef> {
    let shown: Vec<_> = module.functions().into_iter().map(|f| (f, demangled(&name_of(f)))).collect();
    let whole = shown.iter().find(|(_, shown)| shown == name);
    let called = |shown: &str| shown.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    match whole {
        Some((f, _)) => vec![*f],
        None => shown.iter().filter(|(_, shown)| called(shown)).map(|(f, _)| *f).collect(),
    }
}

struct Maker<'m> {
    module: &'m Module,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    entry: &'m Entry,
}

impl Maker<'_> {
    /// Builds `main`; `None` where an argument has no size.
    fn main(&self, function: LLVMValueRef) -> Option<()> {
        // SAFETY: see the module's head; the builder stands in the function that it makes.
        unsafe {
            let int = LLVMInt32TypeInContext(self.context);
            let ty = LLVMFunctionType(int, std::ptr::null_mut(), 0, 0);
            let main = LLVMAddFunction(self.module.module, c"main".as_ptr(), ty);
            self.block(main);
            let mut arguments = Vec::new();
            for k in 0..LLVMCountParams(function) {
                arguments.push(self.argument(main, function, k)?);
            }
            let own = LLVMGlobalGetValueType(function);
            let (list, count) = (arguments.as_mut_ptr(), arguments.len() as u32);
            let call = LLVMBuildCall2(self.builder, own, function, list, count, c"".as_ptr());
            LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
            for k in 1..=count {
                self.copy_attributes(function, call, k);
            }
            let result = LLVMGetReturnType(own);
            let status = match LLVMGetTypeKind(result) {
                LLVMIntegerTypeKind => LLVMBuildIntCast2(self.builder, call, int, 1, c"".as_ptr()),
                _ => LLVMConstInt(int, 0, 0),
            };
            LLVMBuildRet(self.builder, status);
        }
        Some(())
    }

    unsafe fn block(&self, main: LLVMValueRef) -> LLVMBasicBlockRef {
        // SAFETY: as above.
        unsafe {
            let block = LLVMAppendBasicBlockInContext(self.context, main, c"".as_ptr());
            LLVMPositionBuilderAtEnd(self.builder, block);
            block
        }
    }

    /// The value that the call passes as argument `k`.
    unsafe fn argument(&self, main: LLVMValueRef, function: LLVMValueRef, k: u32) -> Option<LLVMValueRef> {
        // SAFETY: as above; attribute indices of arguments start at 1.
        unsafe {
            let ty = LLVMTypeOf(LLVMGetParam(function, k));
            let name = format!("argument{k}");
            let typed = |name: &std::ffi::CStr| {
                let kind = LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes());
                let attribute = LLVMGetEnumAttributeAtIndex(function, k + 1, kind);
                (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))
            };
            if let Some(inner) = typed(c"sret") {
                return Some(LLVMBuildAlloca(self.builder, inner, c"".as_ptr()));
            }
            if let Some(inner) = typed(c"byval") {
                let place = LLVMBuildAlloca(self.builder, inner, c"".as_ptr());
                self.make_symbolic(place, self.size(inner)?, &name);
                return Some(place);
            }
            if LLVMGetTypeKind(ty) == LLVMPointerTypeKind {
                return Some(self.pointer(main, ty, &name));
            }
            let size = self.size(ty)?;
            // An integer that does not fill its bytes is cut out of them.
            let whole = match LLVMGetTypeKind(ty) {
                LLVMIntegerTypeKind => LLVMIntTypeInContext(self.context, 8 * u32::try_from(size).ok()?),
                _ => ty,
            };
            let place = LLVMBuildAlloca(self.builder, whole, c"".as_ptr());
            self.make_symbolic(place, size, &name);
            let value = LLVMBuildLoad2(self.builder, whole, place, c"".as_ptr());
            Some(if whole == ty { value } else { LLVMBuildTrunc(self.builder, value, ty, c"".as_ptr()) })
        }
    }

    fn size(&self, ty: LLVMTypeRef) -> Option<u64> {
        // SAFETY: as above.
        let sized = unsafe { LLVMTypeIsSized(ty) != 0 };
        sized.then(|| Layout(self.module.layout()).size(ty))
    }

    /// Null, or the start of a new object.
    unsafe fn pointer(&self, main: LLVMValueRef, ty: LLVMTypeRef, name: &str) -> LLVMValueRef {
        // SAFETY: as above.
        unsafe {
            let byte = LLVMInt8TypeInContext(self.context);
            let choice = LLVMBuildAlloca(self.builder, byte, c"".as_ptr());
            let result = LLVMBuildAlloca(self.builder, ty, c"".as_ptr());
            LLVMBuildStore(self.builder, LLVMConstNull(ty), result);
            self.make_symbolic(choice, 1, &format!("{name}_is_there"));
            let chosen = LLVMBuildLoad2(self.builder, byte, choice, c"".as_ptr());
            let there = LLVMBuildICmp(self.builder, LLVMIntNE, chosen, LLVMConstNull(byte), c"".as_ptr());
            let before = LLVMGetInsertBlock(self.builder);
            let object = self.block(main);
            let size = LLVMConstInt(LLVMInt64TypeInContext(self.context), self.entry.pointer_size, 0);
            let (malloc_type, malloc) = self.declared("malloc", ty, &mut [LLVMTypeOf(size)]);
            let mut arguments = [size];
            let place =
                LLVMBuildCall2(self.builder, malloc_type, malloc, arguments.as_mut_ptr(), 1, c"".as_ptr());
            self.make_symbolic(place, self.entry.pointer_size, name);
            LLVMBuildStore(self.builder, place, result);
            let made = LLVMGetInsertBlock(self.builder);
            let after = self.block(main);
            LLVMPositionBuilderAtEnd(self.builder, before);
            LLVMBuildCondBr(self.builder, there, object, after);
            LLVMPositionBuilderAtEnd(self.builder, made);
            LLVMBuildBr(self.builder, after);
            LLVMPositionBuilderAtEnd(self.builder, after);
            LLVMBuildLoad2(self.builder, ty, result, c"".as_ptr())
        }
    }

    unsafe fn declared(
        &self,
        name: &str,
        result: LLVMTypeRef,
        params: &mut [LLVMTypeRef],
    ) -> (LLVMTypeRef, LLVMValueRef) {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: as above.
        unsafe {
            let ty = LLVMFunctionType(result, params.as_mut_ptr(), params.len() as u32, 0);
            let there = LLVMGetNamedFunction(self.module.module, name.as_ptr());
            (ty, if there.is_null() { LLVMAddFunction(self.module.module, name.as_ptr(), ty) } else { there })
        }
    }

    /// `klee_make_symbolic(place, size, name)`
    unsafe fn make_symbolic(&self, place: LLVMValueRef, size: u64, name: &str) {
        // SAFETY: as above.
        unsafe {
            let pointer = LLVMPointerTypeInContext(self.context, 0);
            let long = LLVMInt64TypeInContext(self.context);
            let void = LLVMVoidTypeInContext(self.context);
            let (ty, function) = self.declared("klee_make_symbolic", void, &mut [pointer, long, pointer]);
            let text = CString::new(name).unwrap_or_default();
            let text = LLVMBuildGlobalStringPtr(self.builder, text.as_ptr(), c"".as_ptr());
            let mut arguments = [place, LLVMConstInt(long, size, 0), text];
            LLVMBuildCall2(self.builder, ty, function, arguments.as_mut_ptr(), 3, c"".as_ptr());
        }
    }

    /// The call passes arguments as the function takes them.
    unsafe fn copy_attributes(&self, function: LLVMValueRef, call: LLVMValueRef, index: u32) {
        // SAFETY: as above; the list is as long as LLVM says.
        unsafe {
            let mut all = vec![std::ptr::null_mut(); LLVMGetAttributeCountAtIndex(function, index) as usize];
            LLVMGetAttributesAtIndex(function, index, all.as_mut_ptr());
            for attribute in all {
                LLVMAddCallSiteAttribute(call, index, attribute);
            }
        }
    }
}
