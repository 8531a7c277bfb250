//! `carl doctor`: checks every part for real, and says what to do where one fails.

mod models;
mod places;
mod served;
mod toolchains;

use super::{Setting, named};
use crate::lock;
use crate::profile;
use crate::serving;
use crate::wiring::{House, asked, chosen, secrets_to_look, try_credential};
use anyhow::Result;
use api::sandbox::Enforcement;
use api::secrets::{Error, Secrets as _, TRY_THE_STORE};
use api::sessions::{OpenRequest, SendRequest};
use command_line::{DoctorArgs, SessionFlags};
use domain::event::{EventBody, QueryStatus};
use domain::fault::Coded;
use domain::settings::{Attendance, Mode};
use futures::StreamExt;
use search::is_loopback;
use settings::By;
use std::time::Duration;
use terminal::doctor::{self, Check, Report, State};
use terminal::exit::{Exit, OrFail, describe};

/// What the log is called.
const AUDIT_LOG: &str = "audit log";

/// What is not looked at where the services do not open.
const UNSEEN: [&str; 4] = [AUDIT_LOG, "models", "memory", "whole path"];

/// How long the services of the whole path may take to let go of their folder.
const LETTING_GO: Duration = Duration::from_secs(2);

/// Runs every check. Ends with [`Exit::Failed`] when one is bad.
///
/// # Errors
/// When the configuration cannot be used at all.
pub async fn doctor(args: DoctorArgs) -> Result<Exit> {
    let flags = SessionFlags {
        air_gap: args.air_gap,
        ..SessionFlags::default()
    };
    let setting = Setting::read(&flags)?;
    let mut report = Report::begin(args.json);
    report.add(configuration(&setting));
    let state = doctor::state_folder(&setting.paths.state);
    let is_writable = state.state != State::Bad;
    report.add(state);
    let running = running(&setting);
    let is_stopped = running.state == State::Bad;
    report.add(running);
    report.add(doctor::kernel(&setting.workspace));
    if is_writable {
        report.extend(places::folders(&setting));
    }
    report.extend(places::foreign(&setting));
    report.add(doctor::clock());
    report.extend(doctor::hardware().await);
    if is_stopped {
        // To wait for it would end in the same words.
        report.extend(programs().await);
        report.extend(UNSEEN.map(unseen));
        return report.end();
    }
    let store = secret_store(&setting).await;
    report.add(store.clone());
    report.extend(programs().await);
    if args.sandbox {
        report.extend(toolchains::tried(&setting).await);
    }
    match House::open(&setting, &flags, By::Command).await {
        Ok(house) => {
            services_in(&house, &setting, (is_writable, &store), &mut report).await;
            if args.model {
                let (gateway, audit) = (house.gateway.as_ref(), house.audit.as_ref());
                report.add(doctor::speed(gateway, audit, &setting.paths.state).await);
            }
            if let Err(error) = house.close(Ok(())).await {
                // Opened, and it could not be told of the end.
                report.add(Check::bad(AUDIT_LOG, &error));
            }
        }
        Err(error) => {
            report.add(services(&error, is_writable));
            report.extend(UNSEEN.map(unseen));
            report.add(search(&setting).await);
        }
    }
    report.end()
}

/// What can be looked at once the services are open.
async fn services_in(
    house: &House,
    setting: &Setting,
    (is_writable, store): (bool, &Check),
    report: &mut Report,
) {
    report.add(audit_log(setting, is_writable).await);
    report.extend(served::broker(&setting.loaded.config).await);
    report.extend(model_servers(setting, house, store).await);
    report.extend(models::routes(setting));
    report.add(match setting.loaded.config.endpoints.memory.as_str() {
        "" => doctor::memory(house.remembrance.sides.curator.stats().await),
        address => served::memory(house, address).await,
    });
    report.add(search(setting).await);
    report.extend(places::inbox(house).await);
    report.add(whole_path(setting, is_writable).await);
}

