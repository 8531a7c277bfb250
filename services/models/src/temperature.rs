//! How freely a model chooses its words where neither the request nor the configuration says.

use crate::call::Call;
use domain::model::{ModelClass, Think};

/// Cool enough that a small model writes calls that a tool takes: servers' own defaults are 0.7 and more.
const COOL: f32 = 0.2;

/// Cool for a small model that is offered tools, and else the server's own. A model that thinks goes round
/// in circles when it is cooled.
pub(crate) fn usual(call: &Call, class: Option<ModelClass>) -> Option<f32> {
    let is_small = matches!(class, Some(ModelClass::Tiny | ModelClass::Small));
    let thinks = match call.think {
        Think::Default => call.can_think == Some(true),
        think => think != Think::Off,
    };
    (is_small && !call.tools.is_empty() && !thinks).then_some(COOL)
}
