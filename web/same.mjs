// Whether `web/dist` is what these sources build: run after a change, and by `cargo xtask test`.
// What gzip makes of a file is another thing in each version of Node, so it is unpacked first.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { build } from "vite";

const folder = mkdtempSync(join(tmpdir(), "page-"));
const dist = join(import.meta.dirname, "dist");
try {
  await build({ root: import.meta.dirname, logLevel: "error", build: { outDir: folder } });
  const read = (place, name) => {
    const bytes = readFileSync(join(place, name));
    return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  };
  const [committed, built] = [dist, folder].map((place) => readdirSync(place).sort());
  const names = [...new Set([...committed, ...built])];
  const isOther = (name) =>
    !committed.includes(name) ||
    !built.includes(name) ||
    !read(dist, name).equals(read(folder, name));
  const others = names.filter(isOther);
  const packed = committed.filter((name) => name.endsWith(".gz"));
  const bytes = packed.reduce((sum, name) => sum + readFileSync(join(dist, name)).length, 0);
  const MOST = 150_000;
  if (others.length > 0) {
    console.error(`web/dist is not what web/ builds: ${others.join(", ")}. Run: npm run build`);
    process.exitCode = 1;
  } else if (bytes > MOST) {
    console.error(`the page has ${bytes} bytes by gzip, and may have ${MOST}`);
    process.exitCode = 1;
  } else {
    console.log(`web/dist is what web/ builds: ${bytes} bytes by gzip`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
