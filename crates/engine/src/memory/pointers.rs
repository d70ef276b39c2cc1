//! From a pointer to the object it points into. A symbolic pointer is decided object by object, by address.

use cleave_expr::{BinaryOp, Node, Term};
use cleave_memory::{Fault, Grave, Hole, Object};
use cleave_program::layout::{FUNCTION_BASE, GUARD};
use cleave_program::missing_data;
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::limits::Limit;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// Maximum number of objects that the leaves of one pointer give and that are tried one by one.
pub(crate) const MOST_LEAVES: usize = 64;
/// Maximum number of terms that are looked at to find them.
const MOST_STEPS: usize = 4 * MOST_LEAVES;
/// Stands behind the known objects for any other one that the pointer points into.
const ELSEWHERE: u64 = u64::MAX;

/// A choice between at most this many addresses is decided as the branches that it came from.
pub(crate) const MOST_BRANCHES: usize = 4;

/// The objects that a pointer is built on.
#[derive(Default)]
pub(crate) struct Leaves {
    /// Their starts, rising, each once; at most one more than [`MOST_LEAVES`].
    pub(crate) objects: Vec<u64>,
    /// The first of them with an address in or close to it: messages say that the pointer points into this one.
    pub(crate) close: Option<u64>,
    /// The first object that is no more with an address in it.
    pub(crate) dead: Option<Grave>,
    /// Start and end of the last one that was found: the next address of a table is mostly in the same one.
    last: Option<(u64, u64)>,
    /// The pointer may have other values than the addresses that were found.
    pub(crate) others: bool,
    /// Terms looked at.
    steps: usize,
}

impl Leaves {
    /// Adds the object in whose slots an address lies, if there is one: an access elsewhere is in none.
    fn add(&mut self, state: &State, address: u64) {
        if address < FUNCTION_BASE {
            return;
        }
        if let Some((base, end)) = self.last
            && (base..end).contains(&address)
        {
            self.close = self.close.or(Some(base));
            return;
        }
        let Some(object) = state.memory.object(address) else {
            self.dead = self.dead.or_else(|| state.memory.grave(address).map(|(grave, _)| grave));
            return;
        };
        if let Err(place) = self.objects.binary_search(&object.base) {
            if self.objects.len() > MOST_LEAVES {
                self.others = true;
                return;
            }
            self.objects.insert(place, object.base);
        }
        self.last = Some((object.base, object.base + object.size));
        if self.close.is_none() && address <= object.base + object.size + GUARD {
            self.close = Some(object.base);
        }
    }
}

/// Offsets that an access may have in its object: `count` of them, `stride` apart from `first` on.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub(crate) first: u64,
    pub(crate) stride: u64,
    pub(crate) count: u64,
}

/// The bytes that an object has.
pub(crate) struct Outline {
    base: u64,
    size: u64,
    extent: Option<Term>,
    holes: Vec<Hole>,
}

impl Outline {
    pub(crate) fn of(object: &Object) -> Outline {
        Outline {
            base: object.base,
            size: object.size,
            extent: object.extent,
            holes: object.holes().to_vec(),
        }
    }
}

/// The target of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AccessTarget {
    /// To one address.
    At(u64),
    /// Into the object at `base`, of `size` bytes or at most as many, at a symbolic offset that keeps the access in bounds.
    Within { base: u64, size: u64, offset: Term },
}

impl Engine {
    /// The object that messages name as that of a symbolic pointer, or one that is no more.
    pub(crate) fn close_object(&self, state: &State, pointer: Term) -> (Option<u64>, Option<Grave>) {
        let mut found = Leaves::default();
        self.leaves(state, pointer, &mut found);
        (found.close, found.dead)
    }

