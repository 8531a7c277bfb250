import unittest

import invoice


class Invoice(unittest.TestCase):
    def test_most_goods_have_the_standard_tax(self):
        self.assertEqual(invoice.gross(10000), 11900)
        self.assertEqual(invoice.line("lamp", 2500), "lamp: 29.75 EUR")

    def test_books_have_seven_percent(self):
        self.assertEqual(invoice.gross(10000, "reduced"), 10700)
        self.assertEqual(invoice.line("atlas", 3000, "reduced"), "atlas: 32.10 EUR")

    def test_two_weeks_are_left_to_pay(self):
        self.assertEqual(invoice.load_settings()["payable_days"], 14)


if __name__ == "__main__":
    unittest.main()
