//! Programs as bytes: what a run keeps beside its database, so that every worker and every resumption runs
//! the same code.

use crate::code::Program;

const MAGIC: &[u8; 8] = b"cleavep1";

/// Why bytes are no program.
#[derive(Debug, thiserror::Error)]
#[error("this is no program image of this version of Cleave, or it is damaged; start the run anew")]
pub struct ImageError;

impl Program {
    /// The program as bytes.
    ///
    /// # Errors
    /// None that is known: a program is plain data.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ImageError> {
        let body = postcard::to_allocvec(self).map_err(|_| ImageError)?;
        let mut out = MAGIC.to_vec();
        out.extend(checksum(&body).to_le_bytes());
        out.extend(body);
        Ok(out)
    }

    /// The program of [`Program::to_bytes`].
    ///
    /// # Errors
    /// [`ImageError`] where the bytes are not just that.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, ImageError> {
        let (head, body) = bytes.split_at_checked(16).ok_or(ImageError)?;
        if &head[..8] != MAGIC || head[8..] != checksum(body).to_le_bytes() {
            return Err(ImageError);
        }
        postcard::from_bytes(body).map_err(|_| ImageError)
    }
}

/// FNV-1a over 8-byte words: notices damage, proves nothing.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |h, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (h ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3)
    })
}
