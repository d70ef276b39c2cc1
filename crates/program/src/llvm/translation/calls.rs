//! Calls: of functions, of builtins, through pointers, with variable arguments, of intrinsics.

use std::ffi::c_char;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::types::{Scalar, registers};
use crate::llvm::modules::values::name_of;
use crate::llvm::modules::values::{kind_of, type_of};
use crate::llvm::rewrites::assumptions::is_in_assumption;
use crate::llvm::translation::translator::{Translator, spread};
use crate::register_code::code::*;
use crate::undefined::handler;

/// The function that a callee is, behind aliases.
fn known_function(callee: LLVMValueRef) -> Option<LLVMValueRef> {
    let mut callee = callee;
    // SAFETY: each cast gives null for a value of another kind.
    unsafe {
        for _ in 0..8 {
            if !LLVMIsAFunction(callee).is_null() {
                return Some(callee);
            }
            if LLVMIsAGlobalAlias(callee).is_null() {
                return None;
            }
            callee = LLVMAliasGetAliasee(callee);
        }
    }
    None
}

/// The size of the aggregate that argument `k` passes by value, if it does.
fn byval(t: &Translator<'_, '_>, call: LLVMValueRef, k: u32) -> Option<(u64, u32)> {
    // SAFETY: attribute indices of arguments start at 1.
    unsafe {
        let attribute = |name: &std::ffi::CStr| {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr() as *const c_char, name.count_bytes());
            LLVMGetCallSiteEnumAttribute(call, k + 1, kind)
        };
        let byval = attribute(c"byval");
        if byval.is_null() {
            return None;
        }
        let ty = LLVMGetTypeAttributeValue(byval);
        // The type in C may be aligned more strictly than the one in LLVM.
        let align = attribute(c"align");
        let asked = if align.is_null() { 1 } else { LLVMGetEnumAttributeValue(align) as u32 };
        Some((t.loader.layout.size(ty), t.loader.layout.align(ty).max(asked)))
    }
}

impl Translator<'_, '_> {
    pub(crate) fn call(&mut self, i: LLVMValueRef) -> Option<()> {
        // SAFETY: the opcode says what it is.
        let (callee, count) = unsafe { (LLVMGetCalledValue(i), LLVMGetNumArgOperands(i)) };
        // SAFETY: the cast gives null for a value of another kind.
        if unsafe { !LLVMIsAInlineAsm(callee).is_null() } {
            return self.inline_asm(i, callee);
        }
        let Some(function) = known_function(callee) else { return self.call_pointer(i, callee, count) };
        let name = name_of(function);
        if name.starts_with("llvm.") {
            return self.intrinsic(i, &name);
        }
        if let Some(handler) = handler(&name) {
            let given = self.arguments(i, 0, count)?;
            let mut list = vec![self.constant(handler)];
            list.extend(match self.loader.layout.pointer_bits() < 64 {
                true => self.widened(i, Builtin::Undefined, given),
                false => given,
            });
            self.builtin(i, Builtin::Undefined, &list);
            return Some(());
        }
        if let Some(what) = Builtin::named(&name) {
            let narrow = self.loader.layout.pointer_bits() < 64;
            let what = if narrow && name == "klee_get_value_l" { Builtin::GetValue32 } else { what };
            let mut list = self.arguments(i, 0, count)?;
            if list.len() < what.arguments() || self.loader.registers_of(type_of(i))? > 1 {
                self.unsupported(&format!("a call of `{name}` with another prototype than its own"));
                return Some(());
            }
            // A program may declare `malloc` with an `unsigned int`.
            if what.takes_sizes() {
                list = self.widened(i, what, list);
            }
            let rejects = what == Builtin::Abort && is_in_assumption(i);
            self.builtin(i, if rejects { Builtin::Rejects } else { what }, &list);
            let is_cut = narrow && what.takes_sizes() || what.returns_pointer();
            if let (true, Some([s])) = (is_cut, self.flat(type_of(i)).as_deref())
                && s.width < 64
            {
                let (w, dst) = (s.width as u8, self.home(i));
                self.push(Op::Trunc { w, dst, a: Operand::reg(dst) });
            }
            return Some(());
        }
        let func = self.loader.function_id(function)?;
        // SAFETY: see the module's head.
        if unsafe { LLVMCountBasicBlocks(function) } == 0
            && !matches!(name.as_str(), "cleave_run_constructors" | "cleave_run_destructors")
        {
            self.unsupported(&crate::missing(&name));
            return Some(());
        }
        let (mut fixed, variable) = self.split(i, count)?;
        let Some(dst) = self.fit(i, function, &mut fixed) else {
            // The effect of a call by another prototype follows from the calling convention, once the values are known.
            let target = self.constant(self.loader.function_address(function));
            return self.call_address(i, target, fixed, variable);
        };
        let args = self.args(&fixed);
        let n = self.segment();
        match variable {
            None => self.push(Op::Call { func, dst, args, n }),
            Some(varargs) => self.push(Op::CallVar { func, dst, args, varargs, n }),
        }
        Some(())
    }

