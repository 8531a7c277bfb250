//! `carl secret`: the user's own side of the store, straight to it.

use super::Setting;
use crate::cli::SecretCommand;
use crate::exit::{Exit, Failure, OrFail};
use crate::hidden::{Twice, ask};
use crate::render::{print, print_error};
use crate::wiring::{Store, chosen};
use anyhow::Result;
use api::secrets::{Error, Kept, SecretName, SecretValue};
use domain::fault::Coded;
use keyring::{KernelKeyring, State};

/// Does what was typed.
///
/// # Errors
/// When no store is chosen, or the store refuses.
pub async fn secret(command: SecretCommand) -> Result<Exit> {
    let setting = Setting::plain()?;
    let store = chosen(&setting)?.ok_or(Error::NotChosen).or_fail()?;
    match command {
        SecretCommand::Set { name, value } => {
            if !value.is_empty() {
                return Err(in_argv().into());
            }
            set(&store, &named(&name)?).await?;
        }
        SecretCommand::Rm { name } => {
            let name = named(&name)?;
            ready(&store).await?;
            store.keeper().remove(&name).await.or_fail()?;
            print(&format!("{name} is forgotten.\n"))?;
        }
        SecretCommand::List { json } => list(&store, json).await?,
        SecretCommand::Unlock => unlock(&store).await?,
        SecretCommand::Lock => lock(&store).await?,
    }
    Ok(Exit::Success)
}

fn named(text: &str) -> Result<SecretName> {
    text.parse().map_err(|error: Error| {
        let hint = error.hint();
        Failure::usage(error.to_string(), hint).into()
    })
}

fn in_argv() -> Failure {
    Failure::usage(
        "a secret is not written on the command line: every process can read it there, and the \
         shell keeps it",
        "`carl secret set NAME` asks for it, or reads it from standard input. Have this one \
         replaced where it was issued.",
    )
}

async fn set(store: &Store, name: &SecretName) -> Result<()> {
    // Before anything is typed: a secret must not be typed in vain.
    ready(store).await?;
    let keeper = store.keeper();
    keeper.names().await.or_fail()?;
    let value = ask("The secret (it is not shown)", Twice::Yes)?;
    if value.expose().iter().all(u8::is_ascii_whitespace) {
        let hint = "Nothing was stored.";
        return Err(Failure::usage("the secret is nothing but blanks", hint).into());
    }
    let said = match keeper.set(name, value).await.or_fail()? {
        Kept::Added => "is stored",
        Kept::Replaced => "is stored in place of the old one",
    };
    print(&format!("{name} {said}.\n"))?;
    Ok(())
}

async fn list(store: &Store, json: bool) -> Result<()> {
    ready(store).await?;
    let names = store.keeper().names().await.or_fail()?;
    let names: Vec<&str> = names.iter().map(SecretName::as_str).collect();
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(&names)?))?;
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

async fn unlock(store: &Store) -> Result<()> {
    match store {
        Store::Desktop(desktop) => {
            desktop.unlock().await.or_fail()?;
            print("The Secret Service is unlocked.\n")?;
        }
        Store::Kernel(kernel) => match kernel.state().await.or_fail()? {
            State::Open(count) => {
                print(&format!("It is unlocked already, with {count} secrets.\n"))?
            }
            State::Locked => {
                let passphrase = passphrase(store, Twice::No)?;
                let count = kernel.unlock(passphrase).await.or_fail()?;
                print(&format!("Unlocked, with {count} secrets.\n"))?;
            }
            State::Absent => create(store, kernel).await?,
        },
    }
    Ok(())
}

async fn lock(store: &Store) -> Result<()> {
    match store {
        Store::Desktop(_) => Err(Failure::usage(
            "the Secret Service belongs to the desktop and is not locked from here",
            "Lock it in the desktop's own program for passwords and keys.",
        )
        .into()),
        Store::Kernel(kernel) => {
            kernel.lock().await.or_fail()?;
            print("Locked.\n")?;
            Ok(())
        }
    }
}

/// A kernel's keyring that holds nothing is filled first where somebody is there to be asked for
/// the passphrase, or systemd gave it.
async fn ready(store: &Store) -> Result<()> {
    let Store::Kernel(kernel) = store else {
        return Ok(());
    };
    match kernel.state().await.or_fail()? {
        State::Open(_) => Ok(()),
        State::Absent if asks() || store.credential()?.is_some() => create(store, kernel).await,
        State::Locked if asks() || store.credential()?.is_some() => {
            let passphrase = passphrase(store, Twice::No)?;
            kernel.unlock(passphrase).await.or_fail()?;
            Ok(())
        }
        State::Absent | State::Locked => Err(Error::Locked {
            detail: format!(
                "standard input is no terminal to ask for the passphrase of {}",
                kernel.file().display()
            ),
        })
        .or_fail(),
    }
}

async fn create(store: &Store, kernel: &KernelKeyring) -> Result<()> {
    print_error(&format!(
        "There is no encrypted file yet; {} is made. Whoever loses its passphrase loses what is in \
         it.\n",
        kernel.file().display()
    ))?;
    let passphrase = passphrase(store, Twice::Yes)?;
    kernel.create(passphrase).await.or_fail()?;
    Ok(())
}

fn passphrase(store: &Store, twice: Twice) -> Result<SecretValue> {
    match store.credential()? {
        Some(passphrase) => Ok(passphrase),
        None => ask(
            "The passphrase of the encrypted file (it is not shown)",
            twice,
        ),
    }
}

fn asks() -> bool {
    use std::io::IsTerminal;
    std::io::stdin().is_terminal()
}