    /// The target of an access of `n` bytes at `addr + off`; every way in which it can be wrong is a decision.
    pub(crate) fn place(&mut self, state: &State, addr: Reg, off: i32, n: u64) -> Result<AccessTarget, Stop> {
        self.used(state, addr, "an address")?;
        let off = off as i64 as u64;
        let made_from = addr.base().and_then(|handle| self.shades.base_of(handle));
        let Some(t) = addr.term() else {
            let at = addr.value.wrapping_add(off);
            return self.place_of_known(state, at, made_from, n);
        };
        let k = self.terms.constant_of(64, off as u128);
        let pointer = self.terms.add(t, k);
        let mut pointer = self.value(state, pointer);
        // A choice between few addresses was a branch in the source: it is one again, and the address is known.
        while let Node::Ite(c, a, b) = self.terms.node(pointer)
            && self.few_values(pointer).is_some_and(|leaves| leaves.len() <= MOST_BRANCHES)
            && !self.stays_one(state, pointer)
        {
            pointer = if self.decide(state, c)? { a } else { b };
        }
        if let Some(v) = self.terms.constant64(pointer) {
            return self.place_of_known(state, v, made_from, n);
        }
        if let Some(base) = made_from
            && let Some(target) = self.place_in_origin(state, pointer, base, n)?
        {
            return Ok(target);
        }
        let mut found = Leaves::default();
        self.leaves(state, pointer, &mut found);
        let Leaves { objects: mut bases, close, dead, others, .. } = found;
        if bases.is_empty() || bases.len() > MOST_LEAVES {
            let many = bases.len() > MOST_LEAVES;
            bases = vec![self.nearest_object(state, pointer)?];
            if many {
                self.decided_by_value(state, Limit::Objects, state.memory.objects().count() as u64);
            }
        } else if others {
            bases.push(ELSEWHERE);
        }
        let (lo, hi) = self.terms.range(pointer);
        let only = bases.iter().filter(|&&base| base != ELSEWHERE).count() == 1;
        for &base in &bases {
            let base = if base == ELSEWHERE { self.other_object(state, pointer, n, &bases)? } else { base };
            let Some(object) = state.memory.object(base) else { continue };
            if let Some(name) = self.missing_variable(object.kind, object.origin) {
                let missing = Stop::unsupported(missing_data(name));
                let room = Outline { size: self.room_of(object), extent: None, ..Outline::of(object) };
                let there = self.inside(pointer, &room, 1);
                if only || self.decide(state, there)? {
                    return Err(missing);
                }
                continue;
            }
            let (base, size, outline) = (object.base, object.size, Outline::of(object));
            if size < n || base > hi || base + (size - n) < lo {
                continue;
            }
            let inside = self.inside(pointer, &outline, n);
            if self.decide(state, inside)? {
                return Ok(self.access_target(pointer, base, size));
            }
        }
        self.outside(state, pointer, n);
        let known = bases.iter().any(|&b| state.memory.object(b).is_some());
        Err(self.outside_bug(state, known, close, dead))
    }

    /// Whether a choice between addresses stays one pointer: where arms are joined, if all of them are in one object.
    fn stays_one(&self, state: &State, pointer: Term) -> bool {
        if !self.has_diagrams(state) {
            return false;
        }
        let mut found = Leaves::default();
        self.leaves(state, pointer, &mut found);
        found.objects.len() == 1 && !found.others && found.dead.is_none()
    }

    /// The target of an access of `n` bytes at a known address; `made_from` as in [`Engine::place_in_origin`].
    fn place_of_known(
        &mut self,
        state: &State,
        at: u64,
        made_from: Option<Term>,
        n: u64,
    ) -> Result<AccessTarget, Stop> {
        let Some(base) = made_from else { return Ok(AccessTarget::At(at)) };
        let pointer = self.terms.constant_of(64, at.into());
        let target = self.place_in_origin(state, pointer, base, n)?;
        Ok(target.unwrap_or(AccessTarget::At(at)))
    }

    /// The target of an access at `pointer` that is decided to lie in the object of `size` bytes at `base`.
    pub(crate) fn access_target(&mut self, pointer: Term, base: u64, size: u64) -> AccessTarget {
        let b = self.terms.constant_of(64, base as u128);
        let offset = self.terms.sub(pointer, b);
        match self.terms.constant64(offset) {
            Some(o) => AccessTarget::At(base.wrapping_add(o)),
            None => AccessTarget::Within { base, size, offset },
        }
    }

    /// Notes, while a test is followed, that an access of `n` bytes at `pointer` is in none of its objects.
    pub(crate) fn outside(&mut self, state: &State, pointer: Term, n: u64) {
        if self.watch.is_some() {
            self.was_outside(state, pointer, n);
        }
    }

    /// Size in bytes of a variable that is defined nowhere: it may be larger than it is declared.
    fn room_of(&self, object: &Object) -> u64 {
        let declared = self.program.globals.get(object.origin as usize).map_or(0, |g| g.size);
        declared.max(self.program.target.slot_size() - GUARD)
    }

    /// The address of `n` bytes, one path for each object and place in it that the pointer can have.
    pub(crate) fn address(&mut self, state: &State, pointer: Reg, n: u64) -> Result<u64, Stop> {
        match self.place(state, pointer, 0, n)? {
            AccessTarget::At(address) => Ok(address),
            AccessTarget::Within { base, size, offset } => {
                let (lo, hi) = self.terms.range(offset);
                let hi = hi.min(size.saturating_sub(n));
                let lo = lo.min(hi);
                let at = self.concrete_within(state, offset, lo, hi)?;
                self.decided_by_value(state, Limit::Address, hi - lo + 1);
                Ok(base + at)
            }
        }
    }

