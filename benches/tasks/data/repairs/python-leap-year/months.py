"""How long the months are."""

DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    return year % 4 == 0


def days_in(year, month):
    """The days of a month, 1 to 12."""
    if month == 2 and is_leap(year):
        return 29
    return DAYS[month - 1]


def day_of_year(year, month, day):
    """1 on the first of January."""
    return sum(days_in(year, earlier) for earlier in range(1, month)) + day
