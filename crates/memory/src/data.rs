//! The contents of an object, in pages. Those of a large object stand in groups of about as many pages as there are groups. So
//! a fork that writes to it copies a page, the list of its group and the list of groups, each of which is short: for the 3.6 MB
//! of bzip2's blocks 2 KB in all, where a plain list of pages alone would take 28 KB. Unwritten memory costs next to nothing.

use std::iter::repeat_n;
use std::rc::Rc;

use crate::own::own;
use crate::page::Page;
use crate::undefined::PAGE;

/// Maximum number of pages of an object without groups (64 KB).
const MOST_FLAT: usize = 64;

type Group = Vec<Rc<Page>>;

/// The pages of an object: each but the last has [`PAGE`] bytes, unless there is only one.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// At most [`PAGE`] bytes.
    One(Page),
    /// At most [`MOST_FLAT`] pages, beside a last one that is not full.
    Many(Vec<Rc<Page>>),
    Groups(Groups),
}

/// Pages in groups of the same size; only the last may have fewer.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// The logarithm to the base 2 of the pages of a group.
    log: u32,
    groups: Vec<Rc<Group>>,
}

impl Groups {
    /// `count` pages that are all `full`, and a `last` one.
    fn new(count: usize, full: &Rc<Page>, last: Option<Rc<Page>>) -> Groups {
        // The power of two next to the square root, or the one above it.
        let log = (count.max(2) - 1).ilog2().div_ceil(2);
        let size = 1 << log;
        let group: Group = repeat_n(full.clone(), size).collect();
        let mut groups: Vec<Rc<Group>> = repeat_n(Rc::new(group), count / size).collect();
        let mut rest: Group = repeat_n(full.clone(), count % size).collect();
        rest.extend(last);
        if !rest.is_empty() {
            groups.push(Rc::new(rest));
        }
        Groups { log, groups }
    }

    /// The group of a page, and the page's place there.
    #[inline(always)]
    fn place(&self, page: usize) -> (usize, usize) {
        (page >> self.log, page & ((1 << self.log) - 1))
    }
}

impl Data {
    /// `n` bytes in pages that `page` makes, given their size. Pages of the same size are one page until one is written.
    pub(crate) fn new(n: usize, page: impl Fn(usize) -> Page) -> Data {
        if n <= PAGE {
            return Data::One(page(n));
        }
        let full = Rc::new(page(PAGE));
        let last = (!n.is_multiple_of(PAGE)).then(|| Rc::new(page(n % PAGE)));
        let count = n / PAGE;
        if count <= MOST_FLAT {
            let mut pages: Vec<Rc<Page>> = repeat_n(full, count).collect();
            pages.extend(last);
            return Data::Many(pages);
        }
        Data::Groups(Groups::new(count, &full, last))
    }

    /// The page that has the byte at offset `i`, and its place there.
    #[inline(always)]
    pub(crate) fn page(&self, i: usize) -> (&Page, usize) {
        match self {
            Data::One(page) => (page, i),
            Data::Many(pages) => (&*pages[i / PAGE], i % PAGE),
            Data::Groups(all) => {
                let (group, at) = all.place(i / PAGE);
                (&*all.groups[group][at], i % PAGE)
            }
        }
    }

    /// As [`Data::page`], to write.
    #[inline(always)]
    pub(crate) fn page_mut(&mut self, i: usize) -> (&mut Page, usize) {
        match self {
            Data::One(page) => (page, i),
            Data::Many(pages) => (own(&mut pages[i / PAGE]), i % PAGE),
            Data::Groups(all) => {
                let (group, at) = all.place(i / PAGE);
                let group = own(&mut all.groups[group]);
                (own(&mut group[at]), i % PAGE)
            }
        }
    }

    /// The page behind the offset `i`, a multiple of [`PAGE`], to share it with others. `None` where there is only one page.
    pub(crate) fn shared(&self, i: usize) -> Option<&Rc<Page>> {
        match self {
            Data::One(_) => None,
            Data::Many(pages) => pages.get(i / PAGE),
            Data::Groups(all) => {
                let (group, at) = all.place(i / PAGE);
                all.groups.get(group)?.get(at)
            }
        }
    }

    /// Puts a page of the same size in place of the one behind the offset `i`, a multiple of [`PAGE`].
    pub(crate) fn replace(&mut self, i: usize, page: Rc<Page>) {
        match self {
            Data::One(old) => *old = (*page).clone(),
            Data::Many(pages) => pages[i / PAGE] = page,
            Data::Groups(all) => {
                let (group, at) = all.place(i / PAGE);
                let group = &mut all.groups[group];
                if !Rc::ptr_eq(&group[at], &page) {
                    own(group)[at] = page;
                }
            }
        }
    }

    /// The pages with their offsets, without those that are the same as the one in front of them.
    pub(crate) fn distinct(&self) -> Vec<(usize, &Page)> {
        match self {
            Data::One(page) => vec![(0, page)],
            Data::Many(pages) => different(0, pages).collect(),
            Data::Groups(Groups { log, groups }) => {
                let fresh = |g: &usize| *g == 0 || !Rc::ptr_eq(&groups[*g], &groups[*g - 1]);
                let fresh = (0..groups.len()).filter(fresh);
                fresh.flat_map(|g| different(g << log, &groups[g])).collect()
            }
        }
    }
}

