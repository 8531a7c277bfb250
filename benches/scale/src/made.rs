//! What is measured with: texts by a seeded generator, and a model that makes vectors of nothing but
//! the text's hash, in clusters.

use api::audit::{Ack, Audit, Durability, Entry};
use api::memory::{Source, Stored, WriteEntry};
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ErrorKind, ModelInfo, Models,
    ProviderHealth,
};
use api::{Streaming, audit};
use async_trait::async_trait;
use domain::Timestamp;
use domain::id::MemoryId;
use domain::label::Label;
use domain::model::{ModelChoice, ModelRef};
use domain::rights::Namespace;
use generated::random::Random;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// Numbers of a vector, as MiniLM has.
const DIMENSIONS: usize = 384;
/// Topics that vectors gather around.
const CLUSTERS: u64 = 1_000;
/// Words there are.
const WORDS: f64 = 50_000.0;
/// Words of a text.
const TEXT_WORDS: usize = 40;

/// Words and numbers from a seed, so that every run has the same entries.
pub struct Numbers(Random);

impl Numbers {
    /// From a seed.
    pub const fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0.number()
    }

    /// A number from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "any fraction will do")]
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A word; a few are everywhere and most are rare, as in language (Zipf).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank from 0 to the number of words"
    )]
    fn word(&mut self) -> String {
        let rank = WORDS.powf(self.share()) as u64;
        let mut letters = rank.wrapping_mul(2_654_435_761) ^ 0x5bd1;
        let mut word = String::new();
        for _ in 0..4 {
            word.push(char::from(b"bdfgklmnprstvz"[(letters % 14) as usize]));
            word.push(char::from(b"aeiou"[(letters / 14 % 5) as usize]));
            letters /= 70;
        }
        word
    }

    /// Some words.
    pub fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}

/// An entry as the generator makes it.
#[must_use]
pub fn entry(numbers: &mut Numbers, number: usize) -> Stored {
    Stored {
        id: MemoryId::from_uuid(Uuid::now_v7()),
        namespace: Namespace::user(),
        entry: WriteEntry::Memory {
            name: format!("{} {number}", numbers.words(3)),
            description: numbers.words(8),
            tags: vec![numbers.words(1)],
            correlating_ids: Vec::new(),
            corpus: numbers.words(TEXT_WORDS),
        },
        source: Source::User,
        label: Label::trusted("user"),
        created_at: Timestamp::UNIX_EPOCH,
        valid_from: None,
        valid_until: None,
        superseded_by: None,
        last_accessed: None,
        access_count: 0,
        critic_score: None,
        pairwise_winner: None,
        feedback: None,
    }
}

/// Makes vectors without a model.
pub struct Clusters {
    centres: Vec<[f32; DIMENSIONS]>,
}

impl Default for Clusters {
    fn default() -> Self {
        Self {
            centres: (0..CLUSTERS).map(|at| noise(at ^ 0x00C0_FFEE)).collect(),
        }
    }
}

fn noise(seed: u64) -> [f32; DIMENSIONS] {
    let mut numbers = Numbers::new(seed);
    let mut vector = [0.0; DIMENSIONS];
    for pair in vector.chunks_mut(2) {
        let bits = numbers.next();
        for (place, shift) in pair.iter_mut().zip([40, 16]) {
            #[expect(clippy::cast_precision_loss, reason = "noise needs few digits")]
            let share = ((bits >> shift) & 0xFF_FFFF) as f32 / 16_777_216.0;
            *place = share - 0.5;
        }
    }
    vector
}

impl Clusters {
    fn vector(&self, text: &str) -> Vec<f32> {
        let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let at = usize::try_from(hash % CLUSTERS).unwrap_or_default();
        let centre = self.centres.get(at).into_iter().flatten();
        centre.zip(noise(hash)).map(|(a, b)| a + b).collect()
    }
}

#[async_trait]
impl Models for Clusters {
    async fn chat(&self, _: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        Err(Error::new(ErrorKind::NotConfigured, "nothing chats here"))
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        Ok(Embeddings {
            model: ModelRef {
                provider: "made".to_owned(),
                model: "clusters".to_owned(),
            },
            vectors: request.texts.iter().map(|text| self.vector(text)).collect(),
        })
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        Ok(Vec::new())
    }

    async fn count_tokens(&self, _: ModelChoice, text: String) -> Result<u64, Error> {
        Ok(text.len() as u64 / 4)
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        Ok(Vec::new())
    }
}

/// Counts records and keeps none: what the record costs is measured elsewhere.
#[derive(Debug, Default)]
pub struct Nowhere(AtomicU64);

#[async_trait]
impl Audit for Nowhere {
    async fn append(&self, _: Entry, _: Durability) -> Result<Ack, audit::Error> {
        let sequence = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Ack { sequence })
    }
}
