//! The kernel's model: symbolic names and contents, streams, ends of the process.

use cleave_linux::env::{FilesSpec, StdinSpec};
use cleave_linux::{Kernel, KernelSpec, ProgramFile, Stop, name_of};
use cleave_memory::Byte;

use crate::common::{BASE, FakeGuest, call, known};

const BUFFER: i64 = BASE as i64 + 0x800;
const AT_FDCWD: i64 = -100;

fn world(stdin: StdinSpec, files: Option<FilesSpec>) -> (Kernel, FakeGuest) {
    let mut guest = FakeGuest::new(0x1000);
    let mut kernel = Kernel::new(&KernelSpec { stdin, files, ..KernelSpec::default() });
    kernel.make_files(&mut guest).unwrap();
    (kernel, guest)
}

/// Opens a path of one symbolic byte under a script of decisions.
fn open_symbolic(flags: i64, script: &[bool]) -> Result<i64, Stop> {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, Some(FilesSpec { count: 2, len: 1 }));
    let byte = guest.terms.byte(9, 0);
    guest.memory[0] = Byte::Symbolic(byte);
    guest.script = script.to_vec();
    call(&mut kernel, &mut guest, 2, &[BASE as i64, flags, 0o644])
}

#[test]
fn a_symbolic_name_is_compared_with_each_entry_in_turn() {
    // The decisions compare the byte with NUL, a slash, a dot, A, B.
    assert!(matches!(open_symbolic(0, &[]), Err(Stop::Decide(_))));
    assert_eq!(open_symbolic(0, &[true]), Ok(-2));
    assert_eq!(open_symbolic(0, &[false, true]), Ok(3));
    assert_eq!(open_symbolic(0, &[false, false, true]), Ok(3));
    assert_eq!(open_symbolic(0, &[false, false, false, true]), Ok(3));
    assert_eq!(open_symbolic(0, &[false, false, false, false, true]), Ok(3));
    assert_eq!(open_symbolic(0, &[false; 5]), Ok(-2));
    assert!(matches!(open_symbolic(0, &[false; 4]), Err(Stop::Decide(_))));
}

#[test]
fn a_file_made_under_a_symbolic_name_is_found_by_the_same_bytes_without_a_decision() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    let byte = guest.terms.byte(9, 0);
    guest.memory[0] = Byte::Symbolic(byte);
    guest.script = vec![false; 3];
    assert_eq!(call(&mut kernel, &mut guest, 2, &[BASE as i64, 0o102, 0o644]), Ok(3));
    assert_eq!(call(&mut kernel, &mut guest, 21, &[BASE as i64, 0]), Ok(0));
    assert_eq!(guest.asked, 3, "NUL, slash, dot, and nothing about the entry");
    guest.text(0x10, "x");
    guest.script = vec![true];
    assert_eq!(call(&mut kernel, &mut guest, 21, &[BASE as i64 + 0x10, 0]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 217, &[3, BUFFER, 100]), Ok(-20));
}

#[test]
fn inputs_come_in_klees_order_and_under_its_names() {
    let (mut kernel, mut guest) = world(StdinSpec::Symbolic(8), Some(FilesSpec { count: 2, len: 5 }));
    let expected = [("A-data", 5), ("B-data", 5), ("stdin", 8)].map(|(n, l)| (n.to_string(), l));
    assert_eq!(guest.inputs, expected);
    assert_eq!(call(&mut kernel, &mut guest, 0, &[0, BUFFER, 100]), Ok(8));
    let first = guest.terms.byte(2, 0);
    assert_eq!(guest.memory[0x800], Byte::Symbolic(first));
    assert_eq!(call(&mut kernel, &mut guest, 0, &[0, BUFFER, 100]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 1, &[0, BUFFER, 1]), Ok(-1), "standard input is sealed");
}

