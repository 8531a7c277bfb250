import unittest

from usage import usage

EXPECTED = """\
Usage: notes COMMAND

    add TEXT     keep a note
    list         print the notes of today
    list --all   print all notes
    drop NUMBER  remove a note

Notes are kept in notes.json, a note that is dropped
in dropped.json.
"""


class Usage(unittest.TestCase):
    def test_every_command_is_named(self):
        self.assertEqual(usage(), EXPECTED)

    def test_the_program_may_have_another_name(self):
        self.assertIn("Usage: n COMMAND\n", usage("n"))


if __name__ == "__main__":
    unittest.main()
