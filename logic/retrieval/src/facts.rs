//! Facts in a text, by rule: short statements that stand on their own and point back to it.
