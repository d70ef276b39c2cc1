//! Finds the bytes on which the end of a test depends. The result is exact: the path's conditions are evaluated for each
//! value of each byte, and the test is followed with each value that leaves the path.

use cleave_expr::ByteSet;
use cleave_region::Test;

use super::ends::Ended;
use super::follow::{Followed, Follower, Spent};

/// Role of a byte if the other bytes keep their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// With every value the end is the same.
    Free,
    /// With these values and no others the end is the same. The present one is among them, and not all are.
    Needs(ByteSet),
    /// With these values the end is the same, with some others it is not; the rest was not looked at.
    NeedsSome(ByteSet),
    /// With these values the end is the same; of the others nothing is known.
    Unknown(ByteSet, &'static str),
}

/// A byte of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Byte {
    /// Role of the byte.
    pub role: Role,
    /// A value with which the end is another, and that end.
    pub otherwise: Option<(u8, String)>,
}

/// All bytes of a test.
pub struct Roles {
    /// By object and offset.
    pub objects: Vec<Vec<Byte>>,
    /// No condition of the path mentions a free byte: they may all change together.
    pub free_together: bool,
}

/// Finds the bytes on which the end of `followed` depends. With `same`, a value that leads to another path counts as
/// equivalent if `same` accepts the end of that path; without it only the path counts.
pub fn roles(
    follower: &mut Follower,
    followed: &Followed,
    same: Option<&dyn Fn(&Ended) -> bool>,
    spent: &mut Spent,
) -> Roles {
    let (test, kept) = (&followed.test, &followed.kept);
    let mut roles = Roles { objects: Vec::new(), free_together: true };
    for (object, o) in test.objects.iter().enumerate() {
        let mut bytes = Vec::with_capacity(o.bytes.len());
        for offset in 0..o.bytes.len() {
            let place = (object as u32, offset as u32);
            let byte = match kept.get(&place) {
                None => Byte { role: Role::Free, otherwise: None },
                Some(None) => {
                    unknown(ByteSet::EMPTY, "its conditions are too large to be tried", o.bytes[offset])
                }
                Some(Some(set)) => match same {
                    Some(same) => role_of(follower, test, place, *set, same, spent),
                    None => Byte { role: role(*set), otherwise: None },
                },
            };
            roles.free_together &= byte.role != Role::Free || !kept.contains_key(&place);
            bytes.push(byte);
        }
        roles.objects.push(bytes);
    }
    roles
}

fn role(set: ByteSet) -> Role {
    if set == ByteSet::FULL { Role::Free } else { Role::Needs(set) }
}

fn unknown(mut known: ByteSet, why: &'static str, present: u8) -> Byte {
    known.insert(present);
    Byte { role: Role::Unknown(known, why), otherwise: None }
}

/// Follows the test with each value of a byte that leaves the path; of the values that lead to one other path, only one is
/// followed.
fn role_of(
    follower: &mut Follower,
    test: &Test,
    (object, offset): (u32, u32),
    mut keeps: ByteSet,
    same: &dyn Fn(&Ended) -> bool,
    spent: &mut Spent,
) -> Byte {
    let present = test.objects[object as usize].bytes[offset as usize];
    let (mut open, mut otherwise) = (keeps.complement(), None);
    while let Some(value) = open.first() {
        let mut changed = test.clone();
        changed.objects[object as usize].bytes[offset as usize] = value;
        let followed = (!spent.is_over()).then(|| follower.follow(&changed, spent));
        let Some((followed, end)) = followed.as_ref().and_then(|f| Some((f, f.end.as_ref()?))) else {
            return match otherwise {
                Some(_) => Byte { role: Role::NeedsSome(keeps), otherwise },
                None if spent.is_over() => {
                    unknown(keeps, "its other values would take too long to follow", present)
                }
                None => unknown(keeps, "with another value the path is too long to be followed", present),
            };
        };
        let mut alike = match followed.kept.get(&(object, offset)) {
            None => ByteSet::FULL,
            Some(None) => ByteSet::EMPTY,
            Some(Some(set)) => *set,
        };
        alike.insert(value);
        if same(end) {
            keeps = ByteSet(std::array::from_fn(|i| keeps.0[i] | alike.0[i]));
        } else {
            otherwise.get_or_insert_with(|| (value, end.text()));
        }
        open = open.intersect(&alike.complement());
    }
    Byte { role: role(keeps), otherwise }
}

/// Groups of neighbouring bytes of an object that are alike: first offset, last offset, and the byte.
pub fn groups<'a>(bytes: &'a [Byte], values: &[u8]) -> Vec<(usize, usize, &'a Byte)> {
    let mut groups: Vec<(usize, usize, &Byte)> = Vec::new();
    for (i, byte) in bytes.iter().enumerate() {
        match groups.last_mut() {
            Some((from, to, before))
                if before.role == byte.role
                    && (byte.role == Role::Free || values.get(*from) == values.get(i)) =>
            {
                *to = i;
            }
            _ => groups.push((i, i, byte)),
        }
    }
    groups
}

impl Role {
    /// `free`, `fixed`, `constrained` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Role::Free => "free",
            Role::Needs(set) if set.len() == 1 => "fixed",
            Role::Needs(_) | Role::NeedsSome(_) => "constrained",
            Role::Unknown(..) => "unknown",
        }
    }

    /// The values with which the end is the same, as far as they are known.
    pub fn values(&self) -> ByteSet {
        match self {
            Role::Free => ByteSet::FULL,
            Role::Needs(set) | Role::NeedsSome(set) | Role::Unknown(set, _) => *set,
        }
    }
}
