//! The form of an embedding model's `config.json`, as its publishers write it.

use serde::Deserialize;

/// What of `config.json` matters here.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Shape {
    pub(super) hidden_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) layer_norm_eps: f32,
    pub(super) max_position_embeddings: usize,
}
