//! The decoding loop: prompt tokens in, pieces of text out.

use crate::constraint::{self, Constraint};
use crate::repetition::LoopWatch;
use crate::slots::{Plan, Slots};
use crate::utf8::Utf8Stream;
use llama_cpp_2::DecodeError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use llguidance::toktrie::SimpleVob;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Prompt tokens evaluated at a time. Cancelling waits for at most this many.
pub const PROMPT_CHUNK_TOKENS: usize = 64;

/// Candidates that sampling considers, most likely first.
const TOP_K: i32 = 40;
/// Share of the probability that sampling considers.
const TOP_P: f32 = 0.95;
/// Likelihood, relative to the best candidate, below which sampling drops one.
const MIN_P: f32 = 0.05;

/// How often a repetition under a grammar is answered by ruling out its next token. The likeliest
/// other token mostly leads back into the same repetition.
const DETOURS: usize = 2;

/// How the next token is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// Always the likeliest: the same prompt gives the same answer.
    Greedy,
    /// Drawn at random; the same seed gives the same answer.
    Random {
        /// Above 0; 1 is the model's own distribution.
        temperature: f32,
        /// Where the random numbers start.
        seed: u32,
    },
}

/// Why a generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model ended it, or the grammar is complete.
    Complete,
    /// The token limit, or the end of the context.
    Length,
    /// The model had begun to write the same again and again.
    Repetition,
    /// The caller gave up.
    Cancelled,
}

/// What a generation hands over as it goes.
#[derive(Debug)]
pub enum Part {
    /// So many tokens of the prompt are read.
    Prompt(usize),
    /// Whole characters of the answer.
    Text(String),
}

/// What a generation took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub finish: Finish,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Of those, tokens that an earlier call had evaluated.
    pub cached_tokens: usize,
    /// Tokens generated.
    pub completion_tokens: usize,
    /// Until the first token was chosen.
    pub first_token: Duration,
    /// The whole call.
    pub total: Duration,
}

/// Why a generation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The prompt leaves no room for an answer.
    #[error("the prompt has {tokens} tokens; the context holds {limit}")]
    ContextExceeded {
        /// Tokens of the prompt.
        tokens: usize,
        /// Tokens the context holds, prompt and answer together.
        limit: usize,
    },
    /// A prompt of no tokens.
    #[error("the prompt is empty")]
    EmptyPrompt,
    /// llama.cpp could not evaluate the tokens.
    #[error("the model could not evaluate its input")]
    Decode(#[from] DecodeError),
    /// llama.cpp could not prepare its cache or batch.
    #[error("the model's cache could not be prepared: {0}")]
    Cache(String),
    /// The grammar could not be followed to the end.
    #[error("the answer's grammar could not be followed")]
    Constraint(#[from] constraint::Error),
    /// Nothing was likely enough to choose, or nothing was allowed.
    #[error("the model offers no token that the grammar allows")]
    NoToken,
}

/// What to generate.
pub struct Request {
    /// The prompt.
    pub prompt: Vec<LlamaToken>,
    /// What the answer must look like.
    pub constraint: Option<Constraint>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Most tokens to generate.
    pub max_tokens: usize,
}

/// One model's context with its cache.
pub struct Session<'m> {
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    slots: Slots,
}

impl<'m> Session<'m> {
    /// Takes over a context made for [`crate::slots::MAX_SLOTS`] sequences with a shared cache.
    #[must_use]
    pub fn new(model: &'m LlamaModel, context: LlamaContext<'m>) -> Self {
        let batch = LlamaBatch::new(PROMPT_CHUNK_TOKENS, 1);
        Self {
            model,
            context,
            batch,
            slots: Slots::default(),
        }
    }

    /// Generates until the answer is complete, `cancel` is set, or `sink` breaks off.
    ///
    /// `sink` gets how far the prompt is after every part of it, and the answer in whole characters.
    ///
    /// # Errors
    /// [`Error`]; the session stays usable.
    pub fn run(
        &mut self,
        mut request: Request,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        let started = Instant::now();
        let limit = self.context.n_ctx() as usize;
        if request.prompt.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        if request.prompt.len() >= limit {
            return Err(Error::ContextExceeded {
                tokens: request.prompt.len(),
                limit,
            });
        }
        request.max_tokens = request.max_tokens.min(limit - request.prompt.len());
        let ids: Vec<i32> = request.prompt.iter().map(|token| token.0).collect();
        let plan = self.slots.plan(&ids);
        let outcome = self.run_in_slot(&plan, request, cancel, sink, started);
        if outcome.is_err() {
            self.forget(plan.slot)?;
        }
        outcome
    }

