//! Folds repeated items of a sequence into loops, while the items arrive.

/// Item that can be folded: readers see items of one key as the same.
pub trait Item {
    /// The key.
    fn key(&self) -> u64;
    /// Merges another item of the same key that comes later.
    fn merge(&mut self, later: Self);
}

/// An item, or a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node<T> {
    /// An item, and the number of times that it is executed in a row.
    One(T, u64),
    /// Several items, and the number of times that they are executed in a row. For a loop inside of another: in all turns of
    /// the other together.
    Loop(Vec<Node<T>>, u64),
}

/// Maximum number of nodes in a turn of a loop; longer turns are not folded.
const LONGEST_TURN: usize = 64;

/// Nodes with the keys of their shapes. The number of executions is no part of a shape.
pub struct Folded<T> {
    nodes: Vec<(u64, Node<T>)>,
}

impl<T> Default for Folded<T> {
    fn default() -> Folded<T> {
        Folded { nodes: Vec::new() }
    }
}

fn mixed(keys: impl Iterator<Item = u64>) -> u64 {
    keys.fold(1, |sum, key| (sum ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

impl<T: Item> Node<T> {
    fn key(&self) -> u64 {
        match self {
            Node::One(item, _) => item.key(),
            Node::Loop(body, _) => mixed(body.iter().map(Node::key)),
        }
    }

    fn merge(&mut self, later: Node<T>) {
        match (self, later) {
            (Node::One(item, times), Node::One(other, more)) => {
                item.merge(other);
                *times += more;
            }
            (Node::Loop(body, times), Node::Loop(others, more)) => {
                body.iter_mut().zip(others).for_each(|(node, other)| node.merge(other));
                *times += more;
            }
            // Nodes of one key are of one shape.
            (Node::One(..), Node::Loop(..)) | (Node::Loop(..), Node::One(..)) => {}
        }
    }
}

impl<T: Item> Folded<T> {
    /// The last item, while nothing has come since.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        let mut node = &mut self.nodes.last_mut()?.1;
        loop {
            match node {
                Node::One(item, _) => return Some(item),
                Node::Loop(body, _) => node = body.last_mut()?,
            }
        }
    }

    /// The next item.
    pub fn push(&mut self, item: T) {
        self.nodes.push((item.key(), Node::One(item, 1)));
        while self.fold() {}
    }

    /// Folds the end, if it repeats what is before it.
    fn fold(&mut self) -> bool {
        let len = self.nodes.len();
        let keys = |from: usize, to: usize| self.nodes[from..to].iter().map(|(key, _)| *key);
        for turn in 1..=LONGEST_TURN.min(len) {
            let tail = len - turn;
            if let Some((_, Node::Loop(body, _))) = tail.checked_sub(1).and_then(|i| self.nodes.get(i))
                && body.len() == turn
                && body.iter().map(Node::key).eq(keys(tail, len))
            {
                let turned: Vec<Node<T>> = self.nodes.drain(tail..).map(|(_, node)| node).collect();
                if let Some((_, node)) = self.nodes.last_mut() {
                    node.merge(Node::Loop(turned, 1));
                }
                return true;
            }
            if 2 * turn <= len && keys(tail - turn, tail).eq(keys(tail, len)) {
                let later: Vec<Node<T>> = self.nodes.drain(tail..).map(|(_, node)| node).collect();
                let mut body: Vec<Node<T>> = self.nodes.drain(tail - turn..).map(|(_, node)| node).collect();
                body.iter_mut().zip(later).for_each(|(node, other)| node.merge(other));
                // A line that is executed twice is that line still: so that the turns of a loop around it are alike.
                let node = if turn == 1 { body.pop() } else { Some(Node::Loop(body, 2)) };
                self.nodes.extend(node.map(|node| (node.key(), node)));
                return true;
            }
        }
        false
    }

    /// All of it.
    pub fn nodes(self) -> Vec<Node<T>> {
        self.nodes.into_iter().map(|(_, node)| node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Letter(char);

    impl Item for Letter {
        fn key(&self) -> u64 {
            u64::from(u32::from(self.0))
        }
        fn merge(&mut self, _: Letter) {}
    }

    /// The text gives the count of an item if the item is not executed once in each turn.
    fn text(nodes: &[Node<Letter>], turns: u64) -> String {
        let one = |node: &Node<Letter>| match node {
            Node::One(letter, times) if *times == turns => letter.0.to_string(),
            Node::One(letter, times) => format!("{}{times}", letter.0),
            Node::Loop(body, times) => format!("({}){times}", text(body, *times)),
        };
        nodes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn folded(items: &str) -> String {
        let mut folded = Folded::default();
        items.chars().for_each(|c| folded.push(Letter(c)));
        text(&folded.nodes(), 1)
    }

    #[test]
    fn what_repeats_is_folded_and_nothing_else() {
        for (items, expected) in [
            ("abc", "a b c"),
            ("aaab", "a3 b"),
            ("xabababy", "x (a b)3 y"),
            ("abcabd", "a b c a b d"),
            // The inner loop has 1, 2 and 3 turns.
            ("abcabbcabbbc", "(a b6 c)3"),
            ("xabababyabaybz", "x (a b)3 y a b a y b z"),
            ("xababyxababy", "(x (a b)4 y)2"),
        ] {
            assert_eq!(folded(items), expected, "{items}");
        }
        assert_eq!(folded(&"abc".repeat(100_000)), "(a b c)100000");
    }

    fn count(nodes: &[Node<Letter>]) -> u64 {
        let one = |node: &Node<Letter>| match node {
            Node::One(_, times) => *times,
            Node::Loop(body, _) => count(body),
        };
        nodes.iter().map(one).sum()
    }

    #[test]
    fn no_item_is_lost() {
        let mut state = 1u64;
        for round in 0..3000 {
            let (mut folded, len) = (Folded::default(), 5 + round % 60);
            for _ in 0..len {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                folded.push(Letter(char::from(b'a' + (state >> 33) as u8 % 3)));
            }
            assert_eq!(count(&folded.nodes()), len);
        }
    }
}
