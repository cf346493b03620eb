// The engine alone, built as the site is built.
import { copyFileSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vite";

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, "../../../..");
const PUBLIC = resolve(ROOT, "build/web_engine_public");

mkdirSync(PUBLIC, { recursive: true });
copyFileSync(resolve(ROOT, "build/wasm/sandlot.wasm"), resolve(PUBLIC, "sandlot.wasm"));

export default defineConfig({ root: HERE, publicDir: PUBLIC, build: { target: "es2022", emptyOutDir: true } });
