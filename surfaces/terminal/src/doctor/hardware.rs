//! What the machine has for models: processor, memory and graphics cards, as the kernel tells them
//! in `/proc` and `/sys`, and NVIDIA's own program where its driver is loaded.

use super::check::Check;
use rendering::values::bytes;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Instructions that make models fast on a processor: the kernel's word, and the usual name.
const FEATURES: [(&str, &str); 7] = [
    ("avx", "AVX"),
    ("avx2", "AVX2"),
    ("fma", "FMA"),
    ("f16c", "F16C"),
    ("avx512f", "AVX-512"),
    ("asimd", "NEON"),
    ("sve", "SVE"),
];
/// Free memory under which little more than the smallest models fits, bytes.
const LOW_MEMORY: u64 = 4 << 30;
/// Longest NVIDIA's program may take.
const ASKING: Duration = Duration::from_secs(2);

/// A graphics card.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Card {
    name: String,
    /// Its memory, and how much of it is used, bytes; `None` where nothing tells.
    memory: Option<(u64, u64)>,
}

/// The checks.
pub async fn checks() -> Vec<Check> {
    let root = Path::new("/");
    let mut cards = cards(root);
    if root.join("proc/driver/nvidia").exists() {
        cards.extend(nvidia().await);
    }
    let has_rocm = root.join("sys/class/kfd").exists();
    vec![processor(root), memory(root), graphics(&cards, has_rocm)]
}

fn processor(root: &Path) -> Check {
    let text = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
    let value = |names: &[&str]| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            names
                .contains(&name.trim())
                .then(|| value.trim().to_owned())
        })
    };
    let threads = text
        .lines()
        .filter(|line| {
            line.split(':')
                .next()
                .is_some_and(|name| name.trim() == "processor")
        })
        .count();
    let name = value(&["model name", "Model"]).unwrap_or_else(|| "unknown".to_owned());
    let flags = value(&["flags", "Features"]).unwrap_or_default();
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let known = FEATURES.iter().filter(|(word, _)| flags.contains(word));
    let known: Vec<&str> = known.map(|(_, name)| *name).collect();
    let detail = format!("{name}, {threads} threads; {}", known.join(", "));
    let is_old = cfg!(target_arch = "x86_64") && !flags.is_empty() && !flags.contains(&"avx2");
    match is_old {
        true => Check::note(
            "processor",
            detail,
            "Without AVX2 models on the processor are slow.",
        ),
        false => Check::ok("processor", detail.trim_end_matches("; ").to_owned()),
    }
}

fn memory(root: &Path) -> Check {
    let text = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let value = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number = line.trim_start_matches(':').split_whitespace().next()?;
        number.parse::<u64>().ok().map(|kib| kib << 10)
    };
    let (Some(all), Some(free)) = (value("MemTotal"), value("MemAvailable")) else {
        return Check::note("memory (RAM)", "the kernel does not tell", "");
    };
    let detail = format!("{} of {} free", bytes(free), bytes(all));
    match free < LOW_MEMORY {
        true => Check::note(
            "memory (RAM)",
            detail,
            "A model of 7 billion parameters wants 5 GB or more.",
        ),
        false => Check::ok("memory (RAM)", detail),
    }
}

fn graphics(cards: &[Card], has_rocm: bool) -> Check {
    const NAME: &str = "graphics";
    if cards.is_empty() {
        let detail = "no card that models could use; they run on the processor";
        return Check::ok(NAME, detail);
    }
    let told: Vec<String> = cards.iter().map(Card::told).collect();
    let mut detail = told.join("; ");
    let has_amd = cards.iter().any(|card| card.name.starts_with("AMD"));
    if has_amd && has_rocm {
        detail.push_str("; ROCm's driver is loaded");
    }
    match has_amd && !has_rocm {
        true => Check::note(
            NAME,
            detail,
            "Model servers reach an AMD card through ROCm (the driver amdgpu with /dev/kfd) or \
             Vulkan.",
        ),
        false => Check::ok(NAME, detail),
    }
}

impl Card {
    fn told(&self) -> String {
        match self.memory {
            Some((all, used)) => {
                let free = all.saturating_sub(used);
                format!("{}, {} of {} free", self.name, bytes(free), bytes(all))
            }
            None => self.name.clone(),
        }
    }
}

/// The cards below `/sys/class/drm`. NVIDIA's driver tells nothing there but that it has one.
fn cards(root: &Path) -> Vec<Card> {
    let Ok(entries) = fs::read_dir(root.join("sys/class/drm")) else {
        return Vec::new();
    };
    let mut devices: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.strip_prefix("card").unwrap_or_default();
            !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
        })
        .map(|entry| entry.path().join("device"))
        .collect();
    devices.sort();
    devices.iter().filter_map(|device| card(device)).collect()
}

