//! `apply_patch`: changes of several files at once, all or none.

use super::edit::{self, Text};
use super::shown::Shown;
use super::undo;
use super::write::{Room, is_for_documents, put_in_new_folders, room};
use super::writing::{behind_link, changed, elsewhere, folder_lines, other_names, put};
use super::writing::{too_large, within_limit};
use crate::arguments;
use crate::atomic::changed_meanwhile;
use crate::beneath::{Found, LastLink, Place};
use crate::context::{Leash, StopFlag};
use crate::difference::diff;
use crate::failure::not_found;
use crate::fitting::{self, Fitted};
use crate::job::Job;
use crate::record::{ApplyPatch, PatchedFile};
use api::executor::ToolFailure;
use api::failure::{mendable, of_call};
use domain::limits::{FILE_TOOL_TIME, PATCH_BYTES, PATCH_FILES, PATCH_PLACES};
use domain::tool::ToolOutput;
use patch::{Change, FilePatch, Hunk};
use std::path::PathBuf;

/// What becomes of one file.
struct Plan<'a> {
    place: Place<'a>,
    room: Room,
    /// Where it really lies.
    real: PathBuf,
    /// What it holds now, as text; `None` for a new file.
    before: Option<String>,
    after: String,
    /// The same in the file's own encoding.
    bytes: Vec<u8>,
    /// How many of its places fitted but for white space.
    loose: usize,
}

/// What the patch says of each file, once it is certain that it names what was judged.
fn asked(wanted: &arguments::ApplyPatch) -> Result<Vec<FilePatch<'_>>, ToolFailure> {
    let files = patch::parse(&wanted.patch).map_err(|error| {
        mendable(
            "not_a_patch",
            of_call(format!("The patch cannot be read: {error}.")),
        )
    })?;
    let named: Vec<&str> = files.iter().map(|file| file.path).collect();
    if named != wanted.files {
        return Err(mendable(
            "files_differ",
            of_call(format!(
                "`files` is not what the patch names: leave it out, or list {}.",
                serde_json::Value::from(named)
            )),
        ));
    }
    let places = files.iter().map(|file| match &file.change {
        Change::New(_) => 1,
        Change::Edit(hunks) => hunks.len(),
    });
    let places: usize = places.sum();
    if files.len() > PATCH_FILES || places > PATCH_PLACES {
        return Err(mendable(
            "patch_too_large",
            of_call(format!(
                "The patch changes {places} places in {} files; the limits are {PATCH_PLACES} and \
                 {PATCH_FILES}. Make it several patches.",
                files.len()
            )),
        ));
    }
    Ok(files)
}

fn plans<'j>(job: &'j Job<'_>, files: &[FilePatch<'_>]) -> Result<Vec<Plan<'j>>, ToolFailure> {
    let mut plans: Vec<Plan<'j>> = Vec::with_capacity(files.len());
    let mut bytes = 0;
    for (index, file) in files.iter().enumerate() {
        let place = job.write_place(&format!("files/{index}"))?;
        let plan = plan(job, place, &file.change)?;
        // Two names of one file would each lose what the other wrote.
        if let Some(other) = plans.iter().find(|other| other.is_same(&plan)) {
            let (one, two) = (&other.place.shown, &plan.place.shown);
            return Err(mendable(
                "same_file",
                format!("`{one}` and `{two}` are one file: name it once."),
            ));
        }
        bytes += plan.bytes.len();
        if bytes > PATCH_BYTES {
            return Err(too_large(&plan.place, bytes as u64, PATCH_BYTES as u64));
        }
        plans.push(plan);
    }
    Ok(plans)
}

fn plan<'j>(job: &'j Job<'_>, place: Place<'j>, change: &Change) -> Result<Plan<'j>, ToolFailure> {
    let room = room(&place)?;
    let real = match &room {
        Room::Folder(spot, _) => spot.real.clone(),
        Room::NewFolders(_) => place.real_spot(LastLink::Follow)?,
    };
    match change {
        Change::New(content) => new_file(place, (room, real), content),
        Change::Edit(hunks) => {
            let Some(old) = room.old() else {
                return Err(not_found(&place.shown));
            };
            let (text, fitted) = fitted(job, &place, old, hunks)?;
            let bytes = text.stored(&fitted.content, &place)?;
            within_limit(&place, &bytes)?;
            Ok(Plan {
                before: Some(text.content),
                after: fitted.content,
                bytes,
                loose: fitted.loose,
                place,
                room,
                real,
            })
        }
    }
}

fn new_file<'j>(
    place: Place<'j>,
    (room, real): (Room, PathBuf),
    content: &str,
) -> Result<Plan<'j>, ToolFailure> {
    let shown = &place.shown;
    if room.old().is_some() {
        return Err(mendable(
            "exists",
            format!(
                "`{shown}` exists already: a patch makes a new file, or gives the lines that change."
            ),
        ));
    }
    if is_for_documents(place.target) {
        return Err(mendable(
            "not_text",
            format!("`{shown}` would be no document: a patch makes plain text."),
        ));
    }
    within_limit(&place, content.as_bytes())?;
    Ok(Plan {
        bytes: content.as_bytes().to_vec(),
        after: content.to_owned(),
        before: None,
        loose: 0,
        place,
        room,
        real,
    })
}

