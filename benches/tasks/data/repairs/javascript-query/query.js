/** The values of a query by name: `?q=tide&page=2`. */
export function parseQuery(text) {
    const values = {};
    for (const piece of text.replace(/^\?/, "").split("&")) {
        if (piece === "") {
            continue;
        }
        const [name, ...rest] = piece.split("=");
        values[name] = rest.join("=");
    }
    return values;
}
