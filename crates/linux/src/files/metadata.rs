//! The metadata of files that are inputs, as system calls look at them: `stat` shows terms, and rights are decided.

use cleave_expr::Term;
use cleave_memory::Byte;

use crate::env::world::{GID, UID};
use crate::files::inode::{Direction, FileNode, Ino, S_ISGID, S_ISUID};
use crate::kernel::errno::CallResult;
use crate::kernel::state::Call;

/// A place in a record of the kernel's interface, in bytes, and the term that stands there.
pub(crate) type Patch = (usize, usize, Term);

/// Places of a file's metadata in the results of `stat` and `statx`.
pub(crate) struct Places {
    /// Offset and length in bytes.
    pub(crate) mode: (usize, usize),
    pub(crate) uid: usize,
    pub(crate) gid: usize,
    pub(crate) size: usize,
    pub(crate) blocks: usize,
    /// Read, written, changed.
    pub(crate) times: [usize; 3],
    /// Bytes of the nanoseconds.
    pub(crate) nanoseconds: usize,
}

pub(crate) const IN_STAT: Places =
    Places { mode: (24, 4), uid: 28, gid: 32, size: 48, blocks: 64, times: [72, 88, 104], nanoseconds: 8 };
pub(crate) const IN_STATX: Places =
    Places { mode: (28, 2), uid: 20, gid: 24, size: 40, blocks: 48, times: [64, 112, 96], nanoseconds: 4 };

