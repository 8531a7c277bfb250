use crate::Item;

/// What is bought together.
#[derive(Debug, Default)]
pub struct Cart {
    items: Vec<Item>,
}

impl Cart {
    pub fn add(&mut self, item: Item) {
        self.items.push(item);
    }

    /// What all of it costs, cents.
    pub fn total(&self) -> u64 {
        self.items.iter().map(|item| item.cents).sum()
    }
}
