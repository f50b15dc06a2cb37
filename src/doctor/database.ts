import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DatabaseInspection } from "../db/inspection.ts";
import type { PostgresInspection } from "../db/postgres/inspect.ts";
import { NEWEST_SCHEMA } from "../db/schema.ts";
import { getFileId } from "../db/sqlite/file.ts";
import type { SqliteInspection } from "../db/sqlite/inspect.ts";
import { explainNetworkError } from "../gate/https/http-request.ts";
import { Fault, getErrorCode, getErrorMessage } from "../lib/fault.ts";
import { isDenied } from "../lib/files/file-error.ts";
import {
  type Check,
  collectFindings,
  createCheck,
  type Finding,
  type Findings,
  hint,
  ok,
  problem,
} from "./check.ts";
import { isPrimary } from "./installation.ts";

export const checkDatabase: Check = createCheck("database", ["database"], async (installation) => {
  const location = installation.settings.database;
  const name = location.kind === "sqlite" ? location.file : "the database of DATABASE_URL";
  try {
    const inspection = await installation.inspectDatabase(location);
    if (inspection.kind === "postgres") return reportPostgres(inspection.hosts);
    if (inspection.kind === "sqlite") return reportSqlite(name, inspection.inspection);
    if (inspection.kind === "dangling") {
      return problem(
        `${name} is a link to a file that does not exist`,
        `mount the disk, or restore the file, that readlink ${name} prints; without it, the gate starts without accounts`,
      );
    }
    return ok(`${name} does not exist yet: the gate creates it at its first start`);
  } catch (error) {
    return reportUnreadable(name, error);
  }
});

function reportUnreadable(file: string, error: unknown): Finding {
  if (isDenied(error) || getErrorCode(error) === "database_unreadable") {
    return problem(`cannot read ${file}: permission denied`, "run this as the gate's user");
  }
  const unlock = "find out which program has locked it, and run this again";
  return problem(
    `cannot use ${file}: ${getErrorMessage(error)}`,
    error instanceof Fault ? unlock : RESTORE,
  );
}

const RESTORE = "stop the gate and run latchkey restore, which keeps the current file";

function reportSqlite(file: string, inspection: SqliteInspection): Findings {
  const { damage, difference, checked, schema } = inspection;
  if (damage[0] !== undefined) return problem(`${file} is damaged: ${damage[0]}`, RESTORE);
  // An interrupted first start leaves an empty file.
  if (schema === 0 && difference === undefined) {
    return hint(
      `${file} has no tables of Latchkey`,
      "start the gate, which creates them, or correct DATA_DIR or DATABASE_URL",
    );
  }
  return collectFindings(
    [reportSchema(file, inspection, RESTORE)],
    checked === "all"
      ? `${file} is intact and has schema ${schema}`
      : `${file} has schema ${schema} and is too large to be checked here; latchkey backup checks its copy`,
  );
}

function reportSchema(
  database: string,
  { schema, difference }: DatabaseInspection,
  restore: string,
): Finding | undefined {
  if (difference !== undefined) {
    return problem(`${database} has a foreign schema: ${difference}`, restore);
  }
  if (schema > NEWEST_SCHEMA) {
    return problem(
      `${database} has schema ${schema}, but this Latchkey knows schemas up to ${NEWEST_SCHEMA}`,
      "install the newer Latchkey that has migrated it",
    );
  }
  if (schema === NEWEST_SCHEMA || schema === 0) return undefined;
  return hint(
    `${database} has schema ${schema}: the next start of the gate migrates it to ${NEWEST_SCHEMA}`,
    "make a backup, and restart the gate",
  );
}

