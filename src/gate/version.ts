import { readFileSync } from "node:fs";

export function version(): string {
  const text = readFileSync(new URL(import.meta.resolve("latchkey/package.json")), "utf8");
  return String(JSON.parse(text).version);
}