    /// The register for the result of a direct call; [`NO_REG`] if it is unused. C allows a call by another prototype as long as
    /// the difference is unused: the start-up code gives `main` arguments that it may not have. Arguments too many are cut off;
    /// `None` if arguments are missing or of another kind, or a result of another kind is used.
    fn fit(&mut self, i: LLVMValueRef, function: LLVMValueRef, given: &mut Vec<Operand>) -> Option<Reg> {
        // SAFETY: see the module's head; both are function types.
        let (call, own, used) = unsafe {
            (LLVMGetCalledFunctionType(i), LLVMGlobalGetValueType(function), !LLVMGetFirstUse(i).is_null())
        };
        if call == own {
            return Some(if used { self.result(i) } else { NO_REG });
        }
        let (mut call_params, own_params) = (self.loader.params(call)?, self.loader.params(own)?);
        // SAFETY: as above.
        if unsafe { LLVMIsFunctionVarArg(own) } != 0 && call_params.len() != own_params.len() {
            return None; // what is beyond the fixed arguments is variable
        }
        call_params.truncate(own_params.len());
        let alike = |a: &[Scalar], b: &[Scalar]| {
            let alike = |a: &Scalar, b: &Scalar| (a.width, a.float, a.soft) == (b.width, b.float, b.soft);
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        };
        if !alike(&call_params, &own_params) {
            return None;
        }
        given.truncate(registers(&own_params) as usize);
        // SAFETY: as above.
        let (wanted, got) = unsafe { (LLVMGetReturnType(call), LLVMGetReturnType(own)) };
        let same = alike(&self.flat(wanted)?, &self.flat(got)?);
        match (same, used) {
            (true, true) => Some(self.result(i)),
            (_, false) => Some(NO_REG),
            (false, true) => None,
        }
    }

    fn call_pointer(&mut self, i: LLVMValueRef, callee: LLVMValueRef, count: u32) -> Option<()> {
        let target = self.one(callee)?;
        let (fixed, varargs) = self.split(i, count)?;
        self.call_address(i, target, fixed, varargs)
    }

    /// A call of the function at an address, by the type that the call has.
    fn call_address(
        &mut self,
        i: LLVMValueRef,
        target: Operand,
        fixed: Vec<Operand>,
        varargs: Option<u32>,
    ) -> Option<()> {
        let dst = self.result(i);
        let args = self.args(&fixed);
        let results = registers(&self.flat(type_of(i))?) as u16;
        // SAFETY: see the module's head; `i` is a call.
        let (ty, used, count) = unsafe {
            (LLVMGetCalledFunctionType(i), !LLVMGetFirstUse(i).is_null(), LLVMGetNumArgOperands(i))
        };
        let in_memory = (0..count).any(|k| byval(self, i, k).is_some());
        let signature = self.loader.signature(ty, in_memory)?;
        let (dst, results) = if used { (dst, results) } else { (NO_REG, 0) };
        let call = self.out.indirect.len() as u32;
        self.out.indirect.push(IndirectCall { target, dst, results, signature, args, varargs });
        let n = self.segment();
        self.push(Op::CallIndirect { call, n });
        Some(())
    }

    /// First register of a call's result.
    pub(crate) fn result(&mut self, i: LLVMValueRef) -> Reg {
        match self.flat(type_of(i)).as_deref() {
            Some([]) | None => NO_REG,
            _ => self.home(i),
        }
    }

    pub(crate) fn builtin(&mut self, i: LLVMValueRef, what: Builtin, list: &[Operand]) {
        let dst = self.result(i);
        let args = self.args(list);
        let n = self.segment();
        self.push(Op::Builtin { what, dst, args, n });
    }

    /// The arguments of a builtin that takes sizes, each of 64 bits; the byte of `memset` is an `int`.
    fn widened(&mut self, i: LLVMValueRef, what: Builtin, list: Vec<Operand>) -> Vec<Operand> {
        let mut out = Vec::with_capacity(list.len());
        for (k, operand) in list.into_iter().enumerate() {
            let flat = self.flat(type_of(self.argument(i, k as u32)));
            let width = flat.as_deref().and_then(|flat| flat.first()).map_or(64, |s| s.width);
            if width >= 64 || what == Builtin::Memset && k == 1 {
                out.push(operand);
                continue;
            }
            let dst = self.fresh(1);
            self.push(Op::Zext { from: width as u8, w: 64, dst, a: operand });
            out.push(Operand::reg(dst));
        }
        out
    }