#[test]
fn output_is_recorded_in_order_whatever_descriptor_it_goes_through() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    let early = kernel.clone();
    let mut expected = Vec::new();
    for i in 0..1000u32 {
        let text = format!("{i} ");
        let at = guest.text(0, &text) as i64;
        let fd = if i % 2 == 0 { 1 } else { 5 };
        call(&mut kernel, &mut guest, 33, &[1, 5]).unwrap();
        assert_eq!(call(&mut kernel, &mut guest, 1, &[fd, at, text.len() as i64]), Ok(text.len() as i64));
        expected.extend(text.bytes());
    }
    let value = |byte| known(&[byte])[0];
    assert_eq!(kernel.stdout(value), expected);
    assert!(kernel.stderr(value).is_empty() && early.stdout(value).is_empty());
}

#[test]
fn a_large_file_is_cut_off_and_extended_with_zeros() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    let path = guest.text(0, "f") as i64;
    guest.set(0x800, &[7; 0x800]);
    assert_eq!(call(&mut kernel, &mut guest, 257, &[AT_FDCWD, path, 0o102, 0o600]), Ok(3));
    assert_eq!(call(&mut kernel, &mut guest, 18, &[3, BUFFER, 0x800, 10_000]), Ok(0x800));
    assert_eq!(call(&mut kernel, &mut guest, 8, &[3, 0, 3]), Ok(8192), "the first data");
    assert_eq!(call(&mut kernel, &mut guest, 77, &[3, 10_001]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 77, &[3, 20_000]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 17, &[3, BUFFER, 4, 9_999]), Ok(4));
    assert_eq!(guest.get(0x800, 4), [0, 7, 0, 0]);
}

#[test]
fn a_write_beyond_the_limit_of_file_sizes_ends_by_its_signal() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    let path = guest.text(0, "f") as i64;
    assert_eq!(call(&mut kernel, &mut guest, 85, &[path, 0o600]), Ok(3));
    assert_eq!(call(&mut kernel, &mut guest, 18, &[3, BUFFER, 10, 16 << 20]), Err(Stop::Signal(25)));
    assert_eq!(call(&mut kernel, &mut guest, 18, &[3, BUFFER, 10, (16 << 20) - 4]), Ok(4));
}

#[test]
fn the_process_ends_by_exit_and_by_signals_that_nothing_holds_back() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    assert_eq!(call(&mut kernel, &mut guest, 231, &[0x1ff]), Err(Stop::Exit(255)));
    assert_eq!(call(&mut kernel, &mut guest, 62, &[2, 15]), Err(Stop::Signal(15)));
    assert_eq!(call(&mut kernel, &mut guest, 62, &[77, 15]), Ok(-3));
    // Blocked, then let through: as musl's raise does it.
    guest.set(0, &(!0u64).to_le_bytes());
    guest.set(8, &0u64.to_le_bytes());
    assert_eq!(call(&mut kernel, &mut guest, 14, &[0, BASE as i64, 0, 8]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 200, &[2, 6]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 14, &[2, BASE as i64 + 8, 0, 8]), Err(Stop::Signal(6)));
}

#[test]
fn what_is_not_modelled_is_named() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    let stop = call(&mut kernel, &mut guest, 250, &[]).unwrap_err();
    assert_eq!(stop, Stop::Unsupported("system call keyctl (250)".into()));
    let stop = call(&mut kernel, &mut guest, 56, &[0x1_0000]).unwrap_err();
    assert_eq!(
        stop,
        Stop::Unsupported("system call clone (56): a thread that does not share all with the others".into())
    );
    assert_eq!(name_of(9999), "unknown");
}

#[test]
fn a_symbolic_word_is_halved_down_to_one_value() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    guest.set(0, &[0; 16]);
    let byte = guest.terms.byte(9, 0);
    guest.memory[0] = Byte::Symbolic(byte);
    guest.script = vec![false; 8];
    assert_eq!(call(&mut kernel, &mut guest, 35, &[BASE as i64, 0]), Ok(0));
    assert_eq!(guest.asked, 8, "255 seconds, found by eight decisions");
    assert_eq!(call(&mut kernel, &mut guest, 201, &[]), Ok(946_684_800 + 255));
}

