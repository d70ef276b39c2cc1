//! What an object holds, in pages. Those of a very large object stand in groups, so that a fork that writes to it copies
//! little, and what nobody has written costs next to nothing.

use std::iter::repeat_n;
use std::rc::Rc;

use crate::page::Page;
use crate::undefined::PAGE;

/// Pages of a group.
const GROUP: usize = 1024;
/// An object of more pages than this has groups.
const MOST_FLAT: usize = 4 * GROUP;

type Group = Vec<Rc<Page>>;

/// The pages of an object: each but the last has [`PAGE`] bytes, unless there is only one.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// At most [`PAGE`] bytes.
    One(Page),
    Many(Vec<Rc<Page>>),
    Groups(Vec<Rc<Group>>),
}

impl Data {
    /// `n` bytes in pages that `page` makes, given their size. Pages of the same size are one as long as nobody writes.
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
        let group: Group = repeat_n(full.clone(), GROUP).collect();
        let mut groups: Vec<Rc<Group>> = repeat_n(Rc::new(group), count / GROUP).collect();
        let mut rest: Group = repeat_n(full, count % GROUP).collect();
        rest.extend(last);
        if !rest.is_empty() {
            groups.push(Rc::new(rest));
        }
        Data::Groups(groups)
    }

    /// The page that has the byte at offset `i`, and its place there.
    #[inline(always)]
    pub(crate) fn page(&self, i: usize) -> (&Page, usize) {
        match self {
            Data::One(page) => (page, i),
            Data::Many(pages) => (&*pages[i / PAGE], i % PAGE),
            Data::Groups(groups) => (&*groups[i / PAGE / GROUP][i / PAGE % GROUP], i % PAGE),
        }
    }

    /// As [`Data::page`], to write.
    #[inline(always)]
    pub(crate) fn page_mut(&mut self, i: usize) -> (&mut Page, usize) {
        match self {
            Data::One(page) => (page, i),
            Data::Many(pages) => (Rc::make_mut(&mut pages[i / PAGE]), i % PAGE),
            Data::Groups(groups) => {
                let group = Rc::make_mut(&mut groups[i / PAGE / GROUP]);
                (Rc::make_mut(&mut group[i / PAGE % GROUP]), i % PAGE)
            }
        }
    }

    /// The page behind the offset `i`, a multiple of [`PAGE`], to share it with others. `None` where there is only one page.
    pub(crate) fn shared(&self, i: usize) -> Option<&Rc<Page>> {
        match self {
            Data::One(_) => None,
            Data::Many(pages) => pages.get(i / PAGE),
            Data::Groups(groups) => groups.get(i / PAGE / GROUP)?.get(i / PAGE % GROUP),
        }
    }

    /// Puts a page of the same size in place of the one behind the offset `i`, a multiple of [`PAGE`].
    pub(crate) fn replace(&mut self, i: usize, page: Rc<Page>) {
        match self {
            Data::One(old) => *old = (*page).clone(),
            Data::Many(pages) => pages[i / PAGE] = page,
            Data::Groups(groups) => {
                let group = &mut groups[i / PAGE / GROUP];
                if !Rc::ptr_eq(&group[i / PAGE % GROUP], &page) {
                    Rc::make_mut(group)[i / PAGE % GROUP] = page;
                }
            }
        }
    }

    /// The pages with their offsets, without those that are the same as the one in front of them.
    pub(crate) fn distinct(&self) -> Vec<(usize, &Page)> {
        match self {
            Data::One(page) => vec![(0, page)],
            Data::Many(pages) => different(0, pages).collect(),
            Data::Groups(groups) => {
                let fresh = |g: &usize| *g == 0 || !Rc::ptr_eq(&groups[*g], &groups[*g - 1]);
                let fresh = (0..groups.len()).filter(fresh);
                fresh.flat_map(|g| different(g * GROUP, &groups[g])).collect()
            }
        }
    }
}

/// Of pages, the first of which is the `first` of its object, those that differ from the one in front of them.
fn different(first: usize, pages: &[Rc<Page>]) -> impl Iterator<Item = (usize, &Page)> {
    let fresh = |i: &usize| *i == 0 || !Rc::ptr_eq(&pages[*i], &pages[*i - 1]);
    (0..pages.len()).filter(fresh).map(move |i| ((first + i) * PAGE, &*pages[i]))
}
