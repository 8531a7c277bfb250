//! Which file of a crate needs which.

use std::collections::BTreeMap;

/// The modules of one crate, as a graph.
#[derive(Debug, Default)]
pub struct Graph {
    /// Paths of the files.
    pub files: Vec<String>,
    /// For each file, the files it needs, with the first line that says so.
    pub needs: Vec<BTreeMap<usize, usize>>,
}