fn card(device: &Path) -> Option<Card> {
    let text = |name: &str| {
        let text = fs::read_to_string(device.join(name)).ok()?;
        Some(text.trim().to_owned())
    };
    let number = |name: &str| text(name)?.parse::<u64>().ok();
    let maker = match text("vendor")?.as_str() {
        "0x1002" => "AMD",
        "0x8086" => "Intel",
        // Told by its own program.
        "0x10de" => return None,
        // What virtual machines draw with computes nothing.
        _ => return None,
    };
    let product = text("product_name").filter(|name| !name.is_empty());
    let product = product.or_else(|| text("device")).unwrap_or_default();
    let memory = number("mem_info_vram_total")
        .map(|all| (all, number("mem_info_vram_used").unwrap_or_default()));
    Some(Card {
        name: format!("{maker} {product}"),
        memory,
    })
}

/// NVIDIA's cards, by the program that comes with its driver.
async fn nvidia() -> Vec<Card> {
    let mut program = Command::new("nvidia-smi");
    program.args([
        "--query-gpu=name,memory.total,memory.used",
        "--format=csv,noheader,nounits",
    ]);
    program
        .kill_on_drop(true)
        .stdin(std::process::Stdio::null());
    let unknown = || {
        vec![Card {
            name: "NVIDIA card, of which nvidia-smi says nothing".to_owned(),
            memory: None,
        }]
    };
    match timeout(ASKING, program.output()).await {
        Ok(Ok(output)) if output.status.success() => {
            nvidia_cards(&String::from_utf8_lossy(&output.stdout))
        }
        _ => unknown(),
    }
}

/// One card a line: name, memory and use in MiB.
fn nvidia_cards(text: &str) -> Vec<Card> {
    let lines = text.lines().filter_map(|line| {
        let mut fields = line.rsplitn(3, ',').map(str::trim);
        let used = fields.next()?.parse::<u64>().ok();
        let all = fields.next()?.parse::<u64>().ok();
        Some(Card {
            name: format!("NVIDIA {}", fields.next()?.trim_start_matches("NVIDIA ")),
            memory: all.zip(used).map(|(all, used)| (all << 20, used << 20)),
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::super::check::State;
    use super::*;

    /// A machine as its kernel tells of it.
    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_workstation_with_an_amd_card_is_told_whole() {
        let device = "sys/class/drm/card1/device";
        let root = machine(&[
            (
                "proc/cpuinfo",
                "processor\t: 0\nmodel name\t: AMD Ryzen 7 5700G\nflags\t\t: fpu avx avx2 fma\n\n\
                 processor\t: 1\nmodel name\t: AMD Ryzen 7 5700G\nflags\t\t: fpu avx avx2 fma\n",
            ),
            (
                "proc/meminfo",
                "MemTotal:       65536000 kB\nMemFree: 1 kB\nMemAvailable:   49152000 kB\n",
            ),
            (&format!("{device}/vendor"), "0x1002\n"),
            (&format!("{device}/device"), "0x73bf\n"),
            (&format!("{device}/product_name"), "Radeon RX 6800 XT\n"),
            (&format!("{device}/mem_info_vram_total"), "17163091968\n"),
            (&format!("{device}/mem_info_vram_used"), "1163091968\n"),
            // An output of the card, and what a virtual machine draws with.
            ("sys/class/drm/card1-DP-1/status", "connected\n"),
            ("sys/class/drm/card0/device/vendor", "0x1234\n"),
        ]);
        let told = processor(root.path());
        assert_eq!(told.detail, "AMD Ryzen 7 5700G, 2 threads; AVX, AVX2, FMA");
        assert_eq!(memory(root.path()).detail, "50.3 GB of 67.1 GB free");
        let cards = cards(root.path());
        let told = graphics(&cards, true);
        let card = "AMD Radeon RX 6800 XT, 16.0 GB of 17.2 GB free";
        assert_eq!(told.detail, format!("{card}; ROCm's driver is loaded"));
        assert_eq!(told.state, State::Ok);
        let without = graphics(&cards, false);
        assert!(without.state == State::Note && without.hint.contains("ROCm"));
    }

    #[test]
    fn nvidias_program_is_read_line_by_line() {
        let text = "NVIDIA GeForce RTX 3090, 24576, 512\nNVIDIA A100-SXM4-40GB, [N/A], 0\n";
        let cards = nvidia_cards(text);
        assert_eq!(cards.len(), 2);
        assert_eq!(
            cards[0].told(),
            "NVIDIA GeForce RTX 3090, 25.2 GB of 25.8 GB free"
        );
        assert_eq!(cards[1].told(), "NVIDIA A100-SXM4-40GB");
    }

    #[test]
    fn a_small_old_machine_is_told_what_it_lacks() {
        let root = machine(&[
            (
                "proc/cpuinfo",
                "processor : 0\nmodel name : Old\nflags : fpu sse2\n",
            ),
            (
                "proc/meminfo",
                "MemTotal: 4000000 kB\nMemAvailable: 2000000 kB\n",
            ),
        ]);
        if cfg!(target_arch = "x86_64") {
            assert_eq!(processor(root.path()).state, State::Note);
        }
        assert_eq!(memory(root.path()).state, State::Note);
        assert_eq!(cards(root.path()), []);
        assert!(graphics(&[], false).detail.contains("on the processor"));
    }
}