fn configuration(setting: &Setting) -> Check {
    let file = setting.paths.config_file();
    let mut detail = match file.exists() {
        true => file.display().to_string(),
        false => format!("none at {}; defaults are in force", file.display()),
    };
    if let Some((project, _)) = &setting.loaded.project {
        detail.push_str(&format!("; narrowed by {}", project.display()));
    }
    Check::ok("configuration", detail)
}

/// Who else is at work in this state folder: asked before this command is.
fn running(setting: &Setting) -> Check {
    let state = &setting.paths.state;
    let mut all: Vec<String> = Vec::new();
    let mut host = None;
    if let Some(other) = lock::running(state) {
        host = other.process;
        let who = match other.process {
            Some(id) => format!("another carl, process {id}"),
            None => "another carl".to_owned(),
        };
        all.push(match other.address {
            Some(address) => format!("{who}, which serves at {address}"),
            None => who,
        });
    }
    for role in serving::served_roles(state) {
        let (process, role, address) = (role.process, role.role, role.address);
        all.push(format!(
            "another carl, process {process}, which serves {role} at {address}"
        ));
    }
    let commands = serving::commands(state).into_iter();
    let guests = commands.filter(|process| Some(*process) != host);
    all.extend(guests.map(|process| format!("another carl, process {process}")));
    let roles = serving::stopped_roles(state, &asked(setting));
    if let Some(role) = roles.first() {
        let (id, name) = (role.process, &role.role);
        return Check {
            name: "running",
            state: State::Bad,
            detail: format!(
                "{}; process {id}, which serves {name}, is stopped, as by Ctrl-Z",
                all.join("; ")
            ),
            hint: lock::wake(id),
        };
    }
    if let Some(id) = lock::stopped(state).filter(|_| !all.is_empty()) {
        return Check {
            name: "running",
            state: State::Bad,
            detail: format!("{}; it is stopped, as by Ctrl-Z", all.join("; ")),
            hint: lock::wake(id),
        };
    }
    match all.is_empty() {
        true => Check::ok("running", "no other carl"),
        false => Check::ok("running", all.join("; ")),
    }
}

/// The services did not open.
fn services(error: &anyhow::Error, is_writable: bool) -> Check {
    let mut check = Check::bad("services", error);
    if check.hint.is_empty() {
        check.hint = match is_writable {
            true => "Mend what it names, and run `carl doctor` again.".to_owned(),
            false => "Mend the state folder first; see above.".to_owned(),
        };
    }
    check
}

/// What cannot be looked at without the services.
fn unseen(name: &'static str) -> Check {
    Check::note(name, "not looked at: the services did not open", "")
}

/// The log was opened. Whether it takes anything depends on the folder it is in.
async fn audit_log(setting: &Setting, is_writable: bool) -> Check {
    let address = &setting.loaded.config.endpoints.audit;
    if !address.is_empty() {
        return served::role(AUDIT_LOG, address).await;
    }
    let place = setting.paths.audit().display().to_string();
    // It was there or made when the services opened, unless another process has it open.
    if !setting.paths.audit().is_dir() {
        return Check {
            name: AUDIT_LOG,
            state: State::Bad,
            detail: format!(
                "{place} is gone: what is done now is on record nowhere that it is read"
            ),
            hint: "End the carl that runs, which has it open still. Then put the folder back."
                .to_owned(),
        };
    }
    match is_writable {
        true => Check::ok(AUDIT_LOG, place),
        false => Check {
            name: AUDIT_LOG,
            state: State::Bad,
            detail: format!("{place}; where it is, nothing more can be written"),
            hint: "No tool runs that is not on record. Mend the state folder first.".to_owned(),
        },
    }
}