    fn run_in_slot(
        &mut self,
        plan: &Plan,
        request: Request,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(Part) -> ControlFlow<()>,
        started: Instant,
    ) -> Result<Outcome, Error> {
        let keep = self.prepare(plan)?;
        let mut outcome = Outcome {
            finish: Finish::Cancelled,
            prompt_tokens: request.prompt.len(),
            cached_tokens: keep,
            completion_tokens: 0,
            first_token: Duration::ZERO,
            total: Duration::ZERO,
        };
        if self
            .evaluate_prompt(plan.slot, &request.prompt, keep, cancel, sink)?
            .is_continue()
        {
            self.answer(plan.slot, request, cancel, sink, started, &mut outcome)?;
        }
        outcome.total = started.elapsed();
        Ok(outcome)
    }

    /// Brings the cache into the planned state; returns how many prompt tokens it holds.
    fn prepare(&mut self, plan: &Plan) -> Result<usize, Error> {
        for &slot in &plan.evict {
            self.drop_cells(slot, 0)?;
        }
        if let Some(source) = plan.copy_from {
            self.drop_cells(plan.slot, 0)?;
            let end = u32::try_from(plan.keep).ok();
            self.context
                .copy_kv_cache_seq(sequence(source), sequence(plan.slot), Some(0), end)
                .map_err(|error| Error::Cache(error.to_string()))?;
        }
        if self.drop_cells(plan.slot, plan.keep)? {
            return Ok(plan.keep);
        }
        // Recurrent models cannot forget a part of what they read: start over.
        self.forget(plan.slot)?;
        Ok(0)
    }

    /// Removes a slot's cells from position `from` on. `false`: the model cannot do that.
    fn drop_cells(&mut self, slot: usize, from: usize) -> Result<bool, Error> {
        let slot = u32::try_from(slot).ok();
        let from = u32::try_from(from).ok();
        self.context
            .clear_kv_cache_seq(slot, from, None)
            .map_err(|error| Error::Cache(error.to_string()))
    }

    fn forget(&mut self, slot: usize) -> Result<(), Error> {
        self.slots.clear(slot);
        self.drop_cells(slot, 0).map(|_| ())
    }

