// Writes src/api/schema.d.ts from the server's own OpenAPI: npm run types
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const root = resolve(import.meta.dirname, "../..");
const inVenv = resolve(root, ".venv/bin/python");
const python = existsSync(inVenv) ? inVenv : "python3";
const schema = JSON.parse(execFileSync(python, ["-m", "sandlot.serve.openapi"], { cwd: root, maxBuffer: 64 << 20 }).toString());
const types = astToString(await openapiTS(schema));
const head = "// Generated from the API by `npm run types`; do not edit.\n\n";
writeFileSync(resolve(root, "web/src/api/schema.d.ts"), head + types);
console.log(`src/api/schema.d.ts: ${Object.keys(schema.paths).length} routes`);
