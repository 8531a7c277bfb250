//! Vectors of texts: which model makes them, and the making.
//!
//! A model is known by its reference and by what it makes of a fixed text. The same name with other
//! weights is another model; a little noise in the last digits is not.

use crate::entry::Entry;
use crate::store::{Embedded, Field, Store, VectorRow};
use api::models::{EmbedPurpose, EmbedRequest, Embeddings, ErrorKind, Models};
use domain::model::{ModelChoice, ModelRef, ModelRole};
use retrieval::segments::{EMBEDDED_TOKENS, segments};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a recall that nobody asked for waits for its vector before it goes on with words alone.
pub(crate) const QUERY_WAIT: Duration = Duration::from_millis(400);
/// How long a question that somebody asks waits: an engine that is not running yet starts meanwhile.
pub(crate) const USER_WAIT: Duration = Duration::from_secs(5);
/// Vectors of questions that are kept.
const QUERIES_KEPT: usize = 256;
/// Longest part of a question that is embedded, bytes.
const QUERY_BYTES: usize = 4_096;
/// Most texts of one request for many vectors.
const BATCH_TEXTS: usize = 16;
/// Most text of one request for many vectors, bytes, unless a single text is longer: a question
/// waits for at most one such request.
const BATCH_BYTES: usize = 4_096;
/// What a model is known by, and takes whatever else it refuses.
const PROBE: &str = "The ferry to the island leaves at seven in the morning.";
/// From this cosine on, two vectors of one text are of one model.
const SAME: f32 = 0.98;

/// A model that makes vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Embedding {
    /// Its reference with a digest of what it makes.
    pub(crate) key: String,
    /// Its reference.
    pub(crate) model: ModelRef,
    /// Numbers of a vector.
    pub(crate) dimensions: usize,
}

/// Makes vectors with the gateway's embedding model.
pub(crate) struct Embedder {
    models: Arc<dyn Models>,
    known: Mutex<Known>,
    queries: Mutex<VecDeque<(String, Vector)>>,
    /// Told when the model is not the one that was known.
    pub(crate) changed: Notify,
}

/// A question's vector.
pub(crate) type Vector = Arc<Vec<f32>>;

#[derive(Debug, Clone)]
enum Known {
    /// Nobody asked yet, or it is being asked anew.
    Unasked,
    Model(Embedding),
    None(String),
}

