//! A house with a secret store that is real.

use crate::{KEPT, KEY};
use std::fs;
use testkit::{Carl, Finished, House, Server};

/// What opens the encrypted file. No secret that is searched for: it is in a file of systemd's kind.
pub const PASSPHRASE: &str = "correct horse battery staple";

/// A house whose secrets are in the kernel's keyring. What is in the kernel goes with it.
pub struct Vault {
    /// The house.
    pub house: House,
}

impl Vault {
    /// With nothing stored and the store unlocked.
    ///
    /// # Panics
    /// When this kernel has no keyring, which these tests cannot do without.
    #[must_use]
    pub fn new() -> Self {
        let vault = Self {
            house: House::new(),
        };
        vault
            .house
            .configure("[secrets]\nbackend = \"kernel-keyring\"\n");
        fs::create_dir(vault.house.run_dir().join("credentials")).unwrap();
        let passphrase = vault.house.run_dir().join("credentials/housecarl-secrets");
        fs::write(passphrase, format!("{PASSPHRASE}\n")).unwrap();
        let made = vault.with_credential(&["secret", "unlock"]).run();
        assert_eq!(
            made.code,
            Some(0),
            "this kernel gives no keyring, and these tests prove nothing without one: {made:?}"
        );
        vault
    }

    /// With both canaries planted: the provider's key as `work`, the other as `kept`.
    #[must_use]
    pub fn planted() -> Self {
        let vault = Self::new();
        vault.store("work", KEY);
        vault.store("kept", KEPT);
        vault
    }

    /// Stores a secret through the shipped program.
    ///
    /// # Panics
    /// When it is not stored.
    pub fn store(&self, name: &str, value: &str) {
        let done = self.carl(&["secret", "set", name]).stdin(value).run();
        assert_eq!(done.code, Some(0), "{done:?}");
    }

    /// Makes a server the only provider, with the key `work`.
    pub fn provider(&self, server: &Server) {
        let config = format!(
            "{}api_key = {{ secret = \"work\" }}\n\n[models.discovery]\nenabled = false\n\n\
             [secrets]\nbackend = \"kernel-keyring\"\n",
            server.config("openai")
        );
        self.house.configure(&config);
    }

    /// `carl` in the house.
    #[must_use]
    pub fn carl(&self, args: &[&str]) -> Carl {
        self.house.ask(args.iter().copied())
    }

    /// `carl` in the house, with the passphrase at hand as systemd gives it.
    #[must_use]
    pub fn with_credential(&self, args: &[&str]) -> Carl {
        let folder = self.house.run_dir().join("credentials");
        self.carl(args).env("CREDENTIALS_DIRECTORY", folder)
    }

    /// `carl` run to its end.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Finished {
        self.carl(args).run()
    }
}

impl Default for Vault {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Vault {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.house
                .configure("[secrets]\nbackend = \"kernel-keyring\"\n");
        }
        let _locked = self.house.ask(["secret", "lock"]).run();
    }
}
