//! Values passed on as bytes: components that do not read a value neither decode nor encode it.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use cleave_never::never;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The postcard bytes of a `T`: encoded once, and sent and stored unchanged. Copies share them.
pub struct Encoded<T> {
    bytes: Arc<[u8]>,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize> Encoded<T> {
    /// A value as bytes.
    pub fn new(value: &T) -> Encoded<T> {
        let bytes = postcard::to_stdvec(value).unwrap_or_else(|e| {
            // Plain data of known lengths has a form in postcard.
            never!("a value has no bytes: {e}");
            Vec::new()
        });
        Encoded::from_bytes(&bytes)
    }
}

impl<T: DeserializeOwned> Encoded<T> {
    /// Decodes the value.
    ///
    /// # Errors
    /// If the bytes are no valid `T`: the sent or stored data is damaged.
    pub fn decode(&self) -> postcard::Result<T> {
        postcard::from_bytes(&self.bytes)
    }
}

impl<T> Encoded<T> {
    /// A value from its stored bytes.
    pub fn from_bytes(bytes: &[u8]) -> Encoded<T> {
        Encoded { bytes: bytes.into(), of: PhantomData }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl<T> Clone for Encoded<T> {
    fn clone(&self) -> Encoded<T> {
        Encoded { bytes: self.bytes.clone(), of: PhantomData }
    }
}

impl<T> PartialEq for Encoded<T> {
    fn eq(&self, other: &Encoded<T>) -> bool {
        self.bytes == other.bytes
    }
}

impl<T> Eq for Encoded<T> {}

impl<T: DeserializeOwned + fmt::Debug> fmt::Debug for Encoded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.decode() {
            Ok(value) => value.fmt(f),
            Err(e) => write!(f, "{} bytes ({e})", self.bytes.len()),
        }
    }
}

impl<T> Serialize for Encoded<T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_bytes(&self.bytes)
    }
}

impl<'de, T> Deserialize<'de> for Encoded<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Encoded<T>, D::Error> {
        input.deserialize_bytes(Bytes).map(|bytes| Encoded { bytes, of: PhantomData })
    }
}

struct Bytes;

impl serde::de::Visitor<'_> for Bytes {
    type Value = Arc<[u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Arc<[u8]>, E> {
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Object, Region, Test};

    #[test]
    fn a_value_comes_back_from_its_bytes_and_damage_is_told() {
        let test = Test { objects: vec![Object { name: "a".into(), bytes: vec![1, 2, 255] }] };
        let region = Region::prefix(test.clone(), 3, None);
        let encoded = Encoded::new(&region);
        assert_eq!(encoded.decode().unwrap(), region);
        let sent: Encoded<Region> = postcard::from_bytes(&postcard::to_stdvec(&encoded).unwrap()).unwrap();
        assert_eq!((sent.bytes(), sent.decode().unwrap()), (encoded.bytes(), region));
        let bytes = Encoded::new(&test);
        for end in 0..bytes.bytes().len() {
            assert!(Encoded::<Test>::from_bytes(&bytes.bytes()[..end]).decode().is_err(), "{end}");
        }
    }
}
