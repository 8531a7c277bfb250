//! The Merkle tree over the chain hashes, as in RFC 6962 section 2.1, held as its frontier alone:
//! the roots of the perfect subtrees that the records so far fill.

use domain::hash::Digest;
use sha2::{Digest as _, Sha256};

/// A node's SHA-256.
pub type Node = [u8; 32];

fn leaf(data: &[u8]) -> Node {
    Sha256::new()
        .chain_update([0])
        .chain_update(data)
        .finalize()
        .into()
}

fn parent(left: &Node, right: &Node) -> Node {
    let hasher = Sha256::new().chain_update([1]);
    hasher
        .chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}

/// What is kept of the tree: as many nodes as its size has bits set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Frontier {
    size: u64,
    /// Largest subtree first.
    peaks: Vec<Node>,
}

impl Frontier {
    /// A frontier that was stored; `None` when the number of its nodes does not fit its size.
    pub(crate) fn stored(size: u64, peaks: Vec<Node>) -> Option<Self> {
        (peaks.len() == size.count_ones() as usize).then_some(Self { size, peaks })
    }

    /// Records in the tree.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// The nodes to store, largest subtree first.
    pub(crate) fn peaks(&self) -> &[Node] {
        &self.peaks
    }

    /// Adds the next record.
    pub(crate) fn push(&mut self, hash: Digest) {
        self.push_data(hash.as_bytes());
    }

    fn push_data(&mut self, data: &[u8]) {
        let mut node = leaf(data);
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                node = parent(&left, &node);
            }
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// The tree's root.
    pub(crate) fn root(&self) -> Node {
        let mut smaller = self.peaks.iter().rev();
        match smaller.next() {
            None => Sha256::digest(b"").into(),
            Some(last) => smaller.fold(*last, |right, left| parent(left, &right)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(node: &Node) -> String {
        Digest::from_bytes(*node).to_string()
    }

    /// The definition of RFC 6962, word for word.
    fn by_definition(data: &[Vec<u8>]) -> Node {
        match data {
            [] => Sha256::digest(b"").into(),
            [one] => leaf(one),
            many => {
                let half = many.len().next_power_of_two() / 2;
                parent(&by_definition(&many[..half]), &by_definition(&many[half..]))
            }
        }
    }

    #[test]
    fn the_frontier_has_the_root_of_the_definition_at_every_size() {
        let data: Vec<Vec<u8>> = (0..130_u8).map(|n| vec![n]).collect();
        let mut frontier = Frontier::default();
        for size in 0..=data.len() {
            assert_eq!(frontier.root(), by_definition(&data[..size]), "{size}");
            let stored = Frontier::stored(frontier.size(), frontier.peaks().to_vec()).unwrap();
            assert_eq!(stored, frontier);
            assert_eq!(
                Frontier::stored(frontier.size() + 4, frontier.peaks().to_vec()).is_some(),
                (frontier.size() + 4).count_ones() == frontier.size().count_ones()
            );
            if let Some(data) = data.get(size) {
                frontier.push_data(data);
            }
        }
    }

    /// Roots published with Certificate Transparency's own tests.
    #[test]
    fn the_roots_are_those_that_other_programs_compute() {
        let leaves: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut frontier = Frontier::default();
        for (leaf, root) in leaves.iter().zip(roots) {
            frontier.push_data(leaf);
            assert_eq!(hex(&frontier.root()), root, "{}", frontier.size());
        }
    }
}
