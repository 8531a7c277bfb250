"""Settings, one in a line: name = value  # remark"""


def parse_line(line):
    """The name and the value of a line; None for an empty one."""
    line = line.split("#")[0].strip()
    if not line:
        return None
    parts = line.split("=")
    return parts[0].strip(), parts[1].strip()


def parse(text):
    """All settings of a text."""
    pairs = (parse_line(line) for line in text.splitlines())
    return dict(pair for pair in pairs if pair)
