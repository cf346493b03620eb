// Writes src/api/schema.d.ts from the server's own OpenAPI: npm run types
// With --check it writes nothing, and fails where the file is not what it would write.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const root = resolve(import.meta.dirname, "../..");
const inVenv = resolve(root, ".venv/bin/python");
const python = process.env.PYTHON ?? (existsSync(inVenv) ? inVenv : "python3");
const schema = JSON.parse(execFileSync(python, ["-m", "sandlot.serve.openapi"], { cwd: root, maxBuffer: 64 << 20 }).toString());
const types = astToString(await openapiTS(schema));
const head = "// Generated from the API by `npm run types`; do not edit.\n\n";
const file = resolve(root, "web/src/api/schema.d.ts");
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") === head + types) process.exit();
  console.error("web/src/api/schema.d.ts is older than the API that it describes. Write it again: npm run types, in web/.");
  process.exit(1);
}
writeFileSync(file, head + types);
console.log(`src/api/schema.d.ts: ${Object.keys(schema.paths).length} routes`);
