import react from "@vitejs/plugin-react";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin } from "vite";
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

export default defineConfig({
  plugins: [react(), engineFile()],
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
