// Inline assembly whose text is empty or only a comment: values stay as they are, whatever syntax it is in.
// The last arm has a path for numbers of one, two and three digits, which are printed.
// cleave: expect paths=11
use std::arch::asm;

fn main() {
    let bytes = cleave::bytes(1);
    let (mut n, mut m) = (u64::from(bytes[0]), 3u64);
    let mut place = &bytes as *const Vec<u8>;
    let mut half = 0.5f64;
    unsafe {
        match bytes[0] {
            1 => asm!("/*{0}*/", inout(reg) n),
            2 => asm!("/*{0}*/", inout(reg) place),
            3 => asm!("/*{0:e}*/", inout(reg) n),
            4 => asm!("/*{0}*/", inout(reg) n, options(att_syntax)),
            5 => asm!("// {0}", inout(reg) n),
            6 => asm!("# {0} {1}", inout(reg) n, inout(reg) m),
            7 => asm!("/*{0}*/", inout(xmm_reg) half),
            8 => asm!("/*{0}*/ nop", in(reg) n),
            _ => asm!(""),
        }
        println!("{n} {m} {half} {}", (*place).len());
    }
}
