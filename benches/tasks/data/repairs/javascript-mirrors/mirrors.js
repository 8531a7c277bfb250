/** What the first mirror has under a path. `load` gives null for what is not there. */
export async function download(mirrors, path, load) {
    for (const mirror of mirrors) {
        const bytes = await load(mirror + path);
        if (bytes !== null) {
            return bytes;
        }
    }
    throw new Error(`no mirror has ${path}`);
}
