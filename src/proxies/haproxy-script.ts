import { readFileSync } from "node:fs";

/**
 * Reads the script that asks the gate, for `/etc/haproxy/latchkey.lua`. The single-file executable
 * contains the script: `scripts/release/executable.ts` replaces this module.
 */
export const readHaproxyScript = (): string =>
  readFileSync(new URL("latchkey.lua", import.meta.url), "utf8");
