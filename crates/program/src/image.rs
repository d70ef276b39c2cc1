//! Programs as bytes: what a run keeps beside its database, so that every worker and every resumption runs
//! the same code.

use crate::code::Program;
use crate::verify::VerifyError;

const MAGIC: &[u8; 8] = b"cleavep1";

/// Why bytes are no program.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// They are not what [`Program::to_bytes`] wrote.
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
        let (head, body) = bytes.split_at_checked(16).ok_or(ImageError::Damaged)?;
        if &head[..8] != MAGIC || head[8..] != checksum(body).to_le_bytes() {
            return Err(ImageError::Damaged);
        }
        decoded(body)
    }
}

fn decoded(body: &[u8]) -> Result<Program, ImageError> {
    let program: Program = postcard::from_bytes(body).map_err(|_| ImageError::Damaged)?;
    program.verify()?;
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