    /// Adds the addresses that `t` is built on: constants that lie in the slots of an object. These are all values of
    /// `t` only where every term on the way is a choice between constants; anything else sets [`Leaves::others`].
    pub(crate) fn leaves(&self, state: &State, t: Term, out: &mut Leaves) {
        out.steps += 1;
        if out.steps > MOST_STEPS {
            out.others = true;
            return;
        }
        match self.terms.node(t) {
            Node::Const(v) => out.add(state, v),
            Node::Ite(_, a, b) => {
                self.leaves(state, a, out);
                self.leaves(state, b, out);
            }
            // One operand is the pointer: that with addresses in it.
            Node::Binary(cleave_expr::BinaryOp::Add, a, b) => {
                out.others = true;
                self.leaves(state, a, out);
                self.leaves(state, b, out);
            }
            Node::Binary(cleave_expr::BinaryOp::Sub, a, _) => {
                out.others = true;
                self.leaves(state, a, out);
            }
            Node::Table(id, _) => {
                for v in self.terms.table_entries(id).iter() {
                    out.add(state, v);
                }
            }
            // A word that came out of memory whole, or bits of one.
            _ => out.others = true,
        }
    }

    /// The condition that an access of `n` bytes at `pointer` lies in the object of this outline, which may have a symbolic
    /// size; `n` is at most its size.
    pub(crate) fn inside(&mut self, pointer: Term, outline: &Outline, n: u64) -> Term {
        let &Outline { base, size, extent, .. } = outline;
        let b = self.terms.constant_of(64, base as u128);
        let offset = self.terms.sub(pointer, b);
        if let Some(extent) = extent {
            return self.within_extent(offset, extent, size, n);
        }
        let last = self.terms.constant_of(64, (size - n) as u128);
        let mut inside = self.terms.ule(offset, last);
        for hole in &outline.holes {
            // From the first offset with which the access meets the hole.
            let first = (hole.start + 1).saturating_sub(n);
            let (k, length) = (
                self.terms.constant_of(64, first.into()),
                self.terms.constant_of(64, (hole.end - first).into()),
            );
            let from = self.terms.sub(offset, k);
            let met = self.terms.ult(from, length);
            let free = self.terms.not(met);
            inside = self.terms.and(inside, free);
        }
        inside
    }

    /// An object that an access of `n` bytes at `pointer` lies in, other than those of the addresses `known`; 0 if it lies in
    /// none. The constant in a sum may be far from the address that was the start of the computation (`p + (i + 900) / 9 - 100`
    /// has `p - 100` in it), and in the slots of an object that has nothing to do with it. One decision tells if there is such
    /// an object, so that a wrong access stays one path.
    fn other_object(&mut self, state: &State, pointer: Term, n: u64, known: &[u64]) -> Result<u64, Stop> {
        let (lo, hi) = self.terms.range(pointer);
        let others = state.memory.objects().filter(|o| {
            o.size >= n && o.base <= hi && o.base + (o.size - n) >= lo && !known.contains(&o.base)
        });
        let others: Vec<Outline> = others.map(Outline::of).collect();
        let any = others.iter().map(|object| self.inside(pointer, object, n)).collect();
        match self.any_of(any) {
            Some(any) if self.decide(state, any)? => {
                let bases: Vec<u64> = others.iter().map(|o| o.base).collect();
                self.halved_objects(state, pointer, &bases)
            }
            _ => Ok(0),
        }
    }

    /// The object that a pointer could point into which is made of no known address.
    fn nearest_object(&mut self, state: &State, pointer: Term) -> Result<u64, Stop> {
        let (lo, hi) = self.terms.range(pointer);
        let bases: Vec<u64> = state
            .memory
            .objects()
            .filter(|o| o.base <= hi && o.base + o.size >= lo)
            .map(|o| o.base)
            .collect();
        self.halved_objects(state, pointer, &bases)
    }

    /// The last of these rising addresses that is not above `pointer`, or the first; 0 if there is none. Each halving
    /// is a decision.
    fn halved_objects(&mut self, state: &State, pointer: Term, bases: &[u64]) -> Result<u64, Stop> {
        let mut bases = bases;
        while bases.len() > 1 {
            let (left, right) = bases.split_at(bases.len() / 2);
            let k = self.terms.constant_of(64, right[0] as u128);
            let below = self.terms.ult(pointer, k);
            bases = if self.decide(state, below)? { left } else { right };
        }
        Ok(bases.first().copied().unwrap_or(0))
    }

