import shop
from receipt import receipt


def test_prices_are_summed_up():
    assert shop.total_cents([("tea", 499), ("cup", 1250)]) == 1749
    assert shop.total_cents([]) == 0


def test_the_old_name_is_gone():
    assert not hasattr(shop, "sum_up")


def test_a_receipt_has_a_total():
    lines = receipt([("tea", 499), ("pot", 4501)]).splitlines()
    assert lines == [
        "tea           4.99",
        "pot          45.01",
        "total        50.00",
        "delivered free of charge",
    ]
