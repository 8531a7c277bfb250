use cart::{Cart, Item};

fn item(name: &str, cents: u64, quantity: u64) -> Item {
    Item {
        name: name.to_string(),
        cents,
        quantity,
    }
}

#[test]
fn an_empty_cart_costs_nothing() {
    assert_eq!(Cart::default().total(), 0);
}

#[test]
fn the_total_counts_quantities() {
    let mut cart = Cart::default();
    cart.add(item("pencil", 80, 12));
    cart.add(item("rubber", 150, 1));
    assert_eq!(cart.total(), 1110);
}