    /// True if two pointers may point into the same object, as far as the addresses in them tell.
    pub(crate) fn may_meet(&mut self, state: &State, a: Reg, b: Reg) -> bool {
        let mut found = [Leaves::default(), Leaves::default()];
        for (pointer, found) in [a, b].into_iter().zip(&mut found) {
            let t = self.term(64, pointer);
            let t = self.value(state, t);
            self.leaves(state, t, found);
        }
        let [a, b] = found;
        // A pointer made of an address and a number stays in the object, or it is wrong.
        a.objects.is_empty() || b.objects.is_empty() || a.objects.iter().any(|base| b.objects.contains(base))
    }

    /// Checks in front of an access to an array inside of a structure that it stays in it.
    pub(crate) fn member_access(&mut self, state: &State, args: &[Reg]) -> Result<(), Stop> {
        if !self.options.checks.has(Family::Subobject) {
            return Ok(());
        }
        let outside = self.outside_of_part(state, args)?;
        outside.map_or(Ok(()), |(place, size, of)| {
            let text = format!("an access {place} an array of {size} bytes inside of {of}");
            Err(Stop::bug(BugKind::Subobject, text))
        })
    }

    /// Checks in front of an access that names a variable of a section that it stays in it.
    pub(crate) fn section_access(&mut self, state: &State, args: &[Reg]) -> Result<(), Stop> {
        let outside = self.outside_of_part(state, args)?;
        outside.map_or(Ok(()), |(place, size, of)| {
            let text = format!("an access {place} the global `{of}` of {size} bytes");
            Err(Stop::bug(BugKind::OutOfBounds, text))
        })
    }

    /// The place of an access that is not in a part of an object, in words, the size of that part, and its name; `None` if it
    /// is inside.
    fn outside_of_part(
        &mut self,
        state: &State,
        args: &[Reg],
    ) -> Result<Option<(String, u64, String)>, Stop> {
        let &[offset, n, size, of] = args else { return Ok(None) };
        self.used(state, offset, "an address")?;
        let room = size.value.wrapping_sub(n.value);
        let inside = match offset.term() {
            None => offset.value <= room,
            Some(t) => {
                let room = self.terms.constant_of(64, room.into());
                let inside = self.terms.ule(t, room);
                self.decide(state, inside)?
            }
        };
        if inside && n.value <= size.value {
            return Ok(None);
        }
        let of = self.program.strings.get(of.value as usize).map_or("a structure", String::as_str);
        let place = match offset.term() {
            None => format!("at offset {} of", offset.value as i64),
            Some(_) => "outside of".to_string(),
        };
        Ok(Some((place, size.value, of.to_string())))
    }

    /// As [`Engine::pointed_to`], of a symbolic pointer.
    pub(crate) fn symbolically_pointed_to(&self, state: &State, pointer: Term) -> String {
        match self.close_object(state, pointer) {
            (Some(base), _) => match state.memory.object(base) {
                Some(o) => {
                    format!("points to a symbolic offset of {}, not to its start", self.object_name(o))
                }
                None => "is symbolic, and the start of no heap object".into(),
            },
            (None, Some(grave)) => format!("points to a symbolic offset of {}", self.dead_name(grave)),
            (None, None) => "is symbolic, and the start of no heap object".into(),
        }
    }

    /// The value at an offset that is one of these places, which hold `values`. `None` if a read would have to tell more than
    /// `most` places apart; known places, and those that copies of symbolic lengths made of them, do not count.
    pub(crate) fn chosen_among(
        &mut self,
        offset: Term,
        Places { first, stride, .. }: Places,
        values: Vec<Term>,
        most: u64,
    ) -> Option<Term> {
        let many = values.len() as u64 > most && self.terms.told_apart(first, stride, &values) as u64 > most;
        (!many).then(|| self.terms.selected(offset, first, stride, values))
    }

    /// `(shift, rest)`, if the term is `rest` modulo `2^shift`.
    pub(crate) fn alignment(&self, t: Term) -> (u32, u64) {
        match self.terms.node(t) {
            Node::Const(v) => (32, v),
            Node::Binary(BinaryOp::Add, a, b) => {
                let ((s, x), (z, y)) = (self.alignment(a), self.alignment(b));
                (s.min(z), x.wrapping_add(y))
            }
            Node::Binary(BinaryOp::Concat, _, lo) if self.terms.constant(lo) == Some(0) => {
                (self.terms.width(lo) as u32, 0)
            }
            Node::Binary(BinaryOp::Mul, _, k) => match self.terms.constant64(k) {
                Some(k) => (k.trailing_zeros(), 0),
                None => (0, 0),
            },
            Node::Zext(a) | Node::Sext(a) => self.alignment(a),
            _ => (0, 0),
        }
    }

