/// The title of a page in a line of its own.
pub fn heading(title: &str) -> String {
    format!("# {}\n", title.trim())
}