impl Call<'_> {
    /// The symbolic fields of a record about a file whose metadata are inputs.
    pub(crate) fn patches(&mut self, ino: Ino, places: &Places) -> CallResult<Vec<Patch>> {
        let inode = self.inode(ino)?;
        let (kind, Some(inputs)) = (inode.kind(), inode.inputs.clone()) else { return Ok(Vec::new()) };
        // Nobody sees how much is typed.
        if inode.is_terminal() {
            return Ok(Vec::new());
        }
        let terms = self.guest.terms();
        let mut patches = Vec::new();
        if let Some(mode) = inputs.mode {
            let kind = terms.constant_of(32, kind.into());
            patches.push((places.mode.0, places.mode.1, terms.or(mode, kind)));
        }
        patches.extend(inputs.uid.map(|uid| (places.uid, 4, uid)));
        patches.extend(inputs.gid.map(|gid| (places.gid, 4, gid)));
        if let Some(size) = inputs.size {
            patches.push((places.size, 8, size));
            let [round, twelve, three] = [4095, 12, 3].map(|n| terms.constant_of(64, n));
            let pages = terms.add(size, round);
            let pages = terms.binary(cleave_expr::BinaryOp::LShr, pages, twelve);
            patches.push((places.blocks, 8, terms.binary(cleave_expr::BinaryOp::Shl, pages, three)));
        }
        for (&at, time) in places.times.iter().zip(inputs.times) {
            if let Some([seconds, nanoseconds]) = time {
                patches.extend([(at, 8, seconds), (at + 8, places.nanoseconds, nanoseconds)]);
            }
        }
        Ok(patches)
    }

    /// Writes a record with terms in their places.
    pub(crate) fn put_patched(&mut self, address: u64, record: Vec<u8>, patches: &[Patch]) -> CallResult {
        let mut bytes: Vec<Byte> = record.into_iter().map(Byte::Known).collect();
        for &(at, len, term) in patches {
            let terms = self.guest.terms();
            let term = terms.resize(term, 8 * len as u8);
            let word = Byte::of_word(terms, term);
            bytes[at..at + len].copy_from_slice(&word[..len]);
        }
        self.guest.write(address, &bytes)?;
        Ok(0)
    }

    /// Returns true if a file has this owner.
    pub(crate) fn uid_is(&mut self, ino: Ino, uid: u32) -> CallResult<bool> {
        let inode = self.inode(ino)?;
        match inode.inputs.as_ref().and_then(|inputs| inputs.uid) {
            Some(term) => self.equals(term, uid),
            None => Ok(inode.uid == uid),
        }
    }

    /// Returns true if a file has this group.
    pub(crate) fn gid_is(&mut self, ino: Ino, gid: u32) -> CallResult<bool> {
        let inode = self.inode(ino)?;
        match inode.inputs.as_ref().and_then(|inputs| inputs.gid) {
            Some(term) => self.equals(term, gid),
            None => Ok(inode.gid == gid),
        }
    }

    fn equals(&mut self, term: Term, value: u32) -> CallResult<bool> {
        let terms = self.guest.terms();
        let value = terms.constant_of(32, value.into());
        let same = terms.eq(term, value);
        Ok(self.guest.decide(same)?)
    }

    /// Returns true if the permissions of a file allow the process all that `wanted` has. One decision at most.
    pub(crate) fn allows(&mut self, ino: Ino, wanted: u32) -> CallResult<bool> {
        let inode = self.inode(ino)?;
        let Some(inputs) = inode.inputs.clone() else { return Ok(inode.allows(wanted)) };
        let (mode, uid, gid) = (inode.mode, inode.uid, inode.gid);
        let terms = self.guest.terms();
        let mut term =
            |term: Option<Term>, value: u32| term.unwrap_or_else(|| terms.constant_of(32, value.into()));
        let (mode, uid, gid) = (term(inputs.mode, mode), term(inputs.uid, uid), term(inputs.gid, gid));
        let [owner, group, others] = [6, 3, 0].map(|shift| {
            let wanted = terms.constant_of(32, u128::from(wanted << shift));
            let have = terms.and(mode, wanted);
            terms.eq(have, wanted)
        });
        let [own_uid, own_gid] = [UID, GID].map(|id| terms.constant_of(32, id.into()));
        let (owns, in_group) = (terms.eq(uid, own_uid), terms.eq(gid, own_gid));
        let not_owner = terms.ite(in_group, group, others);
        let allowed = terms.ite(owns, owner, not_owner);
        self.decided(allowed)
    }

    /// Set-id bits that are inputs do not outlive a change of owner or contents.
    pub(crate) fn drop_symbolic_set_id(&mut self, ino: Ino) -> CallResult<()> {
        let inputs = self.inode(ino)?.inputs.clone();
        let Some(mode) = inputs.as_ref().and_then(|inputs| inputs.mode) else { return Ok(()) };
        let terms = self.guest.terms();
        let [user, both] = [S_ISUID, S_ISUID | S_ISGID].map(|bits| terms.constant_of(32, (!bits).into()));
        let bit = terms.extract(mode, 3, 1);
        let kept = terms.ite(bit, both, user);
        let mode = terms.and(mode, kept);
        if let Some(inputs) = self.fs_mut().inode_mut(ino)?.unchanged() {
            inputs.mode = Some(mode);
        }
        Ok(())
    }

    /// Returns true if a file has bytes up to `end`, which lies within its contents: one decision if its length is an input.
    pub(crate) fn reaches(&mut self, ino: Ino, end: u64) -> CallResult<bool> {
        let inputs = &self.inode(ino)?.inputs;
        let Some(size) = inputs.as_ref().and_then(|inputs| inputs.size) else { return Ok(true) };
        let terms = self.guest.terms();
        let end = terms.constant_of(64, end.into());
        let there = terms.ule(end, size);
        self.decided(there)
    }

    /// Decides how long a file is: one path for each length.
    pub(crate) fn settle_size(&mut self, ino: Ino) -> CallResult<()> {
        let inputs = &self.inode(ino)?.inputs;
        let Some(size) = inputs.as_ref().and_then(|inputs| inputs.size) else { return Ok(()) };
        let most = match &self.inode(ino)?.node {
            FileNode::File(content)
            | FileNode::Sealed(content)
            | FileNode::Terminal(Direction::Input(content)) => content.len(),
            _ => 0,
        };
        // By halves, and not by the field's value: fields beyond the contents are one length.
        let (mut least, mut most) = (0, most);
        while least < most {
            let middle = least + (most - least) / 2;
            let terms = self.guest.terms();
            let bound = terms.constant_of(64, middle.into());
            let shorter = terms.ule(size, bound);
            (least, most) = if self.decided(shorter)? { (least, middle) } else { (middle + 1, most) };
        }
        let inode = self.fs_mut().inode_mut(ino)?;
        inode.forget_size();
        if let FileNode::File(content)
        | FileNode::Sealed(content)
        | FileNode::Terminal(Direction::Input(content)) = &mut inode.node
        {
            content.resize(least);
        }
        Ok(())
    }
}