#[test]
fn mapped_memory_is_given_back_in_parts_and_as_a_whole() {
    let (mut kernel, mut guest) = world(StdinSpec::Empty, None);
    let address = call(&mut kernel, &mut guest, 9, &[0, 5000, 3, 0x22, -1, 0]).unwrap();
    assert_eq!(guest.maps[&(address as u64)].len(), 8192);
    assert_eq!(call(&mut kernel, &mut guest, 11, &[address, 4096]), Ok(0));
    // The model does not unmap again a part that is gone already.
    assert_eq!(call(&mut kernel, &mut guest, 11, &[address, 5000]), Ok(0));
    assert!(guest.maps.is_empty());
    assert_eq!(call(&mut kernel, &mut guest, 9, &[0, 1 << 37, 3, 0x22, -1, 0]), Ok(-12));
}

#[test]
fn a_program_is_executed_with_its_arguments_and_without_what_is_closed_then() {
    let program = |path: &str, image| ProgramFile { path: path.into(), image };
    let mut guest = FakeGuest::new(0x1000);
    let programs = vec![program("bin/one", 1), program("bin/two", 2)];
    let mut kernel = Kernel::new(&KernelSpec { programs, ..KernelSpec::default() });
    kernel.make_files(&mut guest).unwrap();
    let at = |offset: u64| BASE + offset;
    guest.text(0, "/bin/two");
    guest.text(0x20, "name");
    guest.text(0x30, "x?");
    let byte = Byte::Symbolic(guest.terms.byte(9, 0));
    guest.memory[0x31] = byte;
    let mut words = |offset: usize, words: &[u64]| {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        bytes.enumerate().for_each(|(i, b)| guest.memory[offset + i] = Byte::Known(b));
    };
    words(0x40, &[at(0x20), at(0x30), 0]);
    let arguments = [BASE as i64, at(0x40) as i64, 0];
    // Standard input stays open, standard output does not.
    assert_eq!(call(&mut kernel, &mut guest, 72, &[1, 2, 1]), Ok(0));
    let before = kernel.clone();
    assert!(matches!(call(&mut kernel, &mut guest, 59, &arguments), Err(Stop::Decide(_))), "is it NUL?");
    kernel = before;
    guest.script = vec![false];
    let Err(Stop::Execute(start)) = call(&mut kernel, &mut guest, 59, &arguments) else { panic!() };
    assert_eq!(start.image, 2);
    let name: Vec<Byte> = b"name".iter().map(|&b| Byte::Known(b)).collect();
    assert_eq!(start.arguments, [name, vec![Byte::Known(b'x'), byte]]);
    assert_eq!(start.variables, Vec::<Vec<Byte>>::new());
    assert_eq!(call(&mut kernel, &mut guest, 72, &[0, 1]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 72, &[1, 1]), Ok(-9));
    assert_eq!(call(&mut kernel, &mut guest, 4, &[BASE as i64, BUFFER]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, 2, &[BASE as i64, 1]), Ok(-13));
}

#[test]
fn an_opening_of_a_named_pipe_that_a_handler_interrupts_leaves_no_reader() {
    let mut kernel = Kernel::new(&KernelSpec::default());
    let mut guest = FakeGuest::new(0x400);
    let path = guest.text(0, "pipe") as i64;
    assert_eq!(call(&mut kernel, &mut guest, libc::SYS_mknod, &[path, 0o010_644, 0]), Ok(0));
    // A handler of SIGALRM.
    let action = [0x1234u64, 0, 0, 0].map(u64::to_le_bytes).concat();
    let action = guest.set(0x100, &action) as i64;
    assert_eq!(call(&mut kernel, &mut guest, libc::SYS_rt_sigaction, &[14, action, 0, 8]), Ok(0));
    assert_eq!(call(&mut kernel, &mut guest, libc::SYS_alarm, &[1]), Ok(0));
    let interrupted = cleave_linux::RESTART as i64;
    assert_eq!(call(&mut kernel, &mut guest, libc::SYS_open, &[path, 0]), Ok(interrupted));
    assert!(kernel.deliver().unwrap().is_some());
    let write = i64::from(libc::O_WRONLY | libc::O_NONBLOCK);
    assert_eq!(
        call(&mut kernel, &mut guest, libc::SYS_open, &[path, write]),
        Ok(-i64::from(libc::ENXIO)),
        "nobody reads"
    );
}
