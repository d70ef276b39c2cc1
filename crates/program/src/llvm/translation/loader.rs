//! State of a module's translation: the layout, and tables of its functions, globals and names.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap;

use crate::builtins::is_builtin;
use crate::demangled::demangled;
use crate::layout::*;
use crate::llvm::LoadError;
use crate::llvm::marks::lines::Lines;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::nodes::Nodes;
use crate::llvm::modules::sections::Sections;
use crate::llvm::modules::types::{Layout, Scalar, registers};
use crate::llvm::modules::values::name_of;
use crate::llvm::rewrites::pads::Pads;
use crate::register_code::code::*;
use crate::undefined_names::{bound_section, is_linker_made};

/// State of a module's translation.
pub(crate) struct Loader<'m> {
    pub(crate) module: &'m Module,
    pub(crate) layout: Layout,
    pub(crate) program: Program,
    pub(crate) functions: FxHashMap<LLVMValueRef, FuncId>,
    /// The addresses of variables.
    pub(crate) globals: FxHashMap<LLVMValueRef, u64>,
    /// Their places in the program's list.
    pub(crate) global_ids: FxHashMap<LLVMValueRef, u32>,
    /// Sections whose bounds the module names.
    pub(crate) sections: Sections,
    /// The addresses of these bounds.
    pub(crate) bounds: FxHashMap<LLVMValueRef, u64>,
    /// The sizes of the variables in such sections.
    pub(crate) members_of_sections: FxHashMap<LLVMValueRef, u64>,
    blocks: FxHashMap<LLVMBasicBlockRef, u64>,
    strings: FxHashMap<String, u32>,
    positions: FxHashMap<(u32, u32), u32>,
    /// The function that is translated is the program's, and not the C library's.
    pub(crate) own: bool,
    /// Accesses to members of structures are checked in the function that is translated.
    pub(crate) members: bool,
    /// The landing pads of functions that have some.
    pub(crate) pads: FxHashMap<LLVMValueRef, Pads>,
    /// Source lines as they were before any pass.
    pub(crate) lines: Lines,
    /// Nodes for debuggers, if one asks.
    pub(crate) debug: Option<Nodes>,
}

/// The types of a function type's parameters.
fn param_types(ty: LLVMTypeRef) -> Vec<LLVMTypeRef> {
    // SAFETY: the list is as long as LLVM says.
    unsafe {
        let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(ty) as usize];
        LLVMGetParamTypes(ty, params.as_mut_ptr());
        params
    }
}

/// Returns true if a value of the type has a vector in it.
fn has_vector(ty: LLVMTypeRef) -> bool {
    // SAFETY: each question fits the kind of type that it is asked of.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => true,
            LLVMTypeKind::LLVMArrayTypeKind => has_vector(LLVMGetElementType(ty)),
            LLVMTypeKind::LLVMStructTypeKind => {
                (0..LLVMCountStructElementTypes(ty)).any(|k| has_vector(LLVMStructGetTypeAtIndex(ty, k)))
            }
            _ => false,
        }
    }
}

