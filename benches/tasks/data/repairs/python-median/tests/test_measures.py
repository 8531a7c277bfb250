import pytest

from measures import median, spread


@pytest.mark.parametrize(
    "numbers, expected",
    [
        ([3], 3),
        ([5, 1, 3], 3),
        ([1, 2], 1.5),
        ([4, 1, 10, 7], 5.5),
        ([2, 2, 4, 4], 3),
    ],
)
def test_median(numbers, expected):
    assert median(numbers) == expected


def test_spread():
    assert spread([4, -1, 10]) == 11
