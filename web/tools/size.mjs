// Prints what a visitor downloads, page by page: npm run size (after npm run build)
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const site = resolve(import.meta.dirname, "../../src/sandlot/serve/site");
const rows = readdirSync(site, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => {
    const path = resolve(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    return { name: path.slice(site.length + 1).replace(/-[\w-]{8}\./, "."), raw: bytes.length, packed: gzipSync(bytes).length };
  })
  .sort((a, b) => b.packed - a.packed);

const kB = (bytes) => (bytes / 1000).toFixed(1).padStart(9);
console.log(`${"file".padEnd(48)}${"kB".padStart(9)}${"kB gzip".padStart(9)}`);
for (const { name, raw, packed } of rows) console.log(`${name.padEnd(48)}${kB(raw)}${kB(packed)}`);
