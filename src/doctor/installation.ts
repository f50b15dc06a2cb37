import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { unlessMissing } from "../core/file-error.ts";
import type { Settings } from "../gate/settings/settings.ts";
import type { SecretFile } from "../gate/settings/sources.ts";
import type { DatabaseInspection } from "../stores/inspection.ts";
import type { PostgresInspection } from "../stores/postgres/inspect.ts";
import { inspectSqlite, type SqliteInspection } from "../stores/sqlite/inspect.ts";
import { type Site, visitSite } from "./site.ts";

/** The input of all checks. Data that several checks need is read once. */
export interface Installation {
  readonly settings: Settings;
  readonly secretFiles: readonly SecretFile[];
  /** The URL that browsers use, if it is known. */
  readonly url: URL | undefined;
  readonly now: () => number;
  database(): Promise<Database>;
  site(): Promise<Site | undefined>;
}

export type Database =
  | { readonly kind: "missing" }
  | { readonly kind: "sqlite"; readonly look: SqliteInspection }
  | { readonly kind: "postgres"; readonly hosts: readonly PostgresInspection[] };

export type InstallationParts = Pick<Installation, "settings" | "secretFiles" | "url" | "now">;

export function openInstallation(parts: InstallationParts): Installation {
  let database: Promise<Database> | undefined;
  let site: Promise<Site | undefined> | undefined;
  return {
    ...parts,
    database() {
      database ??= lookAtDatabase(parts.settings);
      return database;
    },
    site() {
      site ??=
        parts.url === undefined ? Promise.resolve(undefined) : visitSite(parts.url, parts.now);
      return site;
    },
  };
}

async function lookAtDatabase({ databaseUrl, databaseFile }: Settings): Promise<Database> {
  if (databaseUrl !== undefined) {
    // Loaded on demand: the driver takes longer to load than everything else.
    const { inspectPostgres } = await import("../stores/postgres/inspect.ts");
    return { kind: "postgres", hosts: await inspectPostgres(databaseUrl) };
  }
  // Throws if the file exists and cannot be read.
  const readable = access(databaseFile, constants.R_OK).then(() => "yes" as const);
  if ((await unlessMissing(readable)) === undefined) return { kind: "missing" };
  return { kind: "sqlite", look: await inspectSqlite(databaseFile) };
}

/** The database that the gate would use: of several hosts, the one that takes writes. */
export async function seenDatabase(
  installation: Installation,
): Promise<DatabaseInspection | "missing" | "unknown"> {
  const database = await installation.database().catch(() => undefined);
  switch (database?.kind) {
    case undefined:
      return "unknown";
    case "missing":
      return "missing";
    case "sqlite":
      return database.look.damage.length > 0 ? "unknown" : database.look;
    case "postgres":
      return database.hosts.find(isPrimary)?.database ?? "unknown";
  }
}

export type Answering = Extract<PostgresInspection, { kind: "answers" }>;

export const isPrimary = (look: PostgresInspection): look is Answering =>
  look.kind === "answers" && look.role === "primary";
