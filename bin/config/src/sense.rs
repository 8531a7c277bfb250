//! Values that can be read and make no sense: told at the start, with where they stand.

use super::{Config, VARIABLES, usage};
use anyhow::Result;
use domain::fault::Coded;
use domain::limits;
use domain::model::{HOTTEST, ModelRef, ModelRole};
use figment::Figment;
use std::net::SocketAddr;

/// Refuses what cannot be meant.
///
/// # Errors
/// A usage failure that names the key, what it must be and where it stands.
pub fn check(config: &Config, layers: &Figment) -> Result<()> {
    let at_once = 1..=limits::AGENTS_AT_WORK_MOST;
    if !at_once.contains(&config.agents.parallel) {
        let most = limits::AGENTS_AT_WORK_MOST;
        return Err(wrong(
            layers,
            "agents.parallel",
            &format!("it is {}", config.agents.parallel),
            &format!(
                "Write how many agents of one session may work at the same time, 1 to {most}."
            ),
        ));
    }
    check_tui(config, layers)?;
    check_providers(config, layers)?;
    check_waits(config, layers)?;
    check_endpoints(config, layers)?;
    check_tools(config, layers)?;
    check_policy(config, layers)?;
    check_drive(config, layers)?;
    check_inbox(config, layers)?;
    check_memory(config, layers)?;
    check_observers(config, layers)?;
    check_search(config, layers)
}

/// Keys of the terminal UI that are none, or stand twice.
fn check_tui(config: &Config, layers: &Figment) -> Result<()> {
    let Err(mistake) = config.tui.keys() else {
        return Ok(());
    };
    let names = tui::ACTIONS.map(|(name, _)| name);
    let how = configuration::nearest(&names, &mistake.action).unwrap_or(mistake.how);
    let key = format!("tui.keys.{}", mistake.action);
    Err(wrong(layers, &key, &mistake.why, &how))
}

fn check_providers(config: &Config, layers: &Figment) -> Result<()> {
    if let Err(unusable) = config.models.check_providers() {
        let (key, fault) = (unusable.key, unusable.error.fault());
        let why = fault.message.strip_prefix(&key);
        let why = why.unwrap_or(&fault.message);
        let why = why.trim_start_matches([':', ' ']);
        return Err(wrong(layers, &key, why, &fault.hint));
    }
    super::providers::check(config, layers)
}

/// A wait of no time is no wait without an end: each request would fail.
fn check_waits(config: &Config, layers: &Figment) -> Result<()> {
    let limits = &config.models.limits;
    for (key, value) in [
        ("connect_ms", Some(limits.connect_ms)),
        ("first_byte_ms", limits.first_byte_ms),
        ("stall_ms", limits.stall_ms),
        ("call_ms", Some(limits.call_ms)),
    ] {
        if value == Some(0) {
            let key = format!("models.limits.{key}");
            let how = "Write 1 or more milliseconds, or remove the line for the usual time.";
            return Err(wrong(
                layers,
                &key,
                "it is 0, so that every request would fail",
                how,
            ));
        }
    }
    Ok(())
}

fn check_endpoints(config: &Config, layers: &Figment) -> Result<()> {
    let at = &config.endpoints;
    for (role, address) in [
        ("audit", &at.audit),
        ("models", &at.models),
        ("broker", &at.broker),
        ("secrets", &at.secrets),
        ("search", &at.search),
        ("memory", &at.memory),
    ] {
        if address.is_empty() {
            continue;
        }
        if let Err(error) = address.parse::<grpc::Endpoint>() {
            let told = error.to_string();
            let why = told.split("; write ").next().unwrap_or(&told);
            let how = "Write unix:/path/to.sock or tcp:127.0.0.1:50051.";
            return Err(wrong(layers, &format!("endpoints.{role}"), why, how));
        }
    }
    Ok(())
}

fn check_tools(config: &Config, layers: &Figment) -> Result<()> {
    let most = limits::EXEC_TIME_MOST.as_secs();
    let seconds = config.tools.command_secs;
    if (1..=most).contains(&seconds) {
        return Ok(());
    }
    Err(wrong(
        layers,
        "tools.command_secs",
        &format!("it is {seconds}"),
        &format!("Write how many seconds a command may run, 1 to {most}."),
    ))
}

fn check_policy(config: &Config, layers: &Figment) -> Result<()> {
    let (least, most) = (
        limits::CONFIRMATION_WAIT_LEAST,
        limits::CONFIRMATION_WAIT_MOST,
    );
    let (least, most) = (least.as_secs(), most.as_secs());
    let seconds = config.policy.question_secs;
    if (least..=most).contains(&seconds) {
        return Ok(());
    }
    Err(wrong(
        layers,
        "policy.question_secs",
        &format!("it is {seconds}"),
        &format!("Write how many seconds a question waits for an answer, {least} to {most}."),
    ))
}

