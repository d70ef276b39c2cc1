//! Functions that run before `main` and after it: functions with an attribute, which LLVM lists, and pointers that a program puts
//! into the section of such pointers itself.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::sections::section_of;
use crate::llvm::modules::values::name_of;
use crate::llvm::translation::loader::Loader;
use crate::register_code::code::*;

/// One of the two orders: constructors or destructors.
pub(crate) struct Order {
    /// LLVM's list of them.
    list: &'static str,
    /// The section; behind its name may stand a priority.
    section: &'static str,
    /// The last one runs first.
    reverse: bool,
}

pub(crate) const CONSTRUCTORS: Order =
    Order { list: "llvm.global_ctors", section: ".init_array", reverse: false };
pub(crate) const DESTRUCTORS: Order =
    Order { list: "llvm.global_dtors", section: ".fini_array", reverse: true };

/// The priority of a function without one; it comes last.
const LAST: u64 = 65535;

/// The elements of an array or a structure, or the one value that it is.
fn elements(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: the constant has so many elements.
    unsafe {
        let ty = LLVMTypeOf(value);
        match LLVMGetTypeKind(ty) {
            llvm_sys::LLVMTypeKind::LLVMArrayTypeKind => (0..LLVMGetArrayLength2(ty) as u32)
                .map(|i| LLVMGetAggregateElement(value, i))
                .filter(|element| !element.is_null())
                .collect(),
            llvm_sys::LLVMTypeKind::LLVMStructTypeKind => (0..LLVMCountStructElementTypes(ty))
                .map(|i| LLVMGetAggregateElement(value, i))
                .filter(|element| !element.is_null())
                .collect(),
            _ => vec![value],
        }
    }
}

/// A part of the name of the constructor by which Rust's std reads the arguments that glibc gives to constructors. musl gives none. std
/// reads them again when `main` starts, so it is left out.
const READS_ARGUMENTS: &str = "ARGV_INIT_ARRAY";

impl Loader<'_> {
    /// A function that calls those of a list, by priority; destructors the other way round.
    pub(crate) fn run_list(&mut self, order: &Order) -> Option<Function> {
        let mut entries = self.of_section(order.section);
        entries.extend(self.listed(order.list));
        entries.sort_by_key(|&(priority, _)| priority);
        if order.reverse {
            entries.reverse();
        }
        let none = Args { start: 0, len: 0 };
        let mut code = Vec::new();
        entries.retain(|&(_, function)| !name_of(function).contains(READS_ARGUMENTS));
        for (_, function) in entries {
            // SAFETY: the cast gives null for a value of another kind; the rest is asked of functions.
            let (is_function, plain) = unsafe {
                let is_function = !LLVMIsAFunction(function).is_null();
                let plain =
                    is_function && LLVMCountParams(function) == 0 && LLVMCountBasicBlocks(function) > 0;
                (is_function, plain)
            };
            let id = self.function_id(function);
            code.push(match id.filter(|_| plain) {
                Some(func) => Op::Call { func, dst: NO_REG, args: none, n: 1 },
                None => {
                    let name =
                        if is_function { format!("`{}`", name_of(function)) } else { "a pointer".into() };
                    let what = format!(
                        "a call of {name}, in a list of constructors, but no function without arguments"
                    );
                    Op::Unsupported { what: self.string(&what), n: 1 }
                }
            });
        }
        code.push(Op::Ret { vals: none, n: 1 });
        let positions = vec![u32::MAX; code.len()];
        Some(Function { code, positions, defined_at: u32::MAX, ..Function::default() })
    }

    /// The functions of LLVM's list, each with its priority.
    fn listed(&self, list: &str) -> Vec<(u64, LLVMValueRef)> {
        let Some(list) = self.all_globals().into_iter().find(|&g| name_of(g) == list) else {
            return Vec::new();
        };
        // SAFETY: the list is an array of { i32 priority, ptr function, ptr data }.
        let all = unsafe {
            elements(LLVMGetInitializer(list)).into_iter().map(|entry| {
                let priority = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(entry, 0));
                (priority, LLVMGetAggregateElement(entry, 1))
            })
        };
        all.filter(|(_, function)| self.function_id(*function).is_some()).collect()
    }

    /// Pointers in the variables of a section, each with its priority: `.init_array`, `.init_array.101`.
    fn of_section(&self, section: &str) -> Vec<(u64, LLVMValueRef)> {
        let mut all = Vec::new();
        for g in self.all_globals() {
            let Some(name) = section_of(g) else { continue };
            let priority = match name.strip_prefix(section) {
                Some("") => LAST,
                Some(behind) => match behind.strip_prefix('.').and_then(|digits| digits.parse().ok()) {
                    Some(priority) => priority,
                    None => continue,
                },
                None => continue,
            };
            // SAFETY: `g` is a global variable; what is not there is null.
            let value = unsafe { LLVMGetInitializer(g) };
            if value.is_null() {
                continue;
            }
            let pointers = elements(value).into_iter();
            // SAFETY: asked of constants. A null pointer only fills its place and is not called.
            all.extend(pointers.filter(|&p| unsafe { LLVMIsNull(p) } == 0).map(|p| (priority, p)));
        }
        all
    }
}