/// The pages that differ from the one in front of them; the first of `pages` has the number `first` in its object.
fn different(first: usize, pages: &[Rc<Page>]) -> impl Iterator<Item = (usize, &Page)> {
    let fresh = |i: &usize| *i == 0 || !Rc::ptr_eq(&pages[*i], &pages[*i - 1]);
    (0..pages.len()).filter(fresh).map(move |i| ((first + i) * PAGE, &*pages[i]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::byte::Byte;
    use crate::shade::Shadow;

    /// A write to one of two forks: the fork, the page, the kind of write, and the value.
    type Action = (bool, u32, u8, u8);

    /// Full pages, around all borders between a plain list and groups, and between sizes of groups.
    fn full_pages() -> impl Strategy<Value = usize> {
        let power = prop_oneof![Just(32usize), Just(64), Just(128), Just(256), Just(1024), Just(4096)];
        prop_oneof![1..300usize, (power, 0..5usize).prop_map(|(n, off)| n + off - 2)]
    }

    /// The size of a page of `data`, and where it is.
    fn extent(n: usize, page: usize) -> (usize, usize) {
        (page * PAGE, (n - page * PAGE).min(PAGE))
    }

    fn known(data: &Data, i: usize) -> u8 {
        let (page, at) = data.page(i);
        page.known[at]
    }

    /// The plain model: of each page its first and its last byte.
    fn check(data: &Data, n: usize, plain: &[[u8; 2]]) {
        for (page, &[first, last]) in plain.iter().enumerate() {
            let (start, size) = extent(n, page);
            assert_eq!((known(data, start), known(data, start + size - 1)), (first, last), "page {page}");
            assert_eq!(data.page(start).0.known.len(), size, "page {page}");
        }
        // Each page that is left out is the same as the one in front of it.
        let distinct = data.distinct();
        assert!(distinct.is_sorted_by_key(|(i, _)| *i) && distinct[0].0 == 0);
        for (page, &of_page) in plain.iter().enumerate() {
            let listed = &distinct[distinct.partition_point(|(i, _)| *i <= page * PAGE) - 1];
            assert_eq!([listed.1.known[0], *listed.1.known.last().unwrap()], of_page, "page {page}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pages_in_groups_hold_what_a_plain_list_holds_and_forks_keep_their_own(
            full in full_pages(),
            rest in prop_oneof![Just(0usize), Just(1), Just(PAGE - 1), 0..PAGE],
            actions in prop::collection::vec(any::<Action>(), 1..60),
        ) {
            let n = (full * PAGE + rest).max(PAGE + 1);
            let pages = n.div_ceil(PAGE);
            let first = Data::new(n, Page::zeroed);
            let mut forks = [(first.clone(), vec![[0; 2]; pages]), (first, vec![[0; 2]; pages])];
            for (fork, page, what, value) in actions {
                // Often at the ends, or beside the page that was written before.
                let page = match page % 4 {
                    0 => pages - 1 - (page as usize / 4) % pages.min(3),
                    1 => (page as usize / 4) % pages.min(3),
                    _ => (page as usize / 4) % pages,
                };
                let (start, size) = extent(n, page);
                let other = forks[usize::from(!fork)].0.clone();
                let of_other = forks[usize::from(!fork)].1[page];
                let (data, plain) = &mut forks[usize::from(fork)];
                match what % 4 {
                    0 | 1 => {
                        let end = usize::from(what % 4);
                        // A page of one byte has the same first and last one.
                        let ends = if size == 1 { 0..2 } else { end..end + 1 };
                        let (page_of, at) = data.page_mut(start + end * (size - 1));
                        page_of.known[at] = value;
                        plain[page][ends].fill(value);
                    }
                    2 => {
                        data.replace(start, Rc::new(Page::filled(size, Byte::Known(value), Shadow::Defined)));
                        plain[page] = [value; 2];
                    }
                    _ => {
                        data.replace(start, other.shared(start).expect("there are several pages").clone());
                        plain[page] = of_other;
                    }
                }
            }
            forks.iter().for_each(|(data, plain)| check(data, n, plain));
            prop_assert!(forks[0].0.shared(pages * PAGE).is_none(), "there is nothing behind the last page");
        }

        #[test]
        fn a_write_to_a_fork_copies_a_page_and_two_short_lists(full in full_pages(), page in any::<prop::sample::Index>()) {
            let n = (full.max(MOST_FLAT + 1)) * PAGE;
            let page = page.index(n / PAGE);
            let mut first = Data::new(n, Page::zeroed);
            // No page is the same as another, so that what is shared is shared with the fork.
            (0..n).step_by(PAGE).for_each(|i| first.page_mut(i).0.known[0] = (i / PAGE) as u8);
            let mut fork = first.clone();
            fork.page_mut(page * PAGE).0.known[1] = 7;
            let (Data::Groups(one), Data::Groups(other)) = (&first, &fork) else { panic!("no groups") };
            let apart: Vec<usize> = (0..one.groups.len()).filter(|&g| !Rc::ptr_eq(&one.groups[g], &other.groups[g])).collect();
            prop_assert_eq!(&apart, &[one.place(page).0]);
            let own = one.groups[apart[0]].iter().zip(&*other.groups[apart[0]]).filter(|(a, b)| !Rc::ptr_eq(a, b));
            prop_assert_eq!(own.count(), 1);
            let lists = one.groups.len() + one.groups[apart[0]].len();
            prop_assert!(lists * lists <= 10 * (n / PAGE), "{} entries for {} pages", lists, n / PAGE);
        }
    }
}