fn check_drive(config: &Config, layers: &Figment) -> Result<()> {
    let Err(error) = config.drive.settings() else {
        return Ok(());
    };
    // `[drive] KEY: why`, as whoever reads the settings without their layers is told.
    let told = error.to_string();
    let key_and_why = told
        .strip_prefix("[drive] ")
        .and_then(|rest| rest.split_once(": "));
    let Some((key, why)) = key_and_why else {
        return Err(error);
    };
    let how = match key {
        "turns" => "Write how many turns it may take in a row, 1 to 20.",
        "quiet_hours" => "Write `quiet_hours = \"22:00-07:00\"`, or leave it out.",
        "watch" => "Write files or folders, such as `watch = [\"src\"]`, or leave it out.",
        _ => "Write an amount such as 2.5, and what providers cost under [drive.prices.NAME].",
    };
    Err(wrong(layers, &format!("drive.{key}"), why, how))
}

fn check_inbox(config: &Config, layers: &Figment) -> Result<()> {
    let listen = &config.inbox.listen;
    let address = listen.parse::<SocketAddr>().ok();
    if listen.is_empty() || address.is_some_and(|address| address.ip().is_loopback()) {
        return Ok(());
    }
    Err(wrong(
        layers,
        "inbox.listen",
        &format!("`{listen}` is no address of this machine alone"),
        "Write a loopback address and a port, such as \"127.0.0.1:7434\".",
    ))
}

fn check_memory(config: &Config, layers: &Figment) -> Result<()> {
    let most = limits::RECALL_WAIT_MOST.as_millis();
    let wait = config.memory.recall_ms;
    if !(1..=most).contains(&u128::from(wait)) {
        return Err(wrong(
            layers,
            "memory.recall_ms",
            &format!("it is {wait}"),
            &format!("Write how many milliseconds a request may wait, 1 to {most}."),
        ));
    }
    config.memory.check().map_err(|unusable| {
        let (least, most) = (&unusable.least, &unusable.most);
        wrong(
            layers,
            &format!("memory.finding.{}", unusable.key),
            &format!("it is {}", unusable.found),
            &format!("Write {least} to {most}, or leave it out."),
        )
    })
}

fn check_observers(config: &Config, layers: &Figment) -> Result<()> {
    let observers = &config.observers;
    if !(1..=300).contains(&observers.critic_secs) {
        let found = format!("it is {}", observers.critic_secs);
        let how = "Write seconds, 1 to 300, such as 60.";
        return Err(wrong(layers, "observers.critic_secs", &found, how));
    }
    let numbers = [
        (
            "critic_share",
            observers.critic_share,
            1.0,
            "Write the share of answers that is graded, 0 to 1, such as 0.2 for one of five.",
        ),
        (
            "respondent_b_share",
            observers.respondent_b_share,
            1.0,
            "Write the share of answers that gets a second one, 0 to 1, such as 0.2 for one of five.",
        ),
        (
            "route_agreement",
            observers.route_agreement,
            1.0,
            "Write a share of answers, 0 to 1, such as 0.6.",
        ),
        (
            "temperature_b",
            f64::from(observers.temperature_b),
            f64::from(HOTTEST),
            "Write a sampling temperature, 0 to 2, such as 1.0.",
        ),
    ];
    for (key, value, most, how) in numbers {
        if !(0.0..=most).contains(&value) {
            let key = format!("observers.{key}");
            return Err(wrong(layers, &key, &format!("it is {value}"), how));
        }
    }
    check_routes(config, layers)
}

fn check_routes(config: &Config, layers: &Figment) -> Result<()> {
    for (role, models) in &config.observers.routes {
        let key = format!("observers.routes.{}", role.as_str());
        let is_twice = |model: &&ModelRef| models.iter().filter(|one| one == model).count() > 1;
        let (why, how) = match (role, models.len()) {
            (ModelRole::Judge | ModelRole::Extract | ModelRole::Embed, _) => (
                "no agent talks by that role".to_owned(),
                "Routes are of the roles fast, reason and code.",
            ),
            (_, ..2) => (
                format!(
                    "it names {} of the two or more models to choose from",
                    models.len()
                ),
                "Name two or more, or leave the role out.",
            ),
            _ => match models.iter().find(is_twice) {
                Some(twice) => (format!("it names {twice} twice"), "Name each model once."),
                None => continue,
            },
        };
        return Err(wrong(layers, &key, &why, how));
    }
    Ok(())
}

