/// Something that is bought.
#[derive(Debug, Clone)]
pub struct Item {
    pub name: String,
    pub cents: u64,
}
