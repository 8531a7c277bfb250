// Builds four files of fixed names, each with the same by gzip beside it: the server embeds them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type Plugin, defineConfig } from "vite";

let folder = "";

const packed: Plugin = {
  name: "packed",
  configResolved(config) {
    folder = resolve(config.root, config.build.outDir);
  },
  closeBundle() {
    for (const name of readdirSync(folder).filter((name) => !name.endsWith(".gz"))) {
      const bytes = readFileSync(join(folder, name));
      writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
};

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        codeSplitting: false,
      },
    },
  },
  plugins: [packed],
});
