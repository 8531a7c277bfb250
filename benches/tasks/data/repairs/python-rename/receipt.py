"""The receipt of a purchase."""

import shop


def receipt(items):
    lines = [f"{name:<10}{cents / 100:>8.2f}" for name, cents in items]
    total = shop.sum_up(items)
    lines.append(f"{'total':<10}{total / 100:>8.2f}")
    if total >= shop.FREE_DELIVERY_CENTS:
        lines.append("delivered free of charge")
    return "\n".join(lines)
