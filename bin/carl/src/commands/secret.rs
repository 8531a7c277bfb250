//! `carl secret`: the user's own side of the store, straight to it.

use super::Setting;
use crate::wiring::{Store, chosen, log};
use anyhow::Result;
use api::secrets::Keeper as _;
use api::secrets::{Error, Kept, SecretName, SecretValue};
use command_line::SecretCommand;
use configuration::nearest;
use domain::fault::Coded;
use keyring::{KernelKeyring, PASSPHRASE_CHARS, State};
use rendering::{print, print_error};
use terminal::exit::{Exit, Failure, OrFail};
use terminal::hidden_input::{Hidden, ask};

/// What the record says of an opened store.
const UNLOCKED: &str = "secret store to be unlocked";

/// Does what was typed.
///
/// # Errors
/// When no store is chosen, or the store refuses.
pub async fn secret(command: SecretCommand) -> Result<Exit> {
    // Said before anything else: what was typed there is known to others by now.
    if matches!(&command, SecretCommand::Set { value, .. } if !value.is_empty()) {
        return Err(in_argv().into());
    }
    let setting = Setting::plain()?;
    let store = chosen(&setting)?.ok_or(Error::NotChosen).or_fail()?;
    match command {
        SecretCommand::Set { name, .. } => set(&setting, &store, &named(name.parse())?).await?,
        SecretCommand::Rm { name } => remove(&setting, &store, &name).await?,
        SecretCommand::List { json } => list(&setting, &store, json).await?,
        SecretCommand::Unlock => unlock(&setting, &store).await?,
        SecretCommand::Lock => lock(&setting, &store).await?,
    }
    Ok(Exit::Success)
}

fn named(name: Result<SecretName, Error>) -> Result<SecretName> {
    name.map_err(|error| {
        let hint = error.hint();
        Failure::usage(error.to_string(), hint).into()
    })
}

/// Puts a change of the store on record, before it is made.
///
/// # Errors
/// When the log takes nothing; the change must then not be made.
async fn on_record(setting: &Setting, change: &str) -> Result<()> {
    let (audit, _lock) = log(setting).await?;
    terminal::audited::on_record(audit.as_ref(), change).await
}

async fn remove(setting: &Setting, store: &Store, name: &str) -> Result<()> {
    // One that was stored before such names were refused can be removed all the same.
    let name = named(SecretName::kept(name))?;
    ready(setting, store).await?;
    let keeper = store.keeper();
    let names = keeper.names().await.or_fail()?;
    if !names.contains(&name) {
        return Err(not_there(&name, &names).into());
    }
    let change = match name.is_a_key() {
        true => "secret removed: a name in the shape of a key".to_owned(),
        false => format!("secret removed: {name}"),
    };
    on_record(setting, &change).await?;
    keeper.remove(&name).await.or_fail()?;
    print(&format!("{name} is forgotten.\n"))?;
    Ok(())
}

/// The refusal to remove what is not there: who wants to be rid of something stores nothing.
fn not_there(name: &SecretName, names: &[SecretName]) -> Failure {
    // What has the shape of a key is not shown, be it typed or kept.
    let shown = names.iter().filter(|name| !name.is_a_key());
    let shown: Vec<&str> = shown.map(SecretName::as_str).collect();
    let near = nearest(&shown, name.as_str()).filter(|hint| hint.starts_with("Did you"));
    let near = near.map_or_else(String::new, |hint| format!("{hint} "));
    let name = match name.is_a_key() {
        true => "…".to_owned(),
        false => name.to_string(),
    };
    let mut failure = Failure::from_coded(&Error::NotFound { name });
    failure.fault.hint = format!("{near}`carl secret list` lists what is stored.");
    failure
}

fn in_argv() -> Failure {
    Failure::usage(
        "a secret is not written on the command line: every process can read it there, and the \
         shell keeps it",
        "`carl secret set NAME` asks for it, or reads it from standard input. Have this one \
         replaced where it was issued.",
    )
}

async fn set(setting: &Setting, store: &Store, name: &SecretName) -> Result<()> {
    // Before anything is typed: a secret must not be typed in vain.
    ready(setting, store).await?;
    let keeper = store.keeper();
    keeper.names().await.or_fail()?;
    let value = ask(Hidden::Secret)?;
    if value.expose().iter().all(u8::is_ascii_whitespace) {
        let hint = "Nothing was stored.";
        return Err(Failure::usage("the secret is nothing but blanks", hint).into());
    }
    on_record(setting, &format!("secret stored: {name}")).await?;
    let said = match keeper.set(name, value).await.or_fail()? {
        Kept::Added => "is stored",
        Kept::Replaced => "is stored in place of the old one",
    };
    print(&format!("{name} {said}.\n"))?;
    Ok(())
}

