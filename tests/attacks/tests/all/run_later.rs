//! Files by which a hook, a shell, an editor, a language server or another agent runs something that
//! nobody asked it for; and files beside them that are a project's own work.

use attacks::script::{Call, play, results, statuses};
use serde_json::json;
use testkit::House;

/// What is run or obeyed unasked.
const UNASKED: [&str; 60] = [
    "hk.pkl",
    ".config/hk.pkl",
    "captainhook.json",
    "grumphp.yml",
    ".huskyrc",
    ".huskyrc.js",
    "husky.config.js",
    ".rusty-hook.toml",
    ".nano-staged.json",
    "mise.dev.toml",
    "mise.dev.local.toml",
    ".config/mise/config.dev.toml",
    ".lfsconfig",
    ".github/skills/x/SKILL.md",
    ".github/mcp.json",
    ".github/copilot/settings.json",
    ".amp/settings.json",
    ".grok/settings.json",
    ".vibe/config.toml",
    ".pi/extensions/x.ts",
    ".pi/settings.json",
    ".opencode.json",
    ".letta/settings.json",
    "conductor.json",
    ".superset/config.json",
    ".kilocoderules",
    ".qoder/rules/x.md",
    ".lingma/rules/x.md",
    ".tabnine/agent/x.md",
    ".zencoder/rules/x.md",
    "x.sublime-project",
    ".nova/Configuration.json",
    ".ycm_extra_conf.py",
    ".local.vimrc",
    "_vimrc_local.vim",
    ".lite_project.lua",
    ".lite_project_module.lua",
    ".project",
    ".externalToolBuilders/x.launch",
    ".trunk/trunk.yaml",
    "replit.nix",
    ".idx/dev.nix",
    ".codesandbox/tasks.json",
    "hie.yaml",
    "rust-analyzer.toml",
    ".rust-analyzer.toml",
    "rust-project.json",
    "omnisharp.json",
    ".lsp/config.edn",
    ".ropeproject/config.py",
    ".luarc.jsonc",
    ".standard.yml",
    ".haml-lint.yml",
    ".jvmopts",
    ".mill-jvm-opts",
    ".yarn/releases/yarn.cjs",
    ".yarn/plugins/x.cjs",
    ".RData",
    "grumphp.yml.dist",
    "hk.local.pkl",
];

/// The work itself, and what builds make.
const WORK: [&str; 20] = [
    "package.json",
    "Makefile",
    "build.gradle",
    "gradle.properties",
    "tools/bazel",
    "pyproject.toml",
    "flake.nix",
    "devenv.nix",
    ".flox/env/manifest.toml",
    ".pnp.cjs",
    ".yarn/cache/x.zip",
    ".bundle/config",
    ".clj-kondo/config.edn",
    ".lsp/.cache/x",
    ".trunk/configs/x.yaml",
    ".github/workflows/ci.yml",
    ".eslintrc.js",
    "project",
    "mise.md",
    "docs/skills/x/SKILL.md",
];

fn write<'a>(path: &str) -> Call<'a> {
    ("write_file", json!({"path": path, "content": "x\n"}))
}

/// A file beside each, so that the folders are there.
fn furnish(house: &House) {
    for path in UNASKED.iter().chain(&WORK) {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        house.write(format!("{above}/beside").trim_start_matches('/'), "x\n");
    }
}

#[test]
fn what_is_run_unasked_is_not_made() {
    let calls = UNASKED.map(write);
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    for (path, status) in UNASKED.iter().zip(statuses(&outcome)) {
        assert_eq!(status, "denied", "{path}: {told:#?}");
        assert!(!scene.house.has(path), "{path}");
    }
    // Nor by a command; what it makes beside them stays.
    let script = format!("touch {} plain; true", UNASKED.join(" "));
    let calls = [("run_command", json!({"argv": ["sh", "-c", script]}))];
    let (scene, outcome) = play(|_| (), &calls);
    let told = results(&scene, &outcome);
    for path in UNASKED.iter().filter(|path| !path.contains('/')) {
        assert!(!scene.house.has(path), "{path}: {told:#?}");
    }
    assert!(scene.house.has("plain"), "{told:#?}");
}

#[test]
fn the_work_itself_stays_open() {
    let calls = WORK.map(write);
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    for (path, status) in WORK.iter().zip(statuses(&outcome)) {
        assert_eq!(status, "ok", "{path}: {told:#?}");
    }
}