    /// At the start of a function that copies: marks the ranges that must not overlap. A later step decides if the function is
    /// the C library's.
    pub(crate) fn copies(&mut self, f: LLVMValueRef) {
        let Some(what) = Copying::of(&name_of(f)) else { return };
        let params = what.params();
        if self.out.params != params || self.out.variadic {
            return;
        }
        self.position = self.out.defined_at;
        let mut list = vec![self.constant(what.to_raw())];
        list.extend((0..params).map(Operand::reg));
        let (args, before) = (self.args(&list), self.out.code.len());
        self.push(Op::Builtin { what: Builtin::Copies, dst: NO_REG, args, n: 0 });
        self.stop_behind(before);
    }

    pub(crate) fn argument(&self, i: LLVMValueRef, k: u32) -> LLVMValueRef {
        // SAFETY: arguments are the first operands of a call.
        unsafe { LLVMGetOperand(i, k) }
    }

    /// The registers of arguments `from .. to`; an aggregate passed by value is copied.
    fn arguments(&mut self, i: LLVMValueRef, from: u32, to: u32) -> Option<Vec<Operand>> {
        let mut out = Vec::new();
        for k in from..to {
            let value = self.argument(i, k);
            if let Some((size, align)) = byval(self, i, k) {
                let source = self.one(value)?;
                out.push(self.copied(source, size, align));
            } else {
                out.extend(spread(&self.scalars(value)?));
            }
        }
        Some(out)
    }

    fn copied(&mut self, source: Operand, size: u64, align: u32) -> Operand {
        let dst = self.fresh(1);
        let size = self.constant(size);
        self.push(Op::Alloca { dst, size, align });
        let args = self.args(&[Operand::reg(dst), source, size]);
        self.push(Op::Builtin { what: Builtin::Memcpy, dst: NO_REG, args, n: 0 });
        Operand::reg(dst)
    }

    /// Fixed arguments as registers, and the number of the list of variable ones.
    fn split(&mut self, i: LLVMValueRef, count: u32) -> Option<(Vec<Operand>, Option<u32>)> {
        // SAFETY: the opcode says what it is.
        let (fixed, variadic) = unsafe {
            let ty = LLVMGetCalledFunctionType(i);
            (LLVMCountParamTypes(ty), LLVMIsFunctionVarArg(ty) != 0)
        };
        let args = self.arguments(i, 0, fixed.min(count))?;
        if !variadic {
            return Some((args, None));
        }
        let mut list = Vec::new();
        for k in fixed..count {
            let value = self.argument(i, k);
            if let Some((size, align)) = byval(self, i, k) {
                let value = self.one(value)?;
                let byval = Some(size as u32);
                let (align, class) = (align.max(self.loader.layout.pointer_bits() / 8), ArgClass::Memory);
                list.push(VarArg { value, bits: 64, float: false, byval, align, class });
                continue;
            }
            let scalars = self.scalars(value)?;
            let is_vector = kind_of(type_of(value)) == LLVMTypeKind::LLVMVectorTypeKind;
            let narrow = self.loader.layout.pointer_bits() < 64;
            if narrow && is_vector {
                return None;
            }
            let whole = scalars.iter().map(|(s, _)| if is_vector { s.width } else { 0 }).sum::<u32>();
            for (lane, (s, value)) in scalars.into_iter().enumerate() {
                let align = match lane {
                    // The lanes of a vector stand one behind the other.
                    1.. if is_vector => s.width.div_ceil(8),
                    _ if narrow => 4,
                    _ if s.width > 64 || whole > 64 => 16,
                    _ => 8,
                };
                let (s, value) = (Scalar { width: s.stored, ..s }, self.as_stored(s, value));
                let class = match s.float {
                    _ if narrow => ArgClass::Memory,
                    _ if is_vector => ArgClass::Lane,
                    Some(Float::X80) => ArgClass::Memory,
                    _ if s.is_number() => ArgClass::Float,
                    _ => ArgClass::Integer,
                };
                let (bits, float) = (s.width as u8, s.is_number());
                list.push(VarArg { value, bits, float, byval: None, align, class });
            }
        }
        self.out.varargs.push(list);
        Some((args, Some(self.out.varargs.len() as u32 - 1)))
    }
}
