"""Notes in a file."""

import json


class NotesError(Exception):
    """What the user is told."""


def load(path):
    """The notes of a file, oldest first."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def add(path, text):
    """Adds a note."""
    notes = load(path)
    notes.append(text)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notes, file)