/// The store of secrets, opened for real; nothing in it is read.
async fn secret_store(setting: &Setting) -> Check {
    const NAME: &str = "secrets";
    let remote = &setting.loaded.config.endpoints.secrets;
    if !remote.is_empty() {
        return served_secrets(setting, remote).await;
    }
    let Some(backend) = setting.loaded.config.secrets.backend else {
        let hint = "Only providers with a key and tools with a secret need one: backend under \
                    [secrets], \"secret-service\" or \"kernel-keyring\".";
        return Check::note(NAME, "no store is chosen", hint);
    };
    let known = match chosen(setting) {
        Ok(Some(store)) => match try_credential(&store).await {
            Ok(()) => store.keeper().names().await.or_fail(),
            Err(error) => Err(error),
        },
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    match known {
        Ok(names) => {
            let plural = if names.len() == 1 { "" } else { "s" };
            let count = names.len();
            let detail = format!("{}, open, with {count} secret{plural}", backend.as_str());
            Check::ok(NAME, detail)
        }
        Err(error) => not_open(NAME, &error),
    }
}

/// The secrets of another process, asked for one that does not exist: who says so was reached,
/// took the token and has an open store.
async fn served_secrets(setting: &Setting, address: &str) -> Check {
    const NAME: &str = "secrets";
    let reached = served::role(NAME, address).await;
    if reached.state == State::Bad {
        return reached;
    }
    let served = match secrets_to_look(setting).await {
        Ok(served) => served,
        Err(error) => return Check::bad(NAME, &error),
    };
    match served.get_secret("carl-doctor.none").await {
        Ok(_) | Err(Error::NotFound { .. }) => Check::ok(
            NAME,
            format!("served at {address}, which takes the token; its store is open"),
        ),
        Err(error) => match Err::<(), _>(error).or_fail() {
            Ok(()) => Check::ok(NAME, format!("served at {address}")),
            Err(error) => not_open(NAME, &error),
        },
    }
}

fn not_open(name: &'static str, error: &anyhow::Error) -> Check {
    let (_, fault) = describe(error);
    // A locked store is as it should be until somebody needs it.
    let mut check = match fault.code.as_str() {
        "secrets.locked" => Check::note(name, fault.message, fault.hint),
        _ => Check::bad(name, error),
    };
    if check.hint == TRY_THE_STORE {
        // This is that try.
        check.hint.clear();
    }
    check
}

/// What programs are held by here, tried for real.
async fn programs() -> Vec<Check> {
    let mechanisms = match sandbox::Service::default().report().await {
        Ok(mechanisms) => mechanisms,
        Err(refusal) => {
            return vec![Check::note(
                "sandbox",
                format!("no program can be run: {refusal}"),
                "run_code, run_command, package_install and PDFs refuse; everything else \
                 works. docs/sandbox.md says what the kernel must allow.",
            )];
        }
    };
    let mut in_force: Vec<&str> = Vec::new();
    let mut absent: Vec<String> = Vec::new();
    for mechanism in &mechanisms {
        match &mechanism.enforcement {
            Enforcement::Enforced => in_force.push(&mechanism.name),
            Enforcement::Unavailable(why) => absent.push(format!("{}: {why}", mechanism.name)),
        }
    }
    let detail = format!("every promise is kept, by {}", in_force.join(", "));
    let mut checks = vec![Check::ok("sandbox", detail)];
    if !absent.is_empty() {
        let detail = format!(
            "not to be had here, and not relied on: {}",
            absent.join("; ")
        );
        checks.push(Check::note("sandbox", detail, ""));
    }
    checks
}

/// Where the web is searched. Nothing is searched for: that is sent out into the world. A server on
/// this machine alone is asked, for nothing, which tells nobody anything.
async fn search(setting: &Setting) -> Check {
    const NAME: &str = "search";
    let config = &setting.loaded.config;
    if !config.endpoints.search.is_empty() {
        return served::role(NAME, &config.endpoints.search).await;
    }
    let mut own = config.search.clone();
    own.air_gap |= config.models.air_gap;
    let url = match own.ready() {
        Ok(url) => url,
        Err(error) => {
            let fault = error.fault();
            return Check {
                name: NAME,
                state: State::Bad,
                detail: fault.message,
                hint: fault.hint,
            };
        }
    };
    let place = format!("{} at {url}", own.provider.as_str());
    if !is_loopback(&url) {
        return Check::ok(NAME, format!("{place}; asked when an agent searches"));
    }
    let stranger = own.url.is_none().then(|| search::stranger_at(&url));
    if let Some(why) = stranger.flatten() {
        return Check::note(NAME, format!("{place} is not asked: {why}"), "");
    }
    if !search::listens(&url).await {
        return Check::note(
            NAME,
            format!("{place}: nothing listens there, so nothing is searched"),
            "Start SearXNG there, or write `url` or `provider` under [search].",
        );
    }
    match search::try_out(&own, &url).await {
        Ok(()) => Check::ok(NAME, format!("{place}, which answers")),
        Err(why) => Check::note(
            NAME,
            format!("{place} cannot be searched: {why}"),
            "Mend that server, or write `url` or `provider` under [search].",
        ),
    }
}

/// The model servers, as the gateway sees them: this process's or, where it answers, the one that is
/// served elsewhere.
async fn model_servers(setting: &Setting, house: &House, store: &Check) -> Vec<Check> {
    let config = &setting.loaded.config;
    let gateway = house.gateway.as_ref();
    let mut checks = Vec::new();
    if !config.endpoints.models.is_empty() {
        checks.push(served::role("models", &config.endpoints.models).await);
    }
    if checks.iter().all(|check| check.state == State::Ok) {
        checks.extend(doctor::providers(gateway, used_first(setting), store).await);
        checks.extend(models::named(gateway, &config.models, &config.observers.routes).await);
    }
    checks
}

/// The provider that requests go to by the configuration, if it says so: the chosen one, or the
/// only one.
fn used_first(setting: &Setting) -> Option<&str> {
    let config = &setting.loaded.config.models;
    let mut configured = config.providers.keys();
    let only = configured.next().filter(|_| configured.next().is_none());
    config
        .default_provider
        .as_ref()
        .or(only)
        .map(String::as_str)
}

/// One real request through session, broker, tool and logs, without a model.
async fn whole_path(setting: &Setting, is_writable: bool) -> Check {
    // In a state folder of its own: the user's list of sessions is the user's.
    let mut setting = setting.clone();
    setting.paths.state =
        std::env::temp_dir().join(format!("carl-doctor-{}", uuid::Uuid::now_v7()));
    // Nor is it anything to remember.
    setting.loaded.config.memory.recall = false;
    setting.loaded.config.memory.capture = false;
    let attempt = async {
        let house = House::in_process(&setting).await?;
        named::check_tools(&setting, house.guard.control.as_ref()).await?;
        named::check_agent(&setting, house.guard.control.as_ref(), None).await?;
        let config = &setting.loaded.config;
        let flags = SessionFlags::default();
        let profile = profile::build(&flags, config, &setting.workspace, Attendance::Unattended)?;
        let opening = OpenRequest::New(profile);
        let opened = house.sessions.open(opening).await.or_fail()?;
        let (session_id, holder_id) = terminal::sessions::held(&opened)?;
        let send = SendRequest {
            mode: Some(Mode::Deterministic),
            holder_id: Some(holder_id),
            ..SendRequest::new(session_id, "list files".to_owned())
        };
        let mut events = house.sessions.send(send).await.or_fail()?;
        let mut ended = None;
        while let Some(event) = events.next().await {
            if let EventBody::QueryFinished { status, error, .. } = event.or_fail()?.body {
                ended = Some((status, error));
            }
        }
        let closing = house.sessions.close(session_id, holder_id);
        closing.await.or_fail()?;
        match ended {
            Some((QueryStatus::Success, _)) => Ok(()),
            Some((status, error)) => {
                let why = error.map(|fault| fault.message).unwrap_or_default();
                anyhow::bail!("listing this folder through the guard ended {status:?}: {why}")
            }
            None => anyhow::bail!("listing this folder through the guard did not end"),
        }
    };
    let outcome = attempt.await;
    // A task that still ends holds the log: what it signs goes into a folder that is there.
    audit::is_let_go(&setting.paths.audit(), LETTING_GO).await;
    let _removed = std::fs::remove_dir_all(&setting.paths.state);
    let through = "a file listing went through session, guard, tool and logs";
    match outcome {
        Ok(()) if is_writable => Check::ok("whole path", through),
        Ok(()) => Check::note(
            "whole path",
            format!("{through}, but in {}", std::env::temp_dir().display()),
            "Not where yours are kept: see the state folder above.",
        ),
        Err(error) => Check::bad("whole path", &error),
    }
}
