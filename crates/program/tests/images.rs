//! Several programs as the images of one: nothing of them overlaps, and each calls only its own functions.

use cleave_program::code::*;
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE};
use cleave_program::{ImageError, load, load_at};

/// A program that calls `helper` directly and through a global, with `n` more functions in front.
fn text(n: usize) -> String {
    let more: String = (0..n).map(|i| format!("define void @f{i}() {{ ret void }}\n")).collect();
    let calls: String = (0..n).map(|i| format!("call void @f{i}()\n")).collect();
    format!(
        "{more}
        @table = global [2 x ptr] [ptr @helper, ptr @table]
        @words = constant [3 x i64] [i64 1, i64 2, i64 3]
        define i32 @helper(i32 %x) {{ ret i32 %x }}
        define i32 @main(i32 %x) {{
          {calls}
          %a = call i32 @helper(i32 %x)
          %f = load ptr, ptr @table
          %b = call i32 %f(i32 %a)
          ret i32 %b
        }}"
    )
}

fn joined() -> Program {
    let mut program = load(text(3).as_bytes()).unwrap();
    for (name, n) in [("second", 1), ("third", 0)] {
        let part = load_at(text(n).as_bytes(), false, program.next_place()).unwrap();
        program.add_image(name, part).unwrap();
    }
    program
}

#[test]
fn images_follow_one_another_and_call_their_own_functions() {
    let program = joined();
    program.verify().unwrap();
    assert_eq!(Program::from_bytes(&program.to_bytes().unwrap()).unwrap(), program);
    let names: Vec<&str> = program.images().map(|image| &image.name[..]).collect();
    assert_eq!(names, ["", "second", "third"]);
    for (number, image) in program.images().enumerate() {
        assert_eq!(program.image(number as u32), Some(image));
        assert_eq!(program.functions[image.entry as usize].name, "main");
        let own = |name: &str| {
            let mut own = image.functions.clone();
            own.find(|&id| program.functions[id as usize].name == name).unwrap()
        };
        let main = &program.functions[own("main") as usize];
        let mut called =
            main.code.iter().filter_map(|op| if let Op::Call { func, .. } = op { Some(*func) } else { None });
        assert_eq!(called.next_back(), Some(own("helper")));
        // The table holds the addresses of this image.
        let globals = &program.globals[image.globals.start as usize..image.globals.end as usize];
        let table = globals.iter().find(|g| g.name == "table").unwrap();
        let word = |at: usize| {
            let mut word = [0; 8];
            let end = table.init.len().min(at + 8);
            word[..end - at].copy_from_slice(&table.init[at..end]);
            u64::from_le_bytes(word)
        };
        assert_eq!(word(0), FUNCTION_BASE + u64::from(own("helper")) * FUNCTION_STRIDE);
        assert!(image.has_function_at(word(0)));
        assert_eq!(word(8), table.address);
        assert_eq!(program.image_of(own("helper")), image);
    }
    let mut addresses: Vec<u64> = program.globals.iter().map(|g| g.address).collect();
    addresses.dedup();
    assert_eq!(addresses.len(), program.globals.len());
    assert!(addresses.is_sorted());
}

#[test]
fn a_program_alone_is_what_it_was_and_the_first_of_several_too() {
    let alone = load(text(3).as_bytes()).unwrap();
    let program = joined();
    assert_eq!(program.main, alone.main);
    assert_eq!(program.functions[..alone.functions.len()], alone.functions[..]);
    assert_eq!(program.globals[..alone.globals.len()], alone.globals[..]);
}

#[test]
fn a_part_for_another_place_is_refused() {
    let mut program = joined();
    let place = Place { function: program.next_place().function + 1, ..program.next_place() };
    for place in [Place::default(), place] {
        let part = load_at(text(0).as_bytes(), false, place).unwrap();
        assert!(program.clone().add_image("wrong", part).is_err());
    }
    let part = load_at(text(0).as_bytes(), false, program.next_place()).unwrap();
    let bytes = part.to_bytes().unwrap();
    assert!(matches!(Program::from_bytes(&bytes), Err(ImageError::Wrong(_))), "it is no whole program");
    program.add_image("right", Program::part_from_bytes(&bytes).unwrap()).unwrap();
    program.verify().unwrap();
}

#[test]
fn a_call_into_another_image_is_refused() {
    let mut program = joined();
    let entry = program.main.entry as usize;
    let helper =
        program.others[0].functions.clone().find(|&f| program.functions[f as usize].name == "helper");
    for op in &mut program.functions[entry].code {
        if let Op::Call { func, args, .. } = op
            && args.len == 1
        {
            *func = helper.unwrap();
        }
    }
    assert!(program.verify().unwrap_err().to_string().contains("function"));
    let mut overlapping = joined();
    overlapping.others[1].functions.start -= 1;
    assert!(overlapping.verify().is_err());
}
