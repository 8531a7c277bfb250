//! Strongly connected components of a small graph.

use std::collections::{BTreeMap, BTreeSet};

/// Every set of two or more nodes that all reach each other.
pub(super) fn rings(needs: &[BTreeMap<usize, usize>]) -> Vec<BTreeSet<usize>> {
    let reach: Vec<BTreeSet<usize>> = (0..needs.len()).map(|from| reached(needs, from)).collect();
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    for (node, ahead) in reach.iter().enumerate() {
        let ring: BTreeSet<usize> = ahead
            .iter()
            .copied()
            .filter(|other| reach[*other].contains(&node))
            .collect();
        if ring.len() > 1 && !found.contains(&ring) {
            found.push(ring);
        }
    }
    found
}

fn reached(needs: &[BTreeMap<usize, usize>], from: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for next in needs[node].keys() {
            if seen.insert(*next) {
                open.push(*next);
            }
        }
    }
    seen
}
