"""What `notes --help` prints."""

USAGE = """\
Usage: notes COMMAND

    add TEXT     keep a note
    show         print the notes of today

Notes are kept in notes.json.
"""


def usage(name="notes"):
    return USAGE.replace("notes COMMAND", f"{name} COMMAND")
