pub mod report;
pub mod text;