    /// The term to which a sum adds a known number; a constant is the second operand.
    pub(crate) fn moved_by(&self, t: Term) -> Option<(Term, u64)> {
        let Node::Binary(BinaryOp::Add, moved, by) = self.terms.node(t) else { return None };
        Some((moved, self.terms.constant64(by)?))
    }

    /// The target of an access of `n` bytes at a pointer that was made from the object that starts at `base`. `None` if there
    /// is no such object, nor was.
    pub(crate) fn place_in_origin(
        &mut self,
        state: &State,
        pointer: Term,
        base: Term,
        n: u64,
    ) -> Result<Option<AccessTarget>, Stop> {
        let (mut pointer, mut base) = (pointer, self.value(state, base));
        // A choice between few objects was a branch in the source, as in `Engine::place`.
        while let Node::Ite(c, a, b) = self.terms.node(base) {
            let side = self.decide(state, c)?;
            base = if side { a } else { b };
            if let Node::Ite(d, x, y) = self.terms.node(pointer)
                && d == c
            {
                pointer = if side { x } else { y };
            }
        }
        if let Some(start) = self.terms.constant64(base) {
            return self.place_in_object(state, pointer, start, n);
        }
        let mut found = Leaves::default();
        self.leaves(state, base, &mut found);
        if found.others || found.objects.is_empty() || found.objects.len() > MOST_LEAVES {
            return Ok(None);
        }
        for &start in &found.objects {
            let Some(object) = state.memory.object(start).filter(|o| o.size >= n) else { continue };
            let (size, outline) = (object.size, Outline::of(object));
            let inside = self.inside(pointer, &outline, n);
            let k = self.terms.constant_of(64, start.into());
            let this = self.terms.eq(base, k);
            let inside = self.terms.and(this, inside);
            if self.decide(state, inside)? {
                return Ok(Some(self.access_target(pointer, start, size)));
            }
        }
        self.outside(state, pointer, n);
        Err(self.outside_bug(state, true, found.close, found.dead))
    }

    pub(crate) fn place_in_object(
        &mut self,
        state: &State,
        pointer: Term,
        start: u64,
        n: u64,
    ) -> Result<Option<AccessTarget>, Stop> {
        let Some(object) = state.memory.object(start) else {
            return match state.memory.grave(start) {
                Some((grave, _)) => Err(self.outside_bug(state, false, None, Some(grave))),
                None => Ok(None),
            };
        };
        if let Some(name) = self.missing_variable(object.kind, object.origin) {
            return Err(Stop::unsupported(missing_data(name)));
        }
        if let Some(at) = self.terms.constant64(pointer) {
            let elsewhere = n > 0 && state.memory.object(at).is_none_or(|o| o.base != start);
            return match elsewhere {
                true => Err(self.pointer_bug(&Fault::outside(object, at))),
                false => Ok(Some(AccessTarget::At(at))),
            };
        }
        let (size, outline) = (object.size, Outline::of(object));
        if size >= n {
            let inside = self.inside(pointer, &outline, n);
            if self.decide(state, inside)? {
                return Ok(Some(self.access_target(pointer, start, size)));
            }
        }
        self.outside(state, pointer, n);
        Err(self.outside_bug(state, true, Some(start), None))
    }

    /// That an access of `n` bytes at a symbolic offset lies in an object with this symbolic size; `room`, the most that it can
    /// be, is at least `n`.
    pub(crate) fn within_extent(&mut self, offset: Term, extent: Term, room: u64, n: u64) -> Term {
        if n == 0 {
            return self.terms.ule(offset, extent);
        }
        let whole =
            |(zeros, rest): (u32, u64)| rest & ((1 << zeros.min(32)) - 1) == 0 && n <= 1 << zeros.min(32);
        if n == 1 || whole(self.alignment(offset)) && whole(self.alignment(extent)) {
            return self.terms.ult(offset, extent);
        }
        let (first, behind) =
            (self.terms.constant_of(64, (room - n).into()), self.terms.constant_of(64, (n - 1).into()));
        let last = self.terms.add(offset, behind);
        let (near, inside) = (self.terms.ule(offset, first), self.terms.ult(last, extent));
        self.terms.and(near, inside)
    }
}
