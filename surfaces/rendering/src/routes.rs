//! How requests are shared among the models of a role: a table for each kind of task.

use crate::Paint;
use domain::model::ModelRole;
use domain::quality::TaskKind;
use quality::{AGREEMENT_FROM, Arm, Findings, KAPPA_TRUSTED, chances};
use serde_json::{Value, json};
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr as _;

/// Columns of the name of a model.
const NAME_COLUMNS: usize = 44;

/// What is known of the models of a role at a kind of task.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// The role.
    pub role: ModelRole,
    /// The kind of task.
    pub kind: TaskKind,
    /// The models, each with how likely a request goes to it, 0 to 1.
    pub arms: Vec<(Arm, f64)>,
}

impl Shared {
    /// Of a role's models at a kind of task.
    #[must_use]
    pub fn of(role: ModelRole, kind: TaskKind, arms: Vec<Arm>) -> Self {
        let chances = chances(&arms);
        Self {
            role,
            kind,
            arms: arms.into_iter().zip(chances).collect(),
        }
    }
}

/// The tables, and which judges count, with the least share in which one has to agree with the user.
#[must_use]
pub fn routes(shared: &[Shared], findings: &Findings, agreement: f64, paint: Paint) -> String {
    let mut lines = Vec::new();
    for one in shared {
        let name = format!("{}, {}", one.role.as_str(), one.kind);
        lines.push(paint.strong(&row(&name, ["good", "bad", "requests"].map(str::to_owned))));
        lines.extend(one.arms.iter().map(|(arm, chance)| {
            let model = visible_line(&arm.model.to_string()).to_string();
            let share = format!("{:.0} %", chance * 100.0);
            row(
                &model,
                [format!("{:.1}", arm.good), format!("{:.1}", arm.bad), share],
            )
        }));
        lines.push(String::new());
    }
    lines.push(
        "`requests` is how likely the next one goes there. Your ratings and choices count 1,"
            .into(),
    );
    lines.push("a judge's grades and comparisons a half.".into());
    let percent = agreement * 100.0;
    lines.extend(findings.trusted.iter().map(|judge| {
        let judge = visible_line(&judge.to_string());
        format!(
            "Judge {judge} counts: it says what you say in {percent:.0} % or more,\n\
             with a kappa of {KAPPA_TRUSTED} or more."
        )
    }));
    lines.extend(findings.untrusted.iter().map(|judge| {
        let judge = visible_line(&judge.to_string());
        format!(
            "Judge {judge} does not count: of {AGREEMENT_FROM} answers or more that both of you\n\
             looked at, it has to say what you say in {percent:.0} % (route_agreement), and to\n\
             tell good ones from bad ones (a kappa of {KAPPA_TRUSTED})."
        )
    }));
    lines.join("\n") + "\n"
}

/// The same as JSON.
#[must_use]
pub fn routes_json(shared: &[Shared], findings: &Findings) -> Value {
    let arm = |(arm, chance): &(Arm, f64)| {
        json!({
            "model": arm.model.to_string(), "good": arm.good, "bad": arm.bad, "share": chance,
        })
    };
    let table = |one: &Shared| {
        json!({
            "role": one.role.as_str(),
            "kind": one.kind.as_str(),
            "models": one.arms.iter().map(arm).collect::<Vec<_>>(),
        })
    };
    let names = |judges: &std::collections::BTreeSet<domain::model::ModelRef>| {
        judges.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    json!({
        "routes": shared.iter().map(table).collect::<Vec<_>>(),
        "judges_that_count": names(&findings.trusted),
        "judges_that_do_not": names(&findings.untrusted),
    })
}

fn row(name: &str, [good, bad, share]: [String; 3]) -> String {
    let gap = NAME_COLUMNS.saturating_sub(name.width());
    format!("{name}{:gap$} {good:>6} {bad:>6} {share:>9}", "")
}
