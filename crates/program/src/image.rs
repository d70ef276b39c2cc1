//! Programs as bytes. A run keeps them beside its database, so that every worker and every resumption runs the same code.

use crate::register_code::code::Program;
use crate::register_code::verify::VerifyError;

const MAGIC: &[u8; 8] = b"cleavep9";

/// Why bytes are no program.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// They were not written by [`Program::to_bytes`].
    #[error("this is no program image of this version of Cleave, or it is damaged; start the run anew")]
    Damaged,
    /// They are a program that breaks the rules of register code.
    #[error(transparent)]
    Wrong(#[from] VerifyError),
}

impl Program {
    /// The program as bytes.
    ///
    /// # Errors
    /// None that is known: a program is plain data.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ImageError> {
        let body = postcard::to_allocvec(self).map_err(|_| ImageError::Damaged)?;
        let mut out = MAGIC.to_vec();
        out.extend(checksum(&body).to_le_bytes());
        out.extend(body);
        Ok(out)
    }

    /// The program of [`Program::to_bytes`].
    ///
    /// # Errors
    /// [`ImageError`] where the bytes are not just that, or are no program that [`Program::verify`] lets pass.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, ImageError> {
        let program = Program::part_from_bytes(bytes)?;
        program.verify_whole()?;
        Ok(program)
    }

    /// As [`Program::from_bytes`], of a program that was loaded for [`Program::add_image`].
    ///
    /// # Errors
    /// [`ImageError`] where the bytes are not just that, or break the rules of register code.
    pub fn part_from_bytes(bytes: &[u8]) -> Result<Program, ImageError> {
        let (head, body) = bytes.split_at_checked(16).ok_or(ImageError::Damaged)?;
        if &head[..8] != MAGIC || head[8..] != checksum(body).to_le_bytes() {
            return Err(ImageError::Damaged);
        }
        decoded(body)
    }
}

fn decoded(body: &[u8]) -> Result<Program, ImageError> {
    let program: Program = postcard::from_bytes(body).map_err(|_| ImageError::Damaged)?;
    program.verify_part()?;
    Ok(program)
}

/// FNV-1a over 8-byte words: notices damage, proves nothing.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |h, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (h ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::decoded;
    use crate::register_code::code::*;

    /// One function with a loop, a switch, a call of itself, wide values and variable arguments.
    fn sample() -> Program {
        let text = r#"
            @words = global [2 x i64] [i64 1, i64 -1]
            define i128 @main(i32 %x, i128 %w, ...) {
            entry:
              br label %loop
            loop:
              %i = phi i32 [ %x, %entry ], [ %j, %next ]
              switch i32 %i, label %next [ i32 1, label %done i32 2, label %next ]
            next:
              %c = call i128 (i32, i128, ...) @main(i32 %i, i128 %w, i64 3)
              %t = trunc i128 %c to i32
              %f = load ptr, ptr getelementptr (i8, ptr @words, i64 8)
              %d = call i32 %f(i32 %t)
              %j = shl i32 %d, 1
              br label %loop
            done:
              ret i128 %w
            }
        "#;
        crate::load(text.as_bytes()).unwrap()
    }

    /// Behind the checksum, which would hide it: damage is an error or another program that keeps to the rules.
    #[test]
    fn damaged_bytes_never_pass_for_code_that_breaks_the_rules() {
        let program = sample();
        let bytes = postcard::to_allocvec(&program).unwrap();
        assert_eq!(decoded(&bytes).unwrap(), program);
        let mut seed = 1u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % n
        };
        let (mut refused, rounds) = (0, 20_000);
        for _ in 0..rounds {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(3) {
                let at = random(damaged.len());
                match random(4) {
                    0 => damaged[at] = random(256) as u8,
                    1 => damaged[at] ^= 1 << random(8),
                    2 => damaged.insert(at, [0, 0x7f, 0xff][random(3)]),
                    _ => damaged.truncate(at.max(1)),
                }
            }
            match decoded(&damaged) {
                Ok(program) => drop(program.dump_all()),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > rounds / 2, "{refused}");
    }
}