    fn evaluate_prompt(
        &mut self,
        slot: usize,
        prompt: &[LlamaToken],
        keep: usize,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let mut at = keep;
        for chunk in prompt
            .get(keep..)
            .unwrap_or_default()
            .chunks(PROMPT_CHUNK_TOKENS)
        {
            if cancel.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(()));
            }
            self.evaluate(slot, chunk, at)?;
            at += chunk.len();
            if sink(Part::Prompt(at)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Evaluates `tokens` at position `at`; afterwards the logits of the last one can be read.
    fn evaluate(&mut self, slot: usize, tokens: &[LlamaToken], at: usize) -> Result<(), Error> {
        self.batch.clear();
        for (offset, token) in tokens.iter().enumerate() {
            let position = i32::try_from(at + offset)
                .map_err(|error| Error::Cache(format!("position {at}: {error}")))?;
            let is_last = offset + 1 == tokens.len();
            self.batch
                .add(*token, position, &[sequence(slot)], is_last)
                .map_err(|error| Error::Cache(error.to_string()))?;
        }
        match self.context.decode(&mut self.batch) {
            Err(DecodeError::NoKvCacheSlot) => {
                for other in self.slots.evict_others(slot) {
                    self.drop_cells(other, 0)?;
                }
                self.context.decode(&mut self.batch)?;
            }
            other => other?,
        }
        let ids: Vec<i32> = tokens.iter().map(|token| token.0).collect();
        self.slots.extend(slot, &ids);
        Ok(())
    }

    fn answer(
        &mut self,
        slot: usize,
        request: Request,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(Part) -> ControlFlow<()>,
        started: Instant,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        let mut chooser = Chooser::new(request.sampling);
        let mut constraint = request.constraint;
        let mut characters = Utf8Stream::default();
        let vocabulary = self.model.vocab();
        let mut position = request.prompt.len();
        let mut watch = LoopWatch::default();
        let mut banned = None;
        let mut loops = 0;
        outcome.finish = Finish::Length;
        while outcome.completion_tokens < request.max_tokens {
            if cancel.load(Ordering::Relaxed) {
                outcome.finish = Finish::Cancelled;
                break;
            }
            let mask = constraint.as_mut().map(Constraint::mask).transpose()?;
            let token = chooser.choose(self.context.get_logits(), mask.as_ref(), banned)?;
            if outcome.completion_tokens == 0 {
                outcome.first_token = started.elapsed();
            }
            outcome.completion_tokens += 1;
            if vocabulary.is_eog(token) {
                outcome.finish = Finish::Complete;
                break;
            }
            let text = characters.push(&vocabulary.token_to_piece(token, false, None));
            if !text.is_empty() && sink(Part::Text(text)).is_break() {
                outcome.finish = Finish::Cancelled;
                break;
            }
            banned = watch.push(token.0);
            loops += usize::from(banned.is_some());
            // A loop in free text only ends by ending the text. A grammar may be able to go on
            // with another token, but not for ever.
            let detours = constraint.as_ref().map_or(0, |_| DETOURS);
            if loops > detours {
                outcome.finish = Finish::Repetition;
                break;
            }
            match constraint.as_mut() {
                None => {}
                Some(constraint) => {
                    constraint.accept(token.0.cast_unsigned())?;
                    if constraint.is_complete() {
                        outcome.finish = Finish::Complete;
                        break;
                    }
                }
            }
            if outcome.completion_tokens < request.max_tokens {
                self.evaluate(slot, &[token], position)?;
                position += 1;
            }
        }
        Ok(())
    }
}

fn sequence(slot: usize) -> i32 {
    // Slots are few: see `MAX_SLOTS`.
    i32::try_from(slot).unwrap_or(i32::MAX)
}

/// Picks the next token.
enum Chooser {
    Greedy,
    Random(LlamaSampler),
}

impl Chooser {
    fn new(sampling: Sampling) -> Self {
        match sampling {
            Sampling::Greedy => Self::Greedy,
            Sampling::Random { temperature, seed } => Self::Random(LlamaSampler::chain_simple([
                LlamaSampler::top_k(TOP_K),
                LlamaSampler::top_p(TOP_P, 1),
                LlamaSampler::min_p(MIN_P, 1),
                LlamaSampler::temp(temperature),
                LlamaSampler::dist(seed),
            ])),
        }
    }

    /// `banned` is not chosen unless nothing else is allowed.
    fn choose(
        &mut self,
        logits: &[f32],
        mask: Option<&SimpleVob>,
        banned: Option<i32>,
    ) -> Result<LlamaToken, Error> {
        let all = (0_i32..).zip(logits.iter().copied());
        let allowed = all.filter(|(id, logit)| {
            !logit.is_nan() && mask.is_none_or(|mask| mask.is_allowed(id.cast_unsigned()))
        });
        let demoted = allowed.map(|(id, logit)| match banned {
            Some(banned) if banned == id => (id, f32::MIN),
            _ => (id, logit),
        });
        match self {
            Self::Greedy => demoted
                .max_by(|(_, left), (_, right)| left.total_cmp(right))
                .map(|(id, _)| LlamaToken(id))
                .ok_or(Error::NoToken),
            Self::Random(sampler) => {
                let candidates: Vec<LlamaTokenData> = demoted
                    .map(|(id, logit)| LlamaTokenData::new(LlamaToken(id), logit, 0.0))
                    .collect();
                if candidates.is_empty() {
                    return Err(Error::NoToken);
                }
                let mut candidates = LlamaTokenDataArray::new(candidates, false);
                candidates.apply_sampler(sampler);
                candidates.selected_token().ok_or(Error::NoToken)
            }
        }
    }
}