async fn list(setting: &Setting, store: &Store, json: bool) -> Result<()> {
    ready(setting, store).await?;
    let names = store.keeper().names().await.or_fail()?;
    let names: Vec<&str> = names.iter().map(SecretName::as_str).collect();
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(&names)?))?;
    } else if names.is_empty() {
        print_error("No secret is stored; `carl secret set NAME` stores one.\n")?;
    } else {
        print(
            &names
                .iter()
                .map(|name| format!("{name}\n"))
                .collect::<String>(),
        )?;
    }
    Ok(())
}

async fn unlock(setting: &Setting, store: &Store) -> Result<()> {
    match store {
        Store::Desktop(desktop) => {
            on_record(setting, UNLOCKED).await?;
            desktop.unlock().await.or_fail()?;
            print("The Secret Service is unlocked.\n")?;
        }
        Store::Kernel(kernel) => match kernel.state().await.or_fail()? {
            State::Open(count) => {
                // The file may have gone since.
                kernel.names().await.or_fail()?;
                print(&format!(
                    "It is unlocked already, with {}.\n",
                    counted(count)
                ))?;
            }
            State::Locked => {
                let passphrase = passphrase(store, Hidden::Passphrase)?;
                on_record(setting, UNLOCKED).await?;
                let count = kernel.unlock(passphrase).await.or_fail()?;
                print(&format!("Unlocked, with {}.\n", counted(count)))?;
            }
            State::Absent => create(setting, store, kernel).await?,
        },
    }
    Ok(())
}

async fn lock(setting: &Setting, store: &Store) -> Result<()> {
    match store {
        Store::Desktop(_) => Err(Failure::usage(
            "the Secret Service belongs to the desktop and is not locked from here",
            "Lock it in the desktop's own program for passwords and keys.",
        )
        .into()),
        Store::Kernel(kernel) => {
            // Closing is never put off: a log that takes nothing is told of afterwards.
            let recorded = on_record(setting, "secret store locked").await;
            kernel.lock().await.or_fail()?;
            print("Locked.\n")?;
            recorded
        }
    }
}

/// A kernel's keyring that holds nothing is filled first where somebody is there to be asked for
/// the passphrase, or systemd gave it.
async fn ready(setting: &Setting, store: &Store) -> Result<()> {
    let Store::Kernel(kernel) = store else {
        return Ok(());
    };
    match kernel.state().await.or_fail()? {
        State::Open(_) => Ok(()),
        State::Absent if asks() || store.credential()?.is_some() => {
            create(setting, store, kernel).await
        }
        State::Locked if asks() || store.credential()?.is_some() => {
            let passphrase = passphrase(store, Hidden::Passphrase)?;
            on_record(setting, UNLOCKED).await?;
            kernel.unlock(passphrase).await.or_fail()?;
            Ok(())
        }
        // Says that there is no file.
        State::Absent => kernel.names().await.map(drop).or_fail(),
        State::Locked => Err(Error::Locked {
            detail: format!(
                "standard input is no terminal to ask for the passphrase of {}",
                kernel.file().display()
            ),
        })
        .or_fail(),
    }
}

async fn create(setting: &Setting, store: &Store, kernel: &KernelKeyring) -> Result<()> {
    let file = kernel.file().display();
    say(&format!(
        "There is no encrypted file yet. A new, empty one will be {file}; one from a backup is to \
         be put there instead, before anything is typed here. Its passphrase has \
         {PASSPHRASE_CHARS} characters or more; whoever loses it loses what is in the file."
    ))?;
    let least_chars = PASSPHRASE_CHARS;
    let chosen = passphrase(store, Hidden::NewPassphrase { least_chars })?;
    on_record(setting, "secret store to be made").await?;
    kernel.create(chosen).await.or_fail()?;
    say(&format!("{file} is made, with nothing in it."))?;
    Ok(())
}

/// Told beside the output.
fn say(line: &str) -> Result<()> {
    Ok(print_error(&format!("{line}\n"))?)
}

fn counted(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} secret{plural}")
}

fn passphrase(store: &Store, what: Hidden) -> Result<SecretValue> {
    match store.credential()? {
        Some(passphrase) => Ok(passphrase),
        None => ask(what),
    }
}

fn asks() -> bool {
    use std::io::IsTerminal;
    std::io::stdin().is_terminal()
}
