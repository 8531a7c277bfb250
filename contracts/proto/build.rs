//! Compiles the protocol files to Rust, and to the descriptor set that reflection serves.

use prost::Message;
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let folder = root.join("housecarl/v1");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "proto")
    });
    files.sort();

    let mut descriptors = protox::compile(&files, [&root])?;
    let out_dir = PathBuf::from(std::env::var("OUT_DIR")?);
    tonic_prost_build::configure()
        .emit_package(true)
        // A secret can be printed by nobody.
        .skip_debug([".housecarl.v1.GetSecretResponse"])
        .compile_fds(descriptors.clone())?;
    for file in &mut descriptors.file {
        // Comments and positions: half of the bytes, and reflection has no use for them.
        file.source_code_info = None;
    }
    std::fs::write(out_dir.join("descriptors.bin"), descriptors.encode_to_vec())?;
    Ok(())
}
