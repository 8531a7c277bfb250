//! What a call leaves out: to the guard nothing is named then, and to many a tool everything is.

use crate::flow::parts::Part;
use crate::flow::rules::Call;
use domain::tool::ArgumentRole;

impl Call<'_> {
    /// An argument that has to say what the call lands on, and says nothing: one that the schema
    /// requires, or that is given empty; or, where the call has no text either, any of them when none says anything, or none
    /// of those that select does.
    pub(super) fn left_out(&self) -> Option<&str> {
        let places = self.silent(&[ArgumentRole::Target, ArgumentRole::Selector]);
        let required = self.spec.definition.parameters["required"].as_array();
        let is_required = |name: &&str| {
            required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(*name)))
        };
        let has_text = || {
            let mut texts = self.payload.iter().filter(|part| !self.is_selector(part));
            texts.any(says)
        };
        let silent = |roles: &[ArgumentRole]| {
            let names = self.silent(roles);
            let all = self.spec.arguments.values();
            let count = all.filter(|one| roles.contains(&one.role)).count();
            names.first().copied().filter(|_| names.len() == count)
        };
        let is_emptied = |name: &str| {
            let mut given = self.targets.iter().filter(|part| part.argument == name);
            given.any(|part| part.text.trim().is_empty())
        };
        let mut places = places.iter().copied();
        let found = places.find(|name| is_required(name) || is_emptied(name));
        found.or_else(|| {
            let is_open = !has_text();
            let nowhere = || silent(&[ArgumentRole::Target, ArgumentRole::Selector]);
            let nothing = || silent(&[ArgumentRole::Selector]);
            is_open.then(|| nowhere().or_else(nothing)).flatten()
        })
    }

    /// The arguments of these roles that say nothing or are left out.
    fn silent(&self, roles: &[ArgumentRole]) -> Vec<&str> {
        let of_role = self.spec.arguments.iter();
        let of_role = of_role.filter(|(_, argument)| roles.contains(&argument.role));
        let is_silent = |name: &&str| {
            let mut parts = self.targets.iter();
            !parts.any(|part| part.argument == *name && says(part))
        };
        of_role
            .map(|(name, _)| name.as_str())
            .filter(is_silent)
            .collect()
    }
}

fn says(part: &Part<'_>) -> bool {
    !matches!(part.text.trim(), "" | "null" | "false" | "[]" | "{}")
}
