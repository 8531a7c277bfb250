/// How many pages a listing has.
pub fn page_count(entries: usize, per_page: usize) -> usize {
    entries / per_page
}

/// The entries of a page, counted from 1; none behind the last page.
pub fn page<T>(entries: &[T], number: usize, per_page: usize) -> &[T] {
    if number == 0 || number > page_count(entries.len(), per_page) {
        return &[];
    }
    let first = (number - 1) * per_page;
    let end = entries.len().min(first + per_page);
    &entries[first..end]
}
