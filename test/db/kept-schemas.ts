import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The dumps of released schemas, by version: each file is named after it and its SHA-256. */
export function keptSchemas(
  kind: "sqlite" | "postgres",
): readonly { readonly file: string; readonly sql: string }[] {
  const folder = join(import.meta.dirname, "schemas", kind);
  const files = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  return files.map((file) => ({ file, sql: readFileSync(join(folder, file), "utf8") }));
}
