//! Authentication by the campaign's key. Each packet carries a code that only holders of the key can make.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ring::hmac;

use crate::packet::Packet;

/// Minimum length of a key, in bytes: a shorter one could be guessed.
const SHORTEST: usize = 16;
/// Maximum size of a key file, in bytes.
const LONGEST: u64 = 1 << 16;
/// Bytes of the code in front of each packet.
const CODE: usize = 32;
/// Text of the code for the subject. No packet begins like this, so the code cannot be used to forge one.
const SUBJECT: &[u8] = b"subject";

/// The key of a campaign.
pub struct Key {
    key: hmac::Key,
}

impl Key {
    /// A key of these bytes.
    ///
    /// # Errors
    /// If they are too few.
    pub fn new(bytes: &[u8]) -> Result<Key, String> {
        let bytes = bytes.trim_ascii();
        if bytes.len() < SHORTEST {
            return Err(format!("has {} bytes, and a key has {SHORTEST} at least", bytes.len()));
        }
        Ok(Key { key: hmac::Key::new(hmac::HMAC_SHA256, bytes) })
    }

    /// The key in a file that only its owner can read.
    ///
    /// # Errors
    /// A description of the fault of the file, and advice.
    pub fn read(path: &Path) -> Result<Key, String> {
        const MAKE: &str = "make one with: (umask 077; openssl rand -hex 32 > KEY)";
        let shown = path.display();
        let data =
            std::fs::metadata(path).map_err(|e| format!("cannot read the key {shown}: {e}; {MAKE}"))?;
        if !data.is_file() || data.len() > LONGEST {
            return Err(format!("{shown} is no file with a key; {MAKE}"));
        }
        if data.permissions().mode() & 0o077 != 0 {
            return Err(format!("others may read the key {shown}; do: chmod 600 {shown}"));
        }
        let bytes = std::fs::read(path).map_err(|e| format!("cannot read the key {shown}: {e}"))?;
        Key::new(&bytes).map_err(|e| format!("the key {shown} {e}; {MAKE}"))
    }

    /// The subject of the campaign's packets: campaigns with other keys do not see them.
    pub(crate) fn subject(&self) -> String {
        let code = hmac::sign(&self.key, SUBJECT);
        let name: String = code.as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("cleave.{name}")
    }

    /// A packet with its code in front.
    pub(crate) fn seal(&self, packet: &Packet) -> Vec<u8> {
        let sealed = postcard::to_extend(packet, vec![0; CODE]);
        let mut sealed = sealed.expect("packets have no types that postcard refuses");
        let code = hmac::sign(&self.key, &sealed[CODE..]);
        sealed[..CODE].copy_from_slice(code.as_ref());
        sealed
    }

    /// The packet of these bytes; `None` if they were made or changed without the key.
    pub(crate) fn open(&self, sealed: &[u8]) -> Option<Packet> {
        let (code, packet) = sealed.split_at_checked(CODE)?;
        hmac::verify(&self.key, packet, code).ok()?;
        postcard::from_bytes(packet).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Id;

    fn key(text: &str) -> Key {
        Key::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_packet_is_opened_by_its_key_alone_and_only_as_it_was_sealed() {
        let (own, other) = (key("0123456789abcdef"), key("0123456789abcdeF"));
        let packet = Packet::Stranger { run: Id([1; 16]), node: Id([2; 16]) };
        let sealed = own.seal(&packet);
        assert_eq!(own.open(&sealed), Some(packet));
        assert_eq!(other.open(&sealed), None);
        assert_ne!(own.subject(), other.subject());
        for i in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[i] ^= 1;
            assert_eq!(own.open(&changed), None, "byte {i}");
            assert_eq!(own.open(&sealed[..i]), None, "cut off at {i}");
        }
    }

    #[test]
    fn a_key_that_is_short_or_that_others_can_read_is_refused() {
        assert!(Key::new(b"  too short \n").is_err());
        let folder = std::env::temp_dir().join(format!("cleave-key-{}", std::process::id()));
        std::fs::write(&folder, "0123456789abcdef0123456789abcdef\n").unwrap();
        let with = |mode| {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            Key::read(&folder).err()
        };
        assert!(with(0o640).unwrap().contains("chmod 600"));
        assert_eq!(with(0o600), None);
        std::fs::remove_file(&folder).unwrap();
        assert!(Key::read(&folder).err().unwrap().contains("openssl"));
    }
}