fn check_search(config: &Config, layers: &Figment) -> Result<()> {
    if let Err(error) = config.search.endpoint() {
        let told = error.fault().message;
        let why = told.strip_prefix("search.url ").unwrap_or(&told);
        let how = "Write it as `http://127.0.0.1:8888`, or as `https://` and a name.";
        return Err(wrong(layers, "search.url", why, how));
    }
    let pages = config.search.pages;
    let most = limits::SEARCH_PAGES;
    if (1..=most).contains(&pages) {
        return Ok(());
    }
    Err(wrong(
        layers,
        "search.pages",
        &format!("it is {pages}"),
        &format!("Write 1 to {most}, or leave it out."),
    ))
}

fn wrong(layers: &Figment, key: &str, why: &str, how: &str) -> anyhow::Error {
    usage(VARIABLES.wrong(layers, key, why, how))
}

#[cfg(test)]
mod tests {
    use super::*;
    use figment::providers::{Format, Serialized, Toml};

    fn checked(text: &str) -> Result<()> {
        let layers = Figment::from(Serialized::defaults(Config::default()));
        let layers = layers.merge(Toml::string(text));
        check(&layers.extract().unwrap(), &layers)
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_its_key() {
        for (text, parts) in [
            ("[agents]\nparallel = 0", ["agents.parallel", "it is 0"]),
            ("[agents]\nparallel = 65", ["agents.parallel", "it is 65"]),
            ("[drive]\nturns = 0", ["turns", "1 to 20"]),
            (
                "[tui.keys]\npanse = \"f5\"",
                ["tui.keys.panse", "no action of this name"],
            ),
            (
                "[drive.prices.claud]\nprompt = 1.0",
                ["drive.prices.claud", "no provider"],
            ),
        ] {
            let error = checked(text).unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_told_with_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        for (line, key) in [
            ("[agents]\nparallel = 0", "agents.parallel"),
            ("[drive]\nturns = 21", "drive.turns"),
            ("[tools]\ncommand_secs = 601", "tools.command_secs"),
            ("[drive]\nquiet_hours = \"22-7\"", "drive.quiet_hours"),
            ("[drive]\nday_cost = -1.0", "drive.day_cost"),
            ("[drive]\nwatch = [\"\"]", "drive.watch"),
            ("[inbox]\nlisten = \"0.0.0.0:1\"", "inbox.listen"),
            (
                "[models]\ndefault_provider = \"nope\"",
                "models.default_provider",
            ),
            (
                "[models.providers.a]\nendpoint = \"127.0.0.1:1\"\ntype = \"openai\"",
                "models.providers.a.endpoint",
            ),
            ("[memory.finding]\ntexts = 1000", "memory.finding.texts"),
            (
                "[memory.finding.weights]\nlexical = 1.5",
                "memory.finding.weights.lexical",
            ),
            ("[memory]\nrecall_ms = 0", "memory.recall_ms"),
            ("[search]\npages = 0", "search.pages"),
            ("[search]\nurl = \"127.0.0.1:8888\"", "search.url"),
            (
                "[models.limits]\nfirst_byte_ms = 0",
                "models.limits.first_byte_ms",
            ),
            (
                "[endpoints]\nmemory = \"127.0.0.1:7000\"",
                "endpoints.memory",
            ),
            ("[models]\nfallbacks = [\"nope/m\"]", "models.fallbacks"),
            ("[tui.keys]\npanes = \"x\"", "tui.keys.panes"),
            ("[tui.keys]\nzzz = \"f5\"", "tui.keys.zzz"),
            ("[tui]\nkeys.panes = [\"f5\", \"f3\"]", "tui.keys.panes"),
        ] {
            std::fs::write(&file, format!("# mine\n\n{line}\n")).unwrap();
            let layers = Figment::from(Serialized::defaults(Config::default()));
            let layers = layers.merge(Toml::file_exact(&file));
            let error = check(&layers.extract().unwrap(), &layers).unwrap_err();
            let (_, fault) = terminal::exit::describe(&error);
            let place = format!("{}: line 4: {key}: ", file.display());
            assert!(fault.message.starts_with(&place), "{}", fault.message);
            assert!(fault.hint.starts_with("Write "), "{}", fault.hint);
        }
    }

    #[test]
    fn what_can_be_meant_is_taken() {
        let named = "[models.providers.claude]\ntype = \"anthropic\"\n\
                     endpoint = \"https://api.anthropic.com\"\n\
                     [drive.prices.claude]\nprompt = 1.0";
        for text in ["", "[agents]\nparallel = 64", named] {
            checked(text).unwrap();
        }
    }
}
