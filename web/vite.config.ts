import react from "@vitejs/plugin-react";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin, Rolldown } from "vite";
import { defineConfig } from "vitest/config";

const ROOT = resolve(import.meta.dirname, "..");
const ENGINE = resolve(ROOT, "build/wasm/sandlot.wasm");
const API = process.env.SANDLOT_API ?? "http://127.0.0.1:8000";

/** Puts the engine's WebAssembly beside the page as /sandlot.wasm; it is built, never committed. */
function engineFile(): Plugin {
  return {
    name: "sandlot-engine-file",
    config() {
      if (!existsSync(ENGINE))
        throw new Error(`${ENGINE} is missing. Build it: .venv/bin/python engine/wasm/build.py (make web does).`);
      mkdirSync(resolve(import.meta.dirname, "public"), { recursive: true });
      copyFileSync(ENGINE, resolve(import.meta.dirname, "public/sandlot.wasm"));
    },
  };
}

const VIEW = /\/parts\/\w+\/ReplayView\.tsx$/;
type Bundle = Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>;

/** The built files of Watch, and of each game's picture, beyond those that index.html names itself. */
function piecesOf(bundle: Bundle): { page: string[]; games: Record<string, string[]> } {
  const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
  const chunksOf = (source: RegExp) => chunks.filter((chunk) => chunk.moduleIds.some((module) => source.test(module)));
  const named = withImports(bundle, chunks.filter((chunk) => chunk.isEntry));
  const page = withImports(bundle, chunksOf(/\/src\/(views\/watch\/index\.tsx|engine\/replay\.ts)$/));
  const games = chunksOf(VIEW).map((view) => {
    const game = view.moduleIds.find((module) => VIEW.test(module))?.split("/").at(-2) ?? "";
    return [game, without(withImports(bundle, [view]), page, named)] as const;
  });
  return { page: [...without(page, named), "sandlot.wasm"], games: Object.fromEntries(games) };
}

function without(files: ReadonlySet<string>, ...known: ReadonlySet<string>[]): string[] {
  return [...files].filter((file) => !known.some((each) => each.has(file)));
}

/** Chunks, all that they import, and their style sheets. */
function withImports(bundle: Bundle, chunks: readonly Rolldown.OutputChunk[]): Set<string> {
  const found = new Set<string>();
  const visit = (chunk: Rolldown.OutputChunk | Rolldown.OutputAsset | undefined): void => {
    if (chunk?.type !== "chunk" || found.has(chunk.fileName)) return;
    found.add(chunk.fileName);
    chunk.viteMetadata?.importedCss.forEach((file) => found.add(file));
    chunk.imports.forEach((name) => visit(bundle[name]));
  };
  chunks.forEach(visit);
  return found;
}

const EARLY = "<!-- early.js -->"; // before all style sheets: a script waits for those above it

/** Puts early.js into index.html, with the files that the first picture of Watch is made of. */
function earlyScript(): Plugin {
  let apiBase = "";
  return {
    name: "sandlot-early-script",
    configResolved(config) {
      apiBase = String(config.env.VITE_API_BASE ?? "").replace(/\/$/, "");
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const script = readFileSync(resolve(import.meta.dirname, "early.js"), "utf8")
          .replace(/^\/\/.*\n/gm, "")
          .replace("PIECES", () => JSON.stringify(piecesOf(bundle ?? {})))
          .replace("API_BASE", () => JSON.stringify(apiBase));
        return html.replace(EARLY, () => `<script>${script}</script>`);
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), engineFile(), earlyScript()],
  build: {
    outDir: resolve(ROOT, "src/sandlot/serve/site"),
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1000, // three.js is one honest piece; sizes are stated in docs/site.md
    rolldownOptions: {
      output: {
        // Libraries apart from our own code: a new release of the site leaves them in the visitor's cache.
        codeSplitting: {
          groups: [
            { name: "three", test: /node_modules[\\/]three[\\/]/ },
            { name: "react", test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/ },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: [ROOT] }, // engine/wasm/sandlot.mjs lies beside the C sources
    proxy: { "/api": API, "/health": API, "/ws": { target: API, ws: true } },
  },
  worker: { format: "es" },
  test: {
    include: ["tests/unit/**/*.test.ts", "tests/unit/**/*.test.tsx"],
    environment: "node",
    testTimeout: 60_000, // a deadline, not a measurement: build machines are busy
    globalSetup: "tests/unit/engine/setup.ts", // what Python says, for the engine's tests to agree with
  },
});
