//! Whether this machine runs on its battery, as the kernel tells.

use std::path::Path;

/// Where the kernel lists what gives power.
pub const SUPPLIES: &str = "/sys/class/power_supply";

/// Whether a battery is being emptied and nothing else gives power. What cannot be read gives none.
#[must_use]
pub fn is_on_battery(supplies: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(supplies) else {
        return false;
    };
    let read = |path: &Path, name: &str| {
        let text = std::fs::read_to_string(path.join(name));
        text.map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let mut is_emptied = false;
    for path in entries.flatten().map(|entry| entry.path()) {
        match read(&path, "type").as_str() {
            // A mouse or a headset has one as well.
            "Battery" => {
                let is_ours = read(&path, "scope") != "Device";
                is_emptied |= is_ours && read(&path, "status") == "Discharging";
            }
            _ if read(&path, "online") == "1" => return false,
            _ => {}
        }
    }
    is_emptied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(folder: &Path, name: &str, files: &[(&str, &str)]) {
        let path = folder.join(name);
        std::fs::create_dir_all(&path).unwrap();
        for (file, text) in files {
            std::fs::write(path.join(file), format!("{text}\n")).unwrap();
        }
    }

    #[test]
    fn a_battery_counts_where_nothing_else_gives_power() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(!is_on_battery(&folder.join("none")));
        assert!(!is_on_battery(folder));
        let mouse = [
            ("type", "Battery"),
            ("scope", "Device"),
            ("status", "Discharging"),
        ];
        supply(folder, "mouse", &mouse);
        assert!(!is_on_battery(folder));
        supply(
            folder,
            "BAT0",
            &[("type", "Battery"), ("status", "Discharging")],
        );
        assert!(is_on_battery(folder));
        supply(folder, "AC", &[("type", "Mains"), ("online", "0")]);
        assert!(is_on_battery(folder));
        supply(folder, "AC", &[("type", "Mains"), ("online", "1")]);
        assert!(!is_on_battery(folder));
        supply(folder, "AC", &[("type", "Mains"), ("online", "0")]);
        supply(
            folder,
            "BAT0",
            &[("type", "Battery"), ("status", "Charging")],
        );
        assert!(!is_on_battery(folder));
    }
}