impl<'m> Loader<'m> {
    pub(crate) fn new(module: &'m Module, lines: Lines, place: Place) -> Loader<'m> {
        let target = module.target();
        Loader {
            module,
            layout: Layout(module.layout()),
            program: Program {
                main: Image { place: place.on(target), ..Image::default() },
                target,
                ..Program::default()
            },
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            global_ids: FxHashMap::default(),
            sections: Sections::of(module),
            bounds: FxHashMap::default(),
            members_of_sections: FxHashMap::default(),
            blocks: FxHashMap::default(),
            strings: FxHashMap::default(),
            positions: FxHashMap::default(),
            own: false,
            members: false,
            pads: FxHashMap::default(),
            lines,
            debug: None,
        }
    }

    pub(crate) fn all_functions(&self) -> Vec<LLVMValueRef> {
        self.module.functions()
    }

    pub(crate) fn all_globals(&self) -> Vec<LLVMValueRef> {
        self.module.globals()
    }

    pub(crate) fn function_id(&self, f: LLVMValueRef) -> Option<FuncId> {
        self.functions.get(&f).copied()
    }

    pub(crate) fn function_address(&self, f: LLVMValueRef) -> u64 {
        if let Some(&bound) = self.bounds.get(&f) {
            return bound;
        }
        let weak = self.functions.get(&f).filter(|_| {
            // SAFETY: see the module's head. A weak function that nobody defines is null.
            let declared = unsafe { LLVMIsDeclaration(f) != 0 };
            // SAFETY: `f` is a function of the module, which lives.
            let weak = unsafe { LLVMGetLinkage(f) == llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage };
            let builtin = is_builtin(&name_of(f));
            !(declared && weak && !builtin)
        });
        weak.map_or(0, |&id| self.address_of_function(id))
    }

    pub(crate) fn address_of_function(&self, id: FuncId) -> u64 {
        let first = u64::from(self.program.main.place.function);
        FUNCTION_BASE + (first + u64::from(id)) * FUNCTION_STRIDE
    }

    pub(crate) fn global_address(&self, g: LLVMValueRef) -> Option<u64> {
        if let Some(&bound) = self.bounds.get(&g) {
            return Some(bound);
        }
        // SAFETY: see the module's head.
        let weak = unsafe {
            LLVMIsDeclaration(g) != 0 && LLVMGetLinkage(g) == llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage
        };
        // A weak variable without a definition is null, and so is the bound of a section that does not exist.
        let name = name_of(g);
        let made = is_linker_made(&name) && bound_section(&name).is_none();
        if weak && !made { Some(0) } else { self.globals.get(&g).copied() }
    }

    /// A global that has no address yet, and its alignment; 0 for that of its type.
    pub(crate) fn described(&self, g: LLVMValueRef) -> Result<(Global, u64), LoadError> {
        let name = name_of(g);
        // SAFETY: a global's value type is sized, or opaque for a declaration.
        let (size, align, constant, missing) = unsafe {
            let ty = LLVMGlobalGetValueType(g);
            let size = if LLVMTypeIsSized(ty) != 0 { self.layout.size(ty) } else { 0 };
            let (align, missing) = (u64::from(LLVMGetAlignment(g)), LLVMIsDeclaration(g) != 0);
            (size, align, LLVMIsGlobalConstant(g) != 0, missing)
        };
        if align > self.program.target.most_align() {
            return Err(LoadError::Alignment(name, align, self.program.target.most_align()));
        }
        let storage = if missing { Storage::Missing } else { Storage::Own };
        let given = u32::try_from(align.max(1)).unwrap_or(1);
        let name = demangled(&name);
        Ok((Global { size, constant, align: given, ..Global::named(name, 0, storage) }, align))
    }

    /// Adds a global that has its address.
    pub(crate) fn put_global(&mut self, g: LLVMValueRef, global: Global) {
        self.globals.insert(g, global.address);
        self.global_ids.insert(g, self.program.globals.len() as u32);
        self.program.globals.push(global);
    }

    /// The number that stands for a block's address.
    pub(crate) fn block_address(&mut self, block: LLVMBasicBlockRef) -> u64 {
        let next = BLOCK_BASE + 16 * (self.blocks.len() as u64 + 1);
        *self.blocks.entry(block).or_insert(next)
    }

    pub(crate) fn string(&mut self, text: &str) -> u32 {
        if let Some(&i) = self.strings.get(text) {
            return i;
        }
        let i = self.program.strings.len() as u32;
        self.program.strings.push(text.to_string());
        self.strings.insert(text.to_string(), i);
        i
    }

    pub(crate) fn position(&mut self, file: &str, line: u32) -> u32 {
        let file = self.string(file);
        let next = self.program.positions.len() as u32;
        let positions = &mut self.program.positions;
        *self.positions.entry((file, line)).or_insert_with(|| {
            positions.push(Position { file, line });
            next
        })
    }

    /// The scalars of a function type's parameters.
    pub(crate) fn params(&self, ty: LLVMTypeRef) -> Option<Vec<Scalar>> {
        let mut out = Vec::new();
        for param in param_types(ty) {
            out.extend(self.layout.flat(param)?);
        }
        Some(out)
    }

    /// A function type; `None` if something in it has no registers. The type does not tell if an argument is a structure in
    /// memory, so the caller passes it as `in_memory`.
    pub(crate) fn signature(&self, ty: LLVMTypeRef, in_memory: bool) -> Option<Signature> {
        let kinds = |scalars: Vec<Scalar>| {
            let kind = |s: Scalar| Some(Kind { width: u8::try_from(s.width).ok()?, float: s.is_number() });
            scalars.into_iter().map(kind).collect::<Option<Vec<Kind>>>()
        };
        // SAFETY: as above.
        let results = unsafe { LLVMGetReturnType(ty) };
        let all = param_types(ty).into_iter().chain([results]);
        let plain = !in_memory && all.into_iter().all(|ty| !has_vector(ty));
        let (params, results) = (kinds(self.params(ty)?)?, kinds(self.layout.flat(results)?)?);
        Some(Signature { params, results, plain })
    }

    /// Number of registers that values of a type take.
    pub(crate) fn registers_of(&self, ty: LLVMTypeRef) -> Option<u32> {
        self.layout.flat(ty).map(|flat| registers(&flat))
    }
}
