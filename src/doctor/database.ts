import { codeOf, Fault, messageOf } from "../core/fault.ts";
import { isDenied } from "../core/file-error.ts";
import { connectionFailure } from "../gate/https/http-request.ts";
import type { DatabaseInspection } from "../stores/inspection.ts";
import type { Creator, PostgresInspection } from "../stores/postgres/inspect.ts";
import { isSilentlyPlain } from "../stores/postgres/url.ts";
import type { SqliteInspection } from "../stores/sqlite/inspect.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, ok, orOk, problem } from "./finding.ts";
import { type Answering, type Database, type Installation, isPrimary } from "./installation.ts";

export const databaseCheck: Check = {
  name: "database",
  settings: ["DATA_DIR", "DATABASE_URL"],

  async look(installation) {
    const { databaseFile, databaseUrl } = installation.settings;
    const database = await readDatabase(installation);
    if ("found" in database) return [database];
    switch (database.kind) {
      case "missing":
        return [ok(`${databaseFile} is not there yet: the first start makes it`)];
      case "sqlite":
        return sqliteFindings(databaseFile, database.look);
      case "postgres":
        return postgresFindings(database.hosts, databaseUrl ?? "");
    }
  },
};

async function readDatabase(installation: Installation): Promise<Database | Finding> {
  const { databaseFile } = installation.settings;
  try {
    return await installation.database();
  } catch (error) {
    if (codeOf(error) === "database_unclosed") {
      return hint(
        `${databaseFile}-wal was left behind without its -shm, and cannot be read without changing something`,
        "start the gate, which takes in what is in it, and run this again",
      );
    }
    if (isDenied(error)) {
      return problem(
        `cannot read ${databaseFile}: permission denied`,
        "run this as the gate's user",
      );
    }
    const reason = messageOf(error);
    const remedy = error instanceof Fault ? "see what has it locked, and run this again" : RESTORE;
    return problem(`cannot use ${databaseFile}: ${reason}`, remedy);
  }
}

const RESTORE =
  "stop the gate and bring the latest backup back: latchkey restore keeps what is there now";

function sqliteFindings(file: string, look: SqliteInspection): readonly Finding[] {
  const [damage] = look.damage;
  if (damage !== undefined) return [problem(`${file} is damaged: ${damage}`, RESTORE)];
  const size = look.checked === "all" ? "whole" : "too large to be checked here";
  return orOk(
    [...schemaFindings(file, look), ...journalFindings(file, look)],
    `${file} is ${size}, with schema ${look.schema}${
      look.checked === "all" ? "" : "; latchkey backup checks the copy that it makes"
    }`,
  );
}

function schemaFindings(
  database: string,
  { schema, newestSchema }: DatabaseInspection,
): readonly Finding[] {
  if (schema > newestSchema) {
    return [
      problem(
        `${database} has schema ${schema}, and this Latchkey knows up to ${newestSchema}`,
        "install the newer Latchkey that it was used with",
      ),
    ];
  }
  if (schema === newestSchema || schema === 0) return [];
  return [
    hint(
      `${database} has schema ${schema}, and this Latchkey brings it to ${newestSchema} at its next start`,
      "make a backup, and restart the gate",
    ),
  ];
}

/** An interrupted first start leaves an empty file. */
function journalFindings(file: string, { journal, schema }: SqliteInspection): readonly Finding[] {
  if (schema === 0) {
    return [
      hint(
        `${file} has no tables of Latchkey`,
        "start the gate, which makes them; or see whether DATA_DIR is the right one",
      ),
    ];
  }
  if (journal === "wal") return [];
  return [
    hint(
      `${file} has no write-ahead log, so that reading and writing wait for each other`,
      "start the gate, which switches it on; where that does not help, the file system cannot have it",
    ),
  ];
}

function postgresFindings(hosts: readonly PostgresInspection[], url: string): readonly Finding[] {
  const primary = hosts.find(isPrimary);
  const silent = hosts.flatMap((look) =>
    silentFindings(look, primary === undefined ? problem : hint),
  );
  if (primary === undefined) return silent.length > 0 ? silent : [noPrimary(hosts)];
  const plain = primary.connection === "plain" && isSilentlyPlain(url) ? [PLAIN] : [];
  const made = primary.database.schema === 0 ? "no tables yet: the first start makes them" : "";
  return orOk(
    [
      ...silent,
      ...plain,
      ...schemaFindings(`the database at ${primary.host}`, primary.database),
      ...primary.creators.map(creatorFinding),
    ],
    `${namesOf(hosts)}, ${made || `schema ${primary.database.schema}`}`,
  );
}

const creatorFinding = ({ place, role }: Creator): Finding =>
  hint(
    `${role === "PUBLIC" ? "every role" : `the role ${role}`} can create objects in the ${
      place.startsWith("SCHEMA") ? "schema of Latchkey's tables" : "database of Latchkey"
    }, among them tables that a start could take for Latchkey's own`,
    `run REVOKE CREATE ON ${place} FROM ${role} as its owner, or give Latchkey a database of its own`,
  );

const namesOf = (hosts: readonly PostgresInspection[]): string =>
  hosts.flatMap((look) => (look.kind === "answers" ? [nameOf(look)] : [])).join(", ");

const nameOf = ({ host, version, role, connection }: Answering): string =>
  `PostgreSQL ${version} at ${host} is the ${role} (${connection === "socket" ? "by its socket" : connection})`;

/** `weigh` makes this a hint while another host takes writes. */
function silentFindings(look: PostgresInspection, weigh: typeof hint): readonly Finding[] {
  if (look.kind === "answers") return [];
  const found = `PostgreSQL at ${look.host} does not answer: ${connectionFailure(look.reason)}`;
  const remedy =
    "see whether it runs and takes connections from here, and whether DATABASE_URL has the right host, port, user, password and database";
  return [weigh(found, remedy)];
}

const noPrimary = (hosts: readonly PostgresInspection[]): Finding =>
  problem(
    `none of the hosts of DATABASE_URL takes writes: ${namesOf(hosts)}`,
    "promote a standby, or name the primary in DATABASE_URL as well",
  );

const PLAIN: Finding = hint(
  "the connection to PostgreSQL is not encrypted, and crosses a network",
  "add sslmode=verify-full to DATABASE_URL; or sslmode=disable, if that network is yours alone",
);
