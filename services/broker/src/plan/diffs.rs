//! What each step of a plan comes to, as far as the files show it before anything runs.

use super::earlier::Earlier;
use super::refusal::{cannot_run, refused_step};
use super::{Draft, Pin};
use crate::approvals::in_truth;
use crate::foreseen::Foreseen;
use crate::render;
use api::authority::JudgedCall;
use api::broker::PlannedCall;
use api::executor::ToolFailure;
use domain::decision::Decision;
use domain::event::StepChange;
use domain::tool::EffectClass;

impl Pin {
    /// What each step of a plan that was approved by its hash is held to: what was shown of it, and
    /// where an earlier step may have changed that, where it lands.
    pub(super) async fn landings(&self, draft: &Draft) -> Result<Vec<Option<Foreseen>>, Decision> {
        let (_, mut shown) = self.changes(draft).await?;
        let mut changes = Earlier::default();
        let steps = draft.judgements.iter().zip(&draft.places).zip(&mut shown);
        for ((judgement, places), shown) in steps {
            let Some(bound) = &judgement.bound else {
                continue;
            };
            if shown.is_some() && changes.may_matter_to(bound, places) {
                *shown = Some(Foreseen::Lands(in_truth(places)));
            }
            changes.add(bound, places);
        }
        Ok(shown)
    }

    /// The changes that can be told from the files as the steps before leave them, and for each what it comes
    /// to so. A step that builds on an earlier one is shown without. A step that cannot run refuses
    /// the plan: the user is not asked for what is known to come to nothing.
    pub(super) async fn changes(
        &self,
        draft: &Draft,
    ) -> Result<(Vec<StepChange>, Vec<Option<Foreseen>>), Decision> {
        let mut out = Shown::default();
        let mut shown = vec![None; self.request.calls.len()];
        let mut changes = Earlier::default();
        for (index, preview) in self.previews(draft).await {
            let (Some(call), Some(bound), Some(places)) = (
                self.request.calls.get(index),
                draft.judgements.get(index).and_then(|it| it.bound.as_ref()),
                draft.places.get(index),
            ) else {
                continue;
            };
            let is_hidden = changes.hides(bound, places);
            let length = preview
                .as_ref()
                .map_or(0, |it| it.as_ref().map_or(0, String::len));
            let is_too_long = out.bytes > 0 && out.bytes + length > SHOWN_BYTES;
            let only_looks = matches!(bound.effect, EffectClass::Read | EffectClass::SelfWrite);
            if !only_looks && let Some(shown) = shown.get_mut(index) {
                *shown = Some(match is_hidden || is_too_long {
                    true => Foreseen::Unknown,
                    false => Foreseen::of(&preview),
                });
            }
            match preview {
                _ if is_hidden => {
                    let why =
                        "an earlier step changes what it deletes, so that its text cannot be shown";
                    out.push(index, not_shown(index, call, why));
                }
                Ok(Some(_)) if is_too_long => {
                    let why = "the changes of the plan are too long to be shown at once: it is asked about \
                               by itself";
                    out.push(index, not_shown(index, call, why));
                }
                Ok(Some(diff)) => {
                    let mut diff = render::diff(&diff);
                    if !diff.ends_with('\n') {
                        diff.push('\n');
                    }
                    out.push(index, diff);
                }
                Ok(None) => {}
                Err(failure) => {
                    if let Some(finding) =
                        cannot_run(&failure, changes.may_matter_to(bound, places))
                    {
                        let decision = Decision::strictest(vec![finding]);
                        return Err(refused_step(&decision, index, call));
                    }
                }
            }
            changes.add(bound, places);
        }
        Ok((out.steps, shown))
    }

    /// The preview of each step that may run, with the step's place in the plan.
    async fn previews(&self, draft: &Draft) -> Vec<(usize, Preview)> {
        let calls = self.request.calls.iter().zip(&draft.judgements);
        let judged = calls.enumerate().filter_map(|(index, (call, judgement))| {
            Some((index, self.as_judged(call, judgement, &draft.opens)?))
        });
        let (places, steps): (Vec<usize>, Vec<JudgedCall>) = judged.unzip();
        let previews = self.inner.preview_plan(steps).await;
        places.into_iter().zip(previews).collect()
    }
}

/// The changes that are shown.
#[derive(Default)]
struct Shown {
    steps: Vec<StepChange>,
    /// How long they are together.
    bytes: usize,
}

impl Shown {
    fn push(&mut self, index: usize, diff: String) {
        self.bytes += diff.len();
        self.steps.push(StepChange {
            step: u32::try_from(index).unwrap_or(u32::MAX),
            diff,
        });
    }
}

/// Most of the changes of a plan that one question shows, bytes; the first change is always shown.
const SHOWN_BYTES: usize = 256 << 10;

/// The change of a step, or why it would fail; `None` where nothing can be shown.
type Preview = Result<Option<String>, ToolFailure>;

/// What stands for the change of a step that is not shown.
fn not_shown(index: usize, call: &PlannedCall, why: &str) -> String {
    format!("step {} ({}): {why}.\n", index + 1, call.tool)
}
