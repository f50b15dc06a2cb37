/** Builds the package in the current directory into `dist`. A checkout runs from `src`, unbuilt. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TSC = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const TEMPLATES = "src/web/pages/templates";

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (existsSync(TEMPLATES)) cpSync(TEMPLATES, TEMPLATES.replace("src", "dist"), { recursive: true });
const { bin } = JSON.parse(readFileSync("package.json", "utf8"));
for (const file of Object.values<string>(bin)) chmodSync(file, 0o755);
