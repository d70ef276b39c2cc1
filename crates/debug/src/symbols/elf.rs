//! The executable: sections, and a symbol for each function.

use std::convert::Infallible;

use gimli::write::{EndianVec, Sections, Writer as _};
use gimli::{LittleEndian, SectionId};
use object::elf;
use object::write::StringId;
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};

use cleave_program::code::FuncId;
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE};

use crate::DebugError;
use crate::machine::Machine;
use crate::symbols::{frames, units};

/// A name for an address.
struct Symbol {
    name: Vec<u8>,
    kind: u8,
    address: u64,
    size: u64,
}

/// Symbols for the code, for the targets of function pointers, and for globals.
fn symbols(machine: &Machine) -> Vec<Symbol> {
    let program = &machine.program.program;
    let name = |name: &str| name.bytes().filter(|&b| b != 0).collect::<Vec<u8>>();
    let mut symbols = Vec::new();
    for (func, function) in program.functions.iter().enumerate() {
        let (name, id) = (name(&function.name), func as FuncId);
        if !function.code.is_empty() {
            let (address, size) = (machine.addresses.start(id), machine.addresses.size(id));
            symbols.push(Symbol { name: name.clone(), kind: elf::STT_FUNC, address, size });
        }
        let address = FUNCTION_BASE + func as u64 * FUNCTION_STRIDE;
        symbols.push(Symbol { name, kind: elf::STT_OBJECT, address, size: FUNCTION_STRIDE });
    }
    // A global without a name in the source, such as a string, has no symbol natively either.
    let info = &machine.program.info;
    let described = |id| info.node(id).and_then(|node| node.node("var")).and_then(|id| info.node(id));
    let named =
        info.globals.iter().filter(|&&(_, id)| described(id).is_some_and(|v| !v.text("name").is_empty()));
    let globals = named.filter_map(|&(global, _)| program.globals.get(global as usize));
    symbols.extend(globals.map(|global| Symbol {
        name: name(&global.name),
        kind: elf::STT_OBJECT,
        address: global.address,
        size: global.size,
    }));
    symbols
}

/// The bytes of the file. Without the C library's lines gdb steps over its functions.
pub(crate) fn file(machine: &Machine, library: bool) -> Result<Vec<u8>, DebugError> {
    let sections = debug_sections(machine, library)?;
    write(machine, &sections).map_err(|e| DebugError::Symbols(e.to_string()))
}

/// The sections with the debug information, by name.
fn debug_sections(machine: &Machine, library: bool) -> Result<Vec<(&'static str, Vec<u8>)>, DebugError> {
    let wrong = |e: gimli::write::Error| DebugError::Symbols(e.to_string());
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    units::all(&machine.program, machine, library).write(&mut sections).map_err(wrong)?;
    frames::table(&machine.addresses).write_debug_frame(&mut sections.debug_frame).map_err(wrong)?;
    let mut out = Vec::new();
    let Ok(()) = sections.for_each(|id: SectionId, data| {
        if data.len() > 0 {
            out.push((id.name(), data.slice().to_vec()));
        }
        Ok::<(), Infallible>(())
    });
    Ok(out)
}

fn write(machine: &Machine, sections: &[(&'static str, Vec<u8>)]) -> Result<Vec<u8>, object::write::Error> {
    let symbols = symbols(machine);
    let mut buffer = Vec::new();
    let mut writer = Writer::new(object::Endianness::Little, true, &mut buffer);
    // All offsets are reserved first.
    writer.reserve_file_header();
    writer.reserve_null_section_index();
    let mut headers: Vec<SectionHeader> = Vec::new();
    let (text, data) = (writer.reserve_section_index(), writer.reserve_section_index());
    headers.extend(memory(machine, [writer.add_section_name(b".text"), writer.add_section_name(b".data")]));
    for (name, bytes) in sections {
        writer.reserve_section_index();
        let (name, offset) = (writer.add_section_name(name.as_bytes()), writer.reserve(bytes.len(), 1));
        headers.push(SectionHeader {
            sh_type: elf::SHT_PROGBITS,
            sh_offset: offset as u64,
            sh_size: bytes.len() as u64,
            sh_addralign: 1,
            ..empty(name)
        });
    }
    writer.reserve_null_symbol_index();
    let section_of = |symbol: &Symbol| if symbol.kind == elf::STT_FUNC { text } else { data };
    let mut names = Vec::new();
    for symbol in &symbols {
        writer.reserve_symbol_index(Some(section_of(symbol)));
        names.push(writer.add_string(&symbol.name));
    }
    writer.reserve_symtab_section_index();
    writer.reserve_symtab();
    writer.reserve_strtab_section_index();
    writer.reserve_strtab();
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab();
    writer.reserve_section_headers();
    // The contents are written in the same order.
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: elf::EM_X86_64,
        e_entry: machine.addresses.start(machine.program.program.main.entry),
        e_flags: 0,
    })?;
    sections.iter().for_each(|(_, bytes)| writer.write(bytes));
    writer.write_null_symbol();
    for (symbol, &name) in symbols.iter().zip(&names) {
        writer.write_symbol(&Sym {
            name: Some(name),
            section: Some(section_of(symbol)),
            st_info: elf::STB_GLOBAL << 4 | symbol.kind,
            st_other: 0,
            st_shndx: 0,
            st_value: symbol.address,
            st_size: symbol.size,
        });
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    headers.iter().for_each(|header| writer.write_section_header(header));
    writer.write_symtab_section_header(1);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(buffer)
}

fn empty(name: StringId) -> SectionHeader {
    SectionHeader {
        name: Some(name),
        sh_type: elf::SHT_NOBITS,
        sh_flags: 0,
        sh_addr: 0,
        sh_offset: 0,
        sh_size: 0,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 16,
        sh_entsize: 0,
    }
}

/// Headers of code and globals; gdb reads their contents from the server.
fn memory(machine: &Machine, [text, data]: [StringId; 2]) -> [SectionHeader; 2] {
    let (start, size) = machine.addresses.code();
    let program = &machine.program.program;
    let heap = program.images().map(|i| i.heap_slot).max().unwrap_or(0) << program.target.slot_bits();
    let (code, variables) = (elf::SHF_ALLOC | elf::SHF_EXECINSTR, elf::SHF_ALLOC | elf::SHF_WRITE);
    let part = |name, flags: u32, sh_addr, sh_size| SectionHeader {
        sh_flags: u64::from(flags),
        sh_addr,
        sh_size,
        ..empty(name)
    };
    let globals = heap.saturating_sub(FUNCTION_BASE);
    [part(text, code, start, size), part(data, variables, FUNCTION_BASE, globals)]
}
