import unittest

from settings import parse, parse_line


class Settings(unittest.TestCase):
    def test_a_line_has_a_name_and_a_value(self):
        self.assertEqual(parse_line("host = example.org"), ("host", "example.org"))
        self.assertEqual(parse_line("port=8080  # behind the proxy"), ("port", "8080"))

    def test_empty_lines_and_remarks_are_no_settings(self):
        self.assertEqual(parse("\n# all\n  # of it\nport = 1\n"), {"port": "1"})

    def test_a_value_may_have_an_equals_sign(self):
        self.assertEqual(parse_line("query = a=1"), ("query", "a=1"))

    def test_a_value_in_quotes_stays_as_it_is(self):
        self.assertEqual(parse_line('password = "x=#1 "'), ("password", "x=#1 "))
        self.assertEqual(parse_line('password = "x#"  # old'), ("password", "x#"))


if __name__ == "__main__":
    unittest.main()
