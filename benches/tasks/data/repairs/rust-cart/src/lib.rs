mod cart;
mod item;

pub use cart::Cart;
pub use item::Item;