function reportPostgres(hosts: readonly PostgresInspection[]): Findings {
  const primary = hosts.find(isPrimary);
  const silent = hosts
    .filter((host) => host.kind === "silent")
    .map(({ host, reason }) =>
      (primary === undefined ? problem : hint)(
        `PostgreSQL at ${host} does not answer: ${explainNetworkError(reason)}`,
        "check that it runs and accepts connections from here, and that DATABASE_URL has the right host, port, user, password and database",
      ),
    );
  const names = hosts
    .filter((host) => host.kind === "answers")
    .map(({ host, version, role, connection }) => {
      const how = connection === "socket" ? "through its socket" : connection;
      return `PostgreSQL ${version} at ${host} is the ${role} (${how})`;
    })
    .join(", ");
  if (primary === undefined) {
    const noPrimary = problem(
      `no host of DATABASE_URL accepts writes: ${names}`,
      "promote a standby, or add the primary to DATABASE_URL",
    );
    return silent.length > 0 ? silent : noPrimary;
  }
  const { host, database, missing, creators, aheadMs, isReadOnly, denied } = primary;
  const restore = "restore a dump that you trust into an empty database";
  return collectFindings(
    [
      ...silent,
      reportSplit(hosts.filter(isPrimary)),
      reportClock(host, aheadMs),
      reportSchema(`the database at ${host}`, database, restore),
      isReadOnly &&
        problem(
          `the database at ${host} is read-only for this role: default_transaction_read_only is on`,
          "run ALTER ROLE … or ALTER DATABASE … RESET default_transaction_read_only as their owner, and restart the gate",
        ),
      denied.length > 0 &&
        problem(
          `the role may not read and write ${denied.join(", ")} at ${host}`,
          "run GRANT SELECT, INSERT, UPDATE, DELETE on them as their owner, or make the role of DATABASE_URL their owner",
        ),
      ...missing.map(({ part, repair }) =>
        problem(
          `the database at ${host} lacks ${part}`,
          repair === undefined ? restore : `run ${repair} as the owner of the tables`,
        ),
      ),
      ...creators.map(reportCreator),
    ],
    `${names}, ${database.schema === 0 ? "no tables yet: the gate creates them at its first start" : `schema ${database.schema}`}`,
  );
}

/** Reports several primary servers. Two names of the same server have the same start time. */
function reportSplit(
  primaries: readonly { readonly host: string; readonly startedAt: string | undefined }[],
): Finding | undefined {
  const starts = new Set(primaries.map(({ startedAt }) => startedAt));
  if (starts.size <= 1) return undefined;
  const names = primaries.map(({ host }) => host).join(" and ");
  return problem(
    `${names} both accept writes: accounts, sessions and their ends are on one of them only`,
    "stop the one that is not the primary, make it a standby of the other, and see which changes it has that the other lacks",
  );
}

function reportClock(host: string, aheadMs: number): Finding | undefined {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (seconds < 30) return undefined;
  const direction = aheadMs > 0 ? "behind" : "ahead of";
  return (seconds < 300 ? hint : problem)(
    `this machine's clock is ${seconds} seconds ${direction} that of the database at ${host}`,
    "run timedatectl on both machines, and turn on time synchronization where it is off",
  );
}

function reportCreator({ target, role }: { readonly target: string; readonly role: string }) {
  const who = role === "PUBLIC" ? "every role" : `the role ${role}`;
  const where = target.startsWith("SCHEMA") ? "schema of Latchkey's tables" : "database";
  return hint(
    `${who} can create objects in the ${where}, including tables that the gate could mistake for its own`,
    `run REVOKE CREATE ON ${target} FROM ${role} as its owner, or give Latchkey a separate database`,
  );
}

const PARTIAL = /\.partial(-wal|-shm|-journal)?$/;
const REPLACED = /\.replaced-[\dTZ-]+?(-wal|-shm|-journal)?$/;

/**
 * Finds databases that `latchkey restore` has kept, and files that a killed backup or restore has
 * left.
 */
export const checkLeftovers: Check = createCheck(
  "leftovers",
  ["database"],
  async ({ settings }) => {
    if (settings.database.kind === "postgres") return undefined;
    const { file } = settings.database;
    const names = await readdir(dirname(file)).catch(() => []);
    const beside = names
      .filter((name) => name.startsWith(`${basename(file)}.`))
      .map((name) => join(dirname(file), name));

    const replaced = beside.filter((path) => REPLACED.test(path));
    const second = replaced.filter((path) => getFileId(path) === getFileId(file));
    // The database still has its own name, so its log has been moved away from it.
    const moved = replaced.filter((path) =>
      second.some((replacedFile) => path.startsWith(`${replacedFile}-`)),
    );
    const killed = [...beside.filter((path) => PARTIAL.test(path)), ...second].join(" ");
    const kept = replaced.filter((path) => ![...second, ...moved].includes(path)).join(" ");
    const killedFinding = hint(
      `a backup or restore that was killed has left ${killed}`,
      `while the gate is stopped and no backup or restore runs: rm ${killed}`,
    );
    const keptFinding = hint(
      `a restore has kept the database that it replaced: ${kept}`,
      `once you no longer need it: rm ${kept}`,
    );
    return [
      ...moved.map((path) => reportMovedFile(file, path)),
      ...(killed === "" ? [] : [killedFinding]),
      ...(kept === "" ? [] : [keptFinding]),
    ];
  },
);

function reportMovedFile(file: string, path: string): Finding {
  const [suffix] = /-\w+$/.exec(path) ?? [""];
  return problem(
    `a restore that was killed has moved ${file}${suffix} to ${path}: the newest changes are missing`,
    `if the gate has not written to the database since, stop it and run mv -n ${path} ${file}${suffix}; otherwise restore a backup`,
  );
}
