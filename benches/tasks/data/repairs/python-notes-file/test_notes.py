import tempfile
import unittest
from pathlib import Path

import notes


class Notes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "notes.json"

    def test_notes_are_kept(self):
        self.path.write_text('["call Ann"]', encoding="utf-8")
        notes.add(self.path, "pay rent")
        self.assertEqual(notes.load(self.path), ["call Ann", "pay rent"])

    def test_without_a_file_there_are_none(self):
        self.assertEqual(notes.load(self.path), [])
        notes.add(self.path, "first")
        self.assertEqual(notes.load(self.path), ["first"])

    def test_a_damaged_file_is_named_and_left_as_it_is(self):
        self.path.write_text('["call Ann"', encoding="utf-8")
        with self.assertRaisesRegex(notes.NotesError, "notes.json"):
            notes.add(self.path, "pay rent")
        self.assertEqual(self.path.read_text(encoding="utf-8"), '["call Ann"')


if __name__ == "__main__":
    unittest.main()
