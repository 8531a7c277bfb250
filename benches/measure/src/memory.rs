//! Memory of another process, as the kernel counts it.

use anyhow::{Context as _, Result};

/// Which figure.
#[derive(Debug, Clone, Copy)]
pub enum Memory {
    /// Resident now.
    Now,
    /// Most that was resident.
    Most,
}

/// A process's memory, MiB.
///
/// # Errors
/// When the kernel does not say.
pub fn mib(process: u32, which: Memory) -> Result<f64> {
    let field = match which {
        Memory::Now => "VmRSS:",
        Memory::Most => "VmHWM:",
    };
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).with_context(|| path.clone())?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kib = line
        .and_then(|rest| rest.split_whitespace().next())
        .with_context(|| format!("{path} has no {field}"))?;
    Ok(kib.parse::<f64>()? / 1024.0)
}
