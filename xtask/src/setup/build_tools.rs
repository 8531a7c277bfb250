//! cmake and libclang, which building llama.cpp and its bindings takes.
//!
//! The system's are used where they will do. Otherwise both come as Python packages, which is the
//! one way that needs no administrator.

use super::python::{Package, Python};
use super::shell;
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CMAKE: Package = Package {
    name: "cmake",
    version: "4.4.4",
};
const LIBCLANG: Package = Package {
    name: "libclang",
    version: "18.1.1",
};
const NINJA: Package = Package {
    name: "ninja",
    version: "1.13.0",
};

/// The oldest cmake that llama.cpp builds with.
const CMAKE_MINIMUM: (u32, u32) = (3, 20);

/// Where distributions keep libclang.
const LIBCLANG_FOLDERS: [&str; 4] = [
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
];

type Environment = Vec<(String, OsString)>;

/// Makes sure that the build tools are there and returns the variables that point to them.
///
/// # Errors
/// When one has to be fetched and that fails.
pub fn provide(tools: &Path, python: &Python) -> Result<(Environment, String)> {
    let mut told = Vec::new();
    for (package, system) in [
        (CMAKE, system_cmake()),
        (
            LIBCLANG,
            system_libclang(tools).map(|folder| folder.display().to_string()),
        ),
        (NINJA, system_generator()),
    ] {
        match system {
            Some(found) => told.push(found),
            None => {
                python.install(package)?;
                told.push(format!("{} {}", package.name, package.version));
            }
        }
    }
    Ok((environment(tools)?, told.join(", ")))
}

/// The variables for building the engine.
///
/// # Errors
/// When a tool is neither on the system nor in `.tools/`.
pub fn environment(tools: &Path) -> Result<Environment> {
    let mut environment: Environment = Vec::new();
    let mut set = |name: &str, value: OsString| environment.push((name.to_owned(), value));
    if system_cmake().is_none() {
        set("CMAKE", part(tools, CMAKE, "cmake/data/bin/cmake")?.into());
    }
    if system_libclang(tools).is_none() {
        set(
            "LIBCLANG_PATH",
            part(tools, LIBCLANG, "clang/native")?.into(),
        );
        // The package is the library alone; the compiler's own headers come from the compiler.
        set(
            "BINDGEN_EXTRA_CLANG_ARGS",
            format!("-I{}", compiler_headers()?).into(),
        );
    }
    if system_generator().is_none() {
        set("CMAKE_GENERATOR", "Ninja".into());
        set(
            "CMAKE_MAKE_PROGRAM",
            part(tools, NINJA, "bin/ninja")?.into(),
        );
    }
    let without_common = tools.with_file_name("xtask/src/setup/llama.cmake");
    set("CMAKE_PROJECT_INCLUDE", without_common.into());
    // llama.cpp would link OpenSSL for downloads that the engine never makes.
    set("CMAKE_DISABLE_FIND_PACKAGE_OpenSSL", "ON".into());
    // Never what this processor has: the program may run on another, and some advertise
    // instructions that fault. AVX2 is in every x86 processor since 2015; the engine checks.
    set("GGML_NATIVE", "OFF".into());
    if cfg!(target_arch = "x86_64") {
        for feature in ["SSE42", "AVX", "AVX2", "BMI2", "FMA", "F16C"] {
            set(&format!("GGML_{feature}"), "ON".into());
        }
    }
    Ok(environment)
}

/// The cmake to call directly.
///
/// # Errors
/// When it is neither on the system nor in `.tools/`.
pub fn cmake(tools: &Path) -> Result<Command> {
    Ok(match system_cmake() {
        Some(_) => Command::new("cmake"),
        None => Command::new(part(tools, CMAKE, "cmake/data/bin/cmake")?),
    })
}

fn part(tools: &Path, package: Package, path: &str) -> Result<PathBuf> {
    let path = package.folder(tools).join(path);
    if path.exists() {
        return Ok(path);
    }
    anyhow::bail!("{} is missing: run `cargo xtask setup`", path.display())
}

/// The system's cmake, if it is new enough.
fn system_cmake() -> Option<String> {
    let about = shell::output(Command::new("cmake").arg("--version")).ok()?;
    let version = about.lines().next()?.rsplit(' ').next()?;
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    let found: (u32, u32) = (numbers.next()??, numbers.next()??);
    (found >= CMAKE_MINIMUM).then(|| format!("cmake {version} of the system"))
}

/// What drives the compiler for cmake.
fn system_generator() -> Option<String> {
    shell::output(Command::new("make").arg("--version"))
        .ok()
        .map(|_| "make".to_owned())
}

/// The folder of a libclang on the system that comes with its headers.
fn system_libclang(tools: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    // A shell that took over our variables names the library in `.tools/`, which has no headers.
    let is_foreign = |folder: &PathBuf| !folder.starts_with(tools);
    if let Some(folder) = named
        .filter(is_foreign)
        .filter(|folder| holds_libclang(folder))
    {
        return Some(folder);
    }
    let mut folders: Vec<PathBuf> = LIBCLANG_FOLDERS.iter().map(PathBuf::from).collect();
    let versions = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = versions.filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm"));
    folders.extend(llvm.map(|entry| entry.path().join("lib")));
    folders
        .into_iter()
        .find(|folder| holds_libclang(folder) && has_headers(folder))
}

/// `libclang.so`, `libclang-14.so.1`, `libclang.dylib`; not `libclang-cpp.so`, another library.
fn holds_libclang(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .any(|name| {
            let rest = name.strip_prefix("libclang").unwrap_or_default();
            rest.starts_with(".so")
                || rest.starts_with(".dylib")
                || (rest.starts_with("-1") || rest.starts_with("-2")) && rest.contains(".so")
        })
}

fn has_headers(folder: &Path) -> bool {
    let versions = fs::read_dir(folder.join("clang"))
        .into_iter()
        .flatten()
        .flatten();
    versions
        .map(|entry| entry.path().join("include/stddef.h"))
        .any(|header| header.is_file())
}

/// The folder of the C compiler's own headers, such as `stddef.h`.
fn compiler_headers() -> Result<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_unset| "cc".to_owned());
    let gcc = shell::output(Command::new(&compiler).arg("-print-file-name=include"))?;
    if Path::new(&gcc).is_absolute() {
        return Ok(gcc);
    }
    let clang = shell::output(Command::new(&compiler).arg("-print-resource-dir"))
        .with_context(|| format!("`{compiler}` does not say where its headers are"))?;
    Ok(format!("{clang}/include"))
}
