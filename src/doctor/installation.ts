import { constants } from "node:fs";
import { access, lstat, stat } from "node:fs/promises";
import type { DatabaseContents } from "../db/inspection.ts";
import type { Place } from "../db/place.ts";
import type { PostgresInspection } from "../db/postgres/inspect.ts";
import { inspectSqlite, type SqliteInspection } from "../db/sqlite/inspect.ts";
import { unlessMissing } from "../files/file-error.ts";
import type { Settings } from "../gate/settings/settings.ts";
import type { SecretFile } from "../gate/settings/sources.ts";
import { type Visited, visitSite } from "./site.ts";

/** The input of a check that declares some settings. Data that several checks need is read once. */
export interface Installation<F extends keyof Settings = keyof Settings> {
  readonly settings: Pick<Settings, F>;
  readonly secretFiles: readonly SecretFile[];
  /** The URL that browsers use, if it is known. */
  readonly url: URL | undefined;
  readonly now: () => number;
  /** Takes the setting, so that only a check which declares it can read the database. */
  database(place: Place): Promise<InspectedDatabase>;
  site(): Promise<Visited | undefined>;
}

type InspectedDatabase =
  | { readonly kind: "missing" }
  /** A link to a file that does not exist. */
  | { readonly kind: "dangling" }
  | { readonly kind: "sqlite"; readonly inspection: SqliteInspection }
  | { readonly kind: "postgres"; readonly hosts: readonly PostgresInspection[] };

export function openInstallation(parts: Omit<Installation, "database" | "site">): Installation {
  const { url } = parts;
  let database: Promise<InspectedDatabase> | undefined;
  let site: Promise<Visited> | undefined;
  return {
    ...parts,
    database(place) {
      database ??= inspectDatabase(place);
      return database;
    },
    async site() {
      site ??= url && visitSite(url);
      return site;
    },
  };
}

async function inspectDatabase(place: Place): Promise<InspectedDatabase> {
  if (place.kind === "postgres") {
    // Loaded on demand: the driver takes longer to load than everything else.
    const { inspectPostgres } = await import("../db/postgres/inspect.ts");
    return { kind: "postgres", hosts: await inspectPostgres(place.url) };
  }
  const { file } = place;
  // Throws if the file exists and cannot be read.
  const readable = access(file, constants.R_OK).then(() => "yes" as const);
  if ((await unlessMissing(readable)) === undefined) {
    return { kind: (await isDangling(file)) ? "dangling" : "missing" };
  }
  return { kind: "sqlite", inspection: await inspectSqlite(file) };
}

/** Whether the path is a link to something that does not exist, such as on a disk that is not mounted. */
export async function isDangling(path: string): Promise<boolean> {
  const link = await unlessMissing(lstat(path));
  return link?.isSymbolicLink() === true && (await unlessMissing(stat(path))) === undefined;
}

const EMPTY: DatabaseContents = {
  hasUsers: false,
  hasSetupToken: false,
  hasAdmin: false,
  codes: [],
};

/** What the gate's database contains, or `undefined` if it cannot be read. */
export async function contentsOf({
  settings,
  database,
}: Installation<"database">): Promise<DatabaseContents | undefined> {
  const found = await database(settings.database).catch(() => undefined);
  if (found?.kind === "missing") return EMPTY;
  if (found?.kind === "dangling") return undefined;
  if (found?.kind === "sqlite" && found.inspection.damage.length > 0) return undefined;
  const inspection =
    found?.kind === "sqlite" ? found.inspection : found?.hosts.find(isPrimary)?.database;
  if (inspection?.difference !== undefined) return undefined;
  return inspection?.schema === 0 ? EMPTY : inspection?.contents;
}

export const isPrimary = (
  host: PostgresInspection,
): host is Extract<PostgresInspection, { kind: "answers" }> =>
  host.kind === "answers" && host.role === "primary";