impl Embedder {
    pub(crate) fn new(models: Arc<dyn Models>) -> Self {
        Self {
            models,
            known: Mutex::new(Known::Unasked),
            queries: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// The model, or why there is none, for people; `None` while it was not asked.
    pub(crate) fn describe(&self) -> Option<String> {
        match &*lock(&self.known) {
            Known::Unasked => None,
            Known::Model(embedding) => Some(embedding.model.to_string()),
            Known::None(reason) => Some(format!("none: {reason}")),
        }
    }

    /// Whether the gateway was asked which model there is, and has answered.
    pub(crate) fn is_asked(&self) -> bool {
        !matches!(*lock(&self.known), Known::Unasked)
    }

    /// The model, or why questions go without one.
    pub(crate) fn model(&self) -> Result<ModelRef, String> {
        match &*lock(&self.known) {
            Known::Model(embedding) => Ok(embedding.model.clone()),
            Known::Unasked => Err("no embedding model was asked yet: words alone".to_owned()),
            Known::None(reason) => Err(format!("{reason}: words alone")),
        }
    }

    /// A question's vector, or why it goes without. Before it is made, `ready` is waited for, which
    /// asks for the model where nobody has; all of it takes no longer than `wait`.
    pub(crate) async fn query(
        self: &Arc<Self>,
        text: &str,
        wait: Duration,
        ready: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Vector, String> {
        if self.is_asked() {
            self.model()?;
        }
        let text = text
            .get(..text.floor_char_boundary(QUERY_BYTES))
            .unwrap_or(text);
        if let Some(vector) = self.kept(text) {
            return Ok(vector);
        }
        // The work goes on when nobody waits any more: the next such question finds its vector.
        let embedder = Arc::clone(self);
        let text = text.to_owned();
        let making = tokio::spawn(async move {
            ready.await;
            let model = embedder.model()?;
            embedder.make_query(text, model).await
        });
        match tokio::time::timeout(wait, making).await {
            Ok(Ok(made)) => made,
            Ok(Err(broken)) => Err(format!("no vector of the question ({broken}): words alone")),
            Err(_late) => Err(format!(
                "no vector of the question within {} ms: words alone",
                wait.as_millis()
            )),
        }
    }

    async fn make_query(&self, text: String, model: ModelRef) -> Result<Vector, String> {
        let made = self.embed(EmbedPurpose::Query, vec![text.clone()]).await;
        let made = made.map_err(|reason| format!("{reason}: words alone"))?;
        if made.model != model {
            self.changed.notify_one();
            return Err("the embedding model has changed: words alone".to_owned());
        }
        let vector = made.vectors.into_iter().next().unwrap_or_default();
        let vector = Arc::new(vector);
        let mut queries = lock(&self.queries);
        if queries.len() >= QUERIES_KEPT {
            queries.pop_front();
        }
        queries.push_back((text, Arc::clone(&vector)));
        Ok(vector)
    }

    fn kept(&self, text: &str) -> Option<Vector> {
        let queries = lock(&self.queries);
        let kept = queries.iter().rev().find(|(known, _)| known == text);
        kept.map(|(_, vector)| Arc::clone(vector))
    }

    /// Lets go of the vectors of questions.
    pub(crate) fn forget_queries(&self) {
        lock(&self.queries).clear();
    }

    /// What [`Embedder::ask`] was answered, once the indexes are ready for it; `None`: another model
    /// is being made ready.
    pub(crate) fn settle(&self, answer: Option<&Result<Embedding, String>>) {
        let mut known = lock(&self.known);
        let is_same = matches!((&*known, answer), (Known::Model(old), Some(Ok(new))) if old == new);
        if !is_same {
            lock(&self.queries).clear();
        }
        *known = match answer {
            None => Known::Unasked,
            Some(Ok(embedding)) => Known::Model(embedding.clone()),
            Some(Err(reason)) => Known::None(reason.clone()),
        };
    }

    /// Whether this is the model that is known.
    pub(crate) fn is_known(&self, embedding: &Embedding) -> bool {
        matches!(&*lock(&self.known), Known::Model(known) if known == embedding)
    }

    /// Asks the gateway which model there is.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub(crate) async fn ask(&self, store: &Store) -> Result<Embedding, String> {
        let probe = vec![PROBE.to_owned()];
        let made = self.embed(EmbedPurpose::Document, probe).await?;
        let vector = made.vectors.into_iter().next().unwrap_or_default();
        let model = made.model;
        let begin = format!("{model}#");
        let keys = store.vector_keys().await.map_err(|e| e.to_string())?;
        let mut same = None;
        for key in keys.into_iter().filter(|key| key.starts_with(&begin)) {
            if self.still_makes(store, &key).await? {
                same = Some(key);
            }
        }
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        let digest = blake3::hash(&bytes).to_hex();
        let key = same.unwrap_or_else(|| format!("{begin}{}", &digest[..16]));
        Ok(Embedding {
            key,
            model,
            dimensions: vector.len(),
        })
    }

    /// Whether the model makes of a kept text what is kept for it under this key.
    async fn still_makes(&self, store: &Store, key: &str) -> Result<bool, String> {
        let of = |error: api::memory::Error| error.to_string();
        let rows = store.vectors(key.to_owned(), 0, 1).await.map_err(of)?;
        let Some(row) = rows.first() else {
            return Ok(false);
        };
        let entries = store.entries(vec![row.number]).await.map_err(of)?;
        let Some(text) = entries.first().and_then(|entry| text_of(entry, row)) else {
            return Ok(false);
        };
        let made = self.embed(EmbedPurpose::Document, vec![text]).await?;
        let made = made.vectors.first().map_or(&[][..], Vec::as_slice);
        Ok(made.len() == row.vector.len() && cosine(made, &row.vector) >= SAME)
    }

    /// Vectors of every text of these entries; of an entry without texts there are none, nor of a
    /// text that the model refuses while it takes others: its entry is named.
    ///
    /// # Errors
    /// Why there are none, for people.
    pub(crate) async fn documents(
        &self,
        entries: &[Entry],
        embedding: &Embedding,
    ) -> Result<Embedded, String> {
        let parts: Vec<(VectorRow, String)> = entries.iter().flat_map(parts).collect();
        let mut embedded = Embedded {
            numbers: entries.iter().map(|entry| entry.number).collect(),
            ..Embedded::default()
        };
        let mut left = parts.into_iter().peekable();
        while left.peek().is_some() {
            let (mut batch, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
            while let Some((row, text)) = left.next_if(|(_, text)| {
                texts.is_empty() || texts.len() < BATCH_TEXTS && bytes + text.len() <= BATCH_BYTES
            }) {
                bytes += text.len();
                batch.push(row);
                texts.push(text);
            }
            let made = match self.embed(EmbedPurpose::Document, texts.clone()).await {
                Ok(made) => same_model(made, embedding)
                    .map(|vectors| vectors.into_iter().map(Some).collect()),
                Err(reason) => self.singly(texts, embedding, reason).await?,
            };
            let Some(vectors) = made else {
                self.changed.notify_one();
                return Err("the embedding model has changed".to_owned());
            };
            for (mut row, vector) in batch.into_iter().zip(vectors) {
                let Some(vector) = vector else {
                    tracing::warn!(
                        entry = row.number,
                        field = ?row.field,
                        "the embedding model refuses a text; its entry is found by other texts and words"
                    );
                    embedded.refused.push(row.number);
                    continue;
                };
                row.vector = vector;
                embedded.rows.push(row);
            }
        }
        embedded.refused.dedup();
        Ok(embedded)
    }

    /// Asks for texts one by one that were refused together: one of them may be what the model does
    /// not take, as where it is too long for a server. `None` inside for such a text; `None` for all
    /// where another model answers.
    ///
    /// After each refusal comes a text that the model takes. So a server that is down is no refusal,
    /// and refusals in a row do not pass for failures of a provider that is then left alone.
    ///
    /// # Errors
    /// The `reason` of the refusal, where the model answers nothing at all.
    async fn singly(
        &self,
        texts: Vec<String>,
        embedding: &Embedding,
        reason: String,
    ) -> Result<Option<Vec<Option<Vec<f32>>>>, String> {
        self.answers(&reason).await?;
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            match self.embed(EmbedPurpose::Document, vec![text]).await {
                Ok(made) => match same_model(made, embedding) {
                    Some(made) => vectors.extend(made.into_iter().map(Some)),
                    None => return Ok(None),
                },
                Err(_refused) => {
                    self.answers(&reason).await?;
                    vectors.push(None);
                }
            }
        }
        Ok(Some(vectors))
    }

    /// Whether the model answers at all.
    async fn answers(&self, reason: &str) -> Result<(), String> {
        let asked = self.embed(EmbedPurpose::Document, vec![PROBE.to_owned()]);
        asked.await.map(drop).map_err(|_silent| reason.to_owned())
    }

    async fn embed(&self, purpose: EmbedPurpose, texts: Vec<String>) -> Result<Embeddings, String> {
        let wanted = texts.len();
        let request = EmbedRequest {
            model: ModelChoice::Role(ModelRole::Embed),
            purpose,
            texts,
        };
        match self.models.embed(request).await {
            Ok(made) if made.vectors.len() == wanted => Ok(made),
            Ok(_) => Err("the embedding model gave another number of vectors".to_owned()),
            // Servers that have chat models alone are as good as none here.
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::NotConfigured | ErrorKind::UnknownModel
                ) =>
            {
                Err(format!("no embedding model ({error})"))
            }
            Err(error) => Err(format!("the embedding model does not answer ({error})")),
        }
    }
}

/// The vectors, where the model is the one that is known.
fn same_model(made: Embeddings, embedding: &Embedding) -> Option<Vec<Vec<f32>>> {
    (made.model == embedding.model).then_some(made.vectors)
}

/// What of an entry is embedded: the beginning of its name, its description and its text in segments.
fn parts(entry: &Entry) -> Vec<(VectorRow, String)> {
    let row = |field, segment: usize, range: std::ops::Range<usize>| VectorRow {
        number: entry.number,
        field,
        segment: u32::try_from(segment).unwrap_or(u32::MAX),
        byte_range: (range.start as u64, range.end as u64),
        vector: Vec::new(),
    };
    let mut parts = Vec::new();
    for (field, text, most) in [
        (Field::Name, entry.name(), 1),
        (Field::Description, entry.description(), usize::MAX),
        (Field::Corpus, entry.corpus(), usize::MAX),
    ] {
        let ranges = segments(&text, EMBEDDED_TOKENS).into_iter().take(most);
        for (segment, range) in ranges.enumerate() {
            let part = text.get(range.clone()).unwrap_or_default();
            if !part.trim().is_empty() {
                parts.push((row(field, segment, range.clone()), part.to_owned()));
            }
        }
    }
    parts
}

/// The text that a vector was made of.
fn text_of(entry: &Entry, row: &VectorRow) -> Option<String> {
    let text = match row.field {
        Field::Name => entry.name(),
        Field::Description => entry.description(),
        Field::Corpus => entry.corpus(),
    };
    let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
    let part = text.get(at(row.byte_range.0)..at(row.byte_range.1))?;
    Some(part.to_owned())
}

/// The cosine of two vectors; 0 where one has no direction.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let lengths = (product(one, one) * product(other, other)).sqrt();
    if lengths > 0.0 {
        product(one, other) / lengths
    } else {
        0.0
    }
}

/// The vector at length 1; as it is where it has no direction.
pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = product(vector, vector).sqrt();
    let by = if length > 0.0 { length } else { 1.0 };
    vector.iter().map(|x| x / by).collect()
}

/// The sum of the products, added up in lanes, which a processor does at one time.
pub(crate) fn product(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (ones, one_rest) = one.as_chunks::<LANES>();
    let (others, other_rest) = other.as_chunks::<LANES>();
    for (a, b) in ones.iter().zip(others) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += x * y;
        }
    }
    let rest = one_rest.iter().zip(other_rest).map(|(x, y)| x * y);
    sums.into_iter().sum::<f32>() + rest.sum::<f32>()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
