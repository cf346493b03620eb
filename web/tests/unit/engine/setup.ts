// Before the tests: let Python make what the page is compared with, unless it has for this engine already.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../../..");
const SCRIPT = resolve(import.meta.dirname, "make_fixtures.py");
const SOURCES = [SCRIPT, "build/wasm/sandlot.wasm", "src/sandlot/lib/libsandlot.so", "src/sandlot/policies/export.py", "src/sandlot/runs/replays.py"];
const LIMIT_MS = 300_000;

export const FIXTURES = resolve(ROOT, "build/web_fixtures");

export default function setup(): void {
  if (upToDate()) return;
  const own = resolve(ROOT, ".venv/bin/python");
  const python = process.env.PYTHON ?? (existsSync(own) ? own : "python3");
  const fresh = `${FIXTURES}.${process.pid}`; // two runs at once do not read each other's halves
  mkdirSync(fresh, { recursive: true });
  try {
    execFileSync(python, [SCRIPT, fresh], { stdio: ["ignore", "inherit", "inherit"], timeout: LIMIT_MS, cwd: ROOT });
    writeFileSync(resolve(fresh, "stamp.txt"), stamp());
    rmSync(FIXTURES, { recursive: true, force: true });
    renameSync(fresh, FIXTURES);
  } catch (problem) {
    if (!upToDate()) throw problem; // else another run was quicker
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function upToDate(): boolean {
  const note = resolve(FIXTURES, "stamp.txt");
  return existsSync(note) && readFileSync(note, "utf8") === stamp();
}

/** Changes when something changes that the fixtures are made of. */
function stamp(): string {
  const files = SOURCES.map((file) => resolve(ROOT, file)).filter((file) => existsSync(file));
  return files.map((file) => `${file} ${statSync(file).mtimeMs}`).join("\n");
}
