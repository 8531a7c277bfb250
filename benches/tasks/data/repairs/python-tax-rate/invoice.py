"""What an invoice comes to."""

import json
from pathlib import Path

SETTINGS = Path(__file__).with_name("settings.json")


def load_settings():
    return json.loads(SETTINGS.read_text(encoding="utf-8"))


def gross(cents, kind="standard"):
    """The price with tax, in whole cents."""
    rate = load_settings()["tax"][kind]
    return round(cents * (1 + rate))


def line(name, cents, kind="standard"):
    currency = load_settings()["currency"]
    return f"{name}: {gross(cents, kind) / 100:.2f} {currency}"
