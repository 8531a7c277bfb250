//! `carl token`: what programs show to `carl serve --http`.

use super::Setting;
use crate::wiring::log;
use anyhow::{Context, Result};
use command_line::{ScopeArg, TokenCommand};
use config::paths::private_folder;
use domain::Timestamp;
use domain::fault::Coded as _;
use domain::token::TokenName;
use http_api::tokens::{Scope, Token, Tokens};
use jiff::tz::TimeZone;
use rendering::{moments, print, print_error, table};
use serde_json::json;
use terminal::exit::{Exit, Failure, OrFail};
use text::escape::visible_line;

/// Does what was typed.
///
/// # Errors
/// When the tokens cannot be read or changed, or the change cannot be put on record.
pub async fn token(command: TokenCommand) -> Result<Exit> {
    let setting = Setting::plain()?;
    private_folder(&setting.paths.state)?;
    let tokens = Tokens::below(&setting.paths.state);
    match command {
        TokenCommand::New {
            name,
            scope,
            expires,
        } => {
            let now = Timestamp::now();
            let name = named(&name)?;
            let expires = expires.map(|typed| end(&typed, now)).transpose()?;
            let scope = meant(scope);
            // What cannot be is not put on record as if it were.
            tokens.check_new(&name, (now, expires)).or_fail()?;
            on_record(&setting, &format!("token made: {name} ({scope})")).await?;
            let secret = tokens.add(name, scope, (now, expires)).or_fail()?;
            print(&format!("{}\n", *secret))?;
            print_error("It is shown this once: keep it where only its program reads it.\n")?;
        }
        TokenCommand::List { json } => list(&tokens.list().or_fail()?, json)?,
        TokenCommand::Revoke { name } => {
            let name = named(&name)?;
            tokens.check_known(&name).map_err(|error| {
                let fault = error.fault();
                let mut failure = Failure::usage(fault.message.clone(), fault.hint.clone());
                failure.fault = fault;
                failure
            })?;
            on_record(&setting, &format!("token revoked: {name}")).await?;
            tokens.revoke(&name).or_fail()?;
            print(&format!("{name} counts no more.\n"))?;
        }
    }
    Ok(Exit::Success)
}

fn named(name: &str) -> Result<TokenName> {
    let hint = "Write, for example, `phone` or `ci-2`.";
    let named = name.parse::<TokenName>();
    named.map_err(|error| Failure::usage(visible_line(&error.to_string()), hint).into())
}

const fn meant(scope: ScopeArg) -> Scope {
    match scope {
        ScopeArg::Read => Scope::Read,
        ScopeArg::Chat => Scope::Chat,
        ScopeArg::Approve => Scope::Approve,
        ScopeArg::Admin => Scope::Admin,
    }
}

/// When a token's time is up: after so long, or at this moment.
fn end(typed: &str, now: Timestamp) -> Result<Timestamp> {
    let zone = TimeZone::system();
    let after = || {
        let span = typed.parse::<jiff::Span>().ok()?;
        let end = now.to_zoned(zone.clone()).checked_add(span).ok()?;
        Some(end.timestamp())
    };
    let at = || typed.parse::<Timestamp>().ok();
    let on = || {
        let day = typed.parse::<jiff::civil::Date>().ok()?;
        Some(day.to_zoned(zone.clone()).ok()?.timestamp())
    };
    after().or_else(at).or_else(on).ok_or_else(|| {
        let said = format!(
            "--expires: `{}` is no length of time and no day",
            visible_line(typed)
        );
        Failure::usage(said, "Write, for example, 30d, 12h or 2031-01-31.").into()
    })
}

async fn on_record(setting: &Setting, change: &str) -> Result<()> {
    let (audit, _lock) = log(setting).await?;
    terminal::audited::on_record(audit.as_ref(), change).await
}

fn list(tokens: &[Token], as_json: bool) -> Result<()> {
    if as_json {
        let rows: Vec<_> = tokens
            .iter()
            .map(|one| {
                json!({
                    "name": one.name, "scope": one.scope.as_str(),
                    "created": one.created, "expires": one.expires,
                })
            })
            .collect();
        let text = serde_json::to_string_pretty(&rows).context("tokens have no JSON form")?;
        print(&format!("{text}\n"))?;
        return Ok(());
    }
    if tokens.is_empty() {
        print("There are no tokens. Make one with `carl token new NAME --scope chat`.\n")?;
        return Ok(());
    }
    let (zone, now) = (TimeZone::system(), Timestamp::now());
    let rows: Vec<Vec<String>> = tokens
        .iter()
        .map(|one| {
            let end = match one.expires {
                None => "until revoked".to_owned(),
                Some(_) if one.is_expired(now) => "expired".to_owned(),
                Some(end) => format!("until {}", moments::minute(end, &zone)),
            };
            vec![one.name.to_string(), one.scope.to_string(), end]
        })
        .collect();
    print(&table(&rows))?;
    Ok(())
}
