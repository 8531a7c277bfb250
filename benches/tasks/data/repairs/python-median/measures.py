"""Measures of a list of numbers."""


def median(numbers):
    """The number in the middle; the mean of the two there if there are two."""
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) // 2


def spread(numbers):
    """How far the largest is from the smallest."""
    return max(numbers) - min(numbers)
