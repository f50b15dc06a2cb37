import { constants } from "node:fs";
import { access, lstat, stat } from "node:fs/promises";
import type { DatabaseContents } from "../db/inspection.ts";
import type { DatabaseLocation } from "../db/location.ts";
import type { PostgresInspection } from "../db/postgres/inspect.ts";
import { inspectSqlite, type SqliteInspection } from "../db/sqlite/inspect.ts";
import type { Settings } from "../gate/settings/settings.ts";
import type { SecretFile } from "../gate/settings/sources.ts";
import { ignoreMissing } from "../lib/files/file-error.ts";
import { type SiteVisit, visitSite } from "./visit-site.ts";

/**
 * Contains the input of a check that declares some settings. Data that several checks need is read
 * once.
 */
export interface Installation<F extends keyof Settings = keyof Settings> {
  readonly settings: Pick<Settings, F>;
  readonly secretFiles: readonly SecretFile[];
  /** Contains the URL that browsers use, if it is known. */
  readonly url: URL | undefined;
  readonly now: () => number;
  /** Takes the setting, so that only a check that declares it can read the database. */
  inspectDatabase(location: DatabaseLocation): Promise<InspectedDatabase>;
  visitSite(): Promise<SiteVisit | undefined>;
}

type InspectedDatabase =
  | { readonly kind: "missing" }
  /** The database is a link to a file that does not exist. */
  | { readonly kind: "dangling" }
  | { readonly kind: "sqlite"; readonly inspection: SqliteInspection }
  | { readonly kind: "postgres"; readonly hosts: readonly PostgresInspection[] };

export function openInstallation(
  parts: Omit<Installation, "inspectDatabase" | "visitSite">,
): Installation {
  const { url } = parts;
  let database: Promise<InspectedDatabase> | undefined;
  let site: Promise<SiteVisit> | undefined;
  return {
    ...parts,
    inspectDatabase(location) {
      database ??= inspectDatabase(location);
      return database;
    },
    async visitSite() {
      site ??= url && visitSite(url);
      return site;
    },
  };
}

async function inspectDatabase(location: DatabaseLocation): Promise<InspectedDatabase> {
  if (location.kind === "postgres") {
    // The driver is loaded on demand, because loading it takes longer than everything else.
    const { inspectPostgres } = await import("../db/postgres/inspect.ts");
    return { kind: "postgres", hosts: await inspectPostgres(location.url) };
  }
  const { file } = location;
  // The check throws if the file exists and cannot be read.
  const readable = access(file, constants.R_OK).then(() => "yes" as const);
  if ((await ignoreMissing(readable)) === undefined) {
    return { kind: (await isDangling(file)) ? "dangling" : "missing" };
  }
  return { kind: "sqlite", inspection: await inspectSqlite(file) };
}

/**
 * Returns whether the path is a link to a missing file, for example on a disk that is not mounted.
 */
export async function isDangling(path: string): Promise<boolean> {
  const link = await ignoreMissing(lstat(path));
  return link?.isSymbolicLink() === true && (await ignoreMissing(stat(path))) === undefined;
}

const EMPTY: DatabaseContents = {
  hasUsers: false,
  hasSetupToken: false,
  hasAdmin: false,
  codes: [],
};

/** Resolves to the contents of the gate's database, or `undefined` if it cannot be read. */
export async function readContents({
  settings,
  inspectDatabase: database,
}: Installation<"database">): Promise<DatabaseContents | undefined> {
  const inspected = await database(settings.database).catch(() => undefined);
  if (inspected?.kind === "missing") return EMPTY;
  if (inspected?.kind === "dangling") return undefined;
  if (inspected?.kind === "sqlite" && inspected.inspection.damage.length > 0) return undefined;
  const inspection =
    inspected?.kind === "sqlite"
      ? inspected.inspection
      : inspected?.hosts.find(isPrimary)?.database;
  if (inspection?.difference !== undefined) return undefined;
  return inspection?.schema === 0 ? EMPTY : inspection?.contents;
}

export const isPrimary = (
  host: PostgresInspection,
): host is Extract<PostgresInspection, { kind: "answers" }> =>
  host.kind === "answers" && host.role === "primary";
