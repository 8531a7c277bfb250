import unittest

from months import day_of_year, days_in


class Months(unittest.TestCase):
    def test_most_months_are_the_same_each_year(self):
        self.assertEqual(days_in(2025, 1), 31)
        self.assertEqual(days_in(2024, 11), 30)

    def test_february_is_longer_every_fourth_year(self):
        self.assertEqual(days_in(2024, 2), 29)
        self.assertEqual(days_in(2023, 2), 28)

    def test_centuries_are_no_leap_years_but_every_fourth(self):
        self.assertEqual(days_in(1900, 2), 28)
        self.assertEqual(days_in(2100, 2), 28)
        self.assertEqual(days_in(2000, 2), 29)

    def test_days_are_counted_from_new_year(self):
        self.assertEqual(day_of_year(2024, 3, 1), 61)
        self.assertEqual(day_of_year(1900, 12, 31), 365)


if __name__ == "__main__":
    unittest.main()
