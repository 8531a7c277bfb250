"""What things cost."""

FREE_DELIVERY_CENTS = 5000


def sum_up(items):
    """What the items cost together, in cents."""
    return sum(cents for _, cents in items)
