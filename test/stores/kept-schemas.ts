import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface KeptSchema {
  /** Its version and the start of its SHA-256. */
  readonly file: string;
  readonly sql: string;
}

/** The dumps of released schemas, by version. */
export function keptSchemas(kind: "sqlite" | "postgres"): readonly KeptSchema[] {
  const folder = join(import.meta.dirname, "schemas", kind);
  const files = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  return files.map((file) => ({ file, sql: readFileSync(join(folder, file), "utf8") }));
}
