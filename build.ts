/** Makes `dist`: JavaScript and types for those who install the package. A checkout runs from `src`. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

rmSync(here("dist"), { recursive: true, force: true });
execFileSync(
  process.execPath,
  [here("node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"],
  {
    cwd: here("."),
    stdio: "inherit",
  },
);
cpSync(here("src/web/pages/templates"), here("dist/web/pages/templates"), { recursive: true });
chmodSync(here("dist/cli/main.js"), 0o755);