fn fitted(
    job: &Job<'_>,
    place: &Place<'_>,
    old: &Found,
    hunks: &[Hunk],
) -> Result<(Text, Fitted), ToolFailure> {
    let text = Text::read(job, place, old)?;
    let fitted = fitting::apply(&text.content, hunks, job.leash);
    let fitted = fitted.map_err(|(number, miss)| {
        let failure = edit::told_of_hunk(miss, place, (number, hunks.len()));
        untouched(failure)
    })?;
    Ok((text, fitted))
}

/// A failure that says that nothing came of the whole patch.
fn untouched(failure: ToolFailure) -> ToolFailure {
    let message = format!("{}\nNo file of the patch was changed.", failure.message);
    ToolFailure { message, ..failure }
}

impl Plan<'_> {
    fn put(&self, job: &Job<'_>) -> Result<(), ToolFailure> {
        let (place, bytes) = (&self.place, &self.bytes);
        let done = match &self.room {
            Room::Folder(spot, old) => put(job, place, spot, old.as_ref(), bytes),
            // An earlier file of the patch may have made them.
            Room::NewFolders(_) => match room(place)? {
                Room::Folder(spot, None) => put(job, place, &spot, None, bytes),
                Room::Folder(..) => Err(changed_meanwhile(&place.shown)),
                Room::NewFolders(folders) => put_in_new_folders(job, place, &folders, bytes),
            },
        };
        done.map(drop)
    }

    /// Whether it is the same file, by another name or by a hard link.
    fn is_same(&self, other: &Self) -> bool {
        let is_linked = match (self.room.old(), other.room.old()) {
            (Some(one), Some(two)) => {
                (one.stat.st_dev, one.stat.st_ino) == (two.stat.st_dev, two.stat.st_ino)
            }
            _ => false,
        };
        self.real == other.real || is_linked
    }

    fn artifact(&self) -> String {
        let real = match &self.room {
            Room::Folder(spot, _) => elsewhere(&self.place, spot.real.clone()),
            Room::NewFolders(_) => behind_link(&self.place, LastLink::Follow),
        };
        changed(&self.place, real)
    }

    const fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// What is told of it once it is done.
    fn told(&self) -> String {
        let shown = &self.place.shown;
        match (self.is_new(), self.loose) {
            (true, _) => format!("Created {shown}.\n"),
            (false, 0) => format!("Changed {shown}.\n"),
            (false, loose) => format!(
                "Changed {shown} (in {loose} of its places white space at line ends differed from the \
                 patch).\n"
            ),
        }
    }
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let wanted: arguments::ApplyPatch = job.call.parse_arguments()?;
    let files = asked(&wanted)?;
    let plans = plans(job, &files)?;
    let first = job.journal().next_number()?;
    if let Some(failure) = plans.iter().find_map(|plan| plan.put(job).err()) {
        // What they hold open still takes its room on the disk, which putting back may need.
        drop(plans);
        return Err(taken_back(job, first, failure));
    }
    let text: String = plans.iter().map(Plan::told).collect();
    let told = plans
        .iter()
        .zip(&wanted.files)
        .map(|(plan, path)| PatchedFile {
            path: path.clone(),
            created: plan.is_new(),
            loose: plan.loose,
        });
    let data = ApplyPatch {
        files: told.collect(),
    };
    let origin = wanted.files.join(", ");
    let mut output = job.output(&data, text.trim_end().to_owned(), &origin)?;
    output.artifacts = plans.iter().map(Plan::artifact).collect();
    Ok(output)
}

/// The failure of a patch, once its first files are as they were: those from this number of the history.
fn taken_back(job: &Job<'_>, first: u64, failure: ToolFailure) -> ToolFailure {
    // What was stopped is put back all the same.
    let leash = Leash::new(StopFlag::default(), FILE_TOOL_TIME, None);
    let job = Job::new(job.workshop, job.call, &leash, job.tool);
    match undo::take_back_since(&job, first) {
        Ok(()) => untouched(failure),
        Err(stuck) => {
            let message = format!(
                "{}\nOther files of the patch were changed before that and could not be put back: {} \
                 `undo` takes back what is left of it.",
                failure.message, stuck.message
            );
            ToolFailure { message, ..failure }
        }
    }
}

pub(super) fn preview(job: &Job<'_>) -> Result<Shown, ToolFailure> {
    let wanted: arguments::ApplyPatch = job.call.parse_arguments()?;
    let files = asked(&wanted)?;
    let plans = plans(job, &files)?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for plan in &plans {
        if let Room::NewFolders(made) = &plan.room {
            let missing = made.iter().filter(|folder| !folders.contains(folder));
            let missing: Vec<PathBuf> = missing.cloned().collect();
            folders.extend(missing);
        }
    }
    let mut out = folder_lines(job, "make", &folders);
    for plan in &plans {
        let shown = &plan.place.shown;
        match plan.is_new() && plan.after.is_empty() {
            true => out.push_str(&format!("new empty file {shown}\n")),
            false => out.push_str(&diff(shown, plan.before.as_deref(), Some(&plan.after))),
        }
        out.push_str(&other_names(plan.room.old()));
    }
    let mut shown = Shown::from(out);
    for plan in &plans {
        if let Some(old) = plan.room.old() {
            shown.leaves.put(old, plan.bytes.clone());
        }
    }
    Ok(shown)
}
