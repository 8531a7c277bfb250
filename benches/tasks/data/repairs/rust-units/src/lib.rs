#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Millilitre,
    Litre,
    Teaspoon,
}

impl Unit {
    /// The unit that a recipe writes so.
    pub fn named(name: &str) -> Option<Unit> {
        match name {
            "ml" => Some(Unit::Millilitre),
            "l" => Some(Unit::Litre),
            "tsp" => Some(Unit::Teaspoon),
            _ => None,
        }
    }

    /// Its size in millilitres.
    pub fn millilitres(self) -> u32 {
        match self {
            Unit::Millilitre => 1,
            Unit::Litre => 1000,
            Unit::Teaspoon => 5,
        }
    }
}

/// What `2 tsp` is in millilitres.
pub fn to_millilitres(amount: &str) -> Option<u32> {
    let (number, unit) = amount.split_once(' ')?;
    let number: u32 = number.parse().ok()?;
    Some(number * Unit::named(unit)?.millilitres())
}
