import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openPostgres as openStore } from "../../src/db/postgres/store.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { type Row, runSql } from "./postgres-admin.ts";
import { type Account, postgresAccount, postgresBinaries } from "./postgres-binaries.ts";
import { type GuardedFolder, guardedFolder, type Medium } from "./postgres-folder.ts";
import { run } from "./postgres-run.ts";
import { type Ending, type Server, type Settings, serverIn } from "./postgres-server.ts";

/** A running server, as its clients see it. */
export interface PostgresAccess {
  readonly host: string;
  readonly port: number;
  /** The folder of its Unix socket. */
  readonly socketFolder: string;
  /** As a superuser, of the database given. */
  url(database?: string): string;
  sql(text: string, database?: string): Promise<readonly Row[]>;
  /** Creates an empty database and returns its name. */
  createDatabase(): Promise<string>;
  /** Creates an empty database and returns its URL. */
  newDatabase(): Promise<string>;
  /** The same with the tables of a store, as a copy: creating them takes four times as long. */
  newStoreDatabase(): Promise<string>;
}

/** A server that the caller may stop, change and break. */
export interface Postgres extends PostgresAccess {
  stop(how?: Ending): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Suspends every process of the server: connections stay open without answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  close(): Promise<void>;
}

export interface Standby extends Postgres {
  /** Resolves once it has replayed what the primary had written at the call. */
  catchUp(): Promise<void>;
  /** Promotes it to primary. Resolves when it accepts writes. */
  promote(): Promise<void>;
}

interface Parts {
  readonly account: Account;
  readonly folder: GuardedFolder;
  readonly bin: string;
  readonly server: Server;
}

const HOST = "127.0.0.1";
const SUPERUSER = "postgres";

/** Fast instead of durable, since test data need not survive a crash of the machine. */
const SETTINGS: Settings = {
  fsync: "off",
  shared_buffers: "16MB",
  max_connections: 200,
  io_method: "sync",
  listen_addresses: HOST,
  log_line_prefix: "%m [%p] ",
};

/** A PostgreSQL server for one test on a free port, removed after the test. */
export async function startPostgres(t: TestContext, settings: Settings = {}): Promise<Postgres> {
  const postgres = await openPostgres(settings);
  t.after(() => postgres.close());
  return postgres;
}

/** The same, for callers that close it themselves. */
export async function openPostgres(
  settings: Settings = {},
  medium: Medium = "disk",
): Promise<Postgres> {
  const parts = await makeParts(medium);
  try {
    await run(join(parts.bin, "initdb"), initdbArgs(parts), parts.folder.path, parts.account);
    return await startIn(parts, settings);
  } catch (error) {
    await parts.folder.remove();
    throw error;
  }
}

/** Follows the primary, which is down for a moment while its folder is copied. */
export async function startStandby(t: TestContext, primary: Postgres): Promise<Standby> {
  const parts = await makeParts("disk");
  t.after(() => parts.server.stop("immediate").then(() => parts.folder.remove()));
  const data = join(parts.folder.path, "data");
  await primary.stop();
  await run("cp", ["-R", join(primary.socketFolder, "data"), data], "/", parts.account);
  await primary.start();
  await writeFile(join(data, "standby.signal"), "");
  const standby = await startIn(parts, {
    primary_conninfo: `host=${primary.host} port=${primary.port} user=${SUPERUSER}`,
  });
  return {
    ...standby,
    async catchUp() {
      const [row] = await primary.sql("SELECT pg_current_wal_lsn() AS at");
      const behind = `SELECT pg_last_wal_replay_lsn() >= '${row?.at}' AS reached`;
      await eventually(async () => (await standby.sql(behind))[0]?.reached === true || undefined);
    },
    async promote() {
      const args = ["promote", "--wait", "--timeout=20", "-D", data];
      await run(join(parts.bin, "pg_ctl"), args, parts.folder.path, parts.account);
    },
  };
}

async function makeParts(medium: Medium): Promise<Parts> {
  const account = postgresAccount();
  const folder = await guardedFolder(account, medium);
  const bin = await postgresBinaries(folder.path, account);
  return { account, folder, bin, server: serverIn(folder, bin, account) };
}

function initdbArgs({ folder }: Parts): readonly string[] {
  return [
    ...["-D", join(folder.path, "data"), "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8"],
    ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    ...["--no-sync", "--no-instructions", "--wal-segsize=1"],
  ];
}

async function startIn({ folder, server }: Parts, settings: Settings): Promise<Postgres> {
  const port = await freePort(HOST);
  const all = { ...SETTINGS, unix_socket_directories: folder.path, port, ...settings };
  await server.start(all);
  return {
    ...postgresAt(port, folder.path),
    stop: (how = "fast") => server.stop(how),
    start: () => server.start(all),
    freeze: () => server.signal("SIGSTOP"),
    thaw: () => server.signal("SIGCONT"),
    async close() {
      await server.stop("immediate");
      await folder.remove();
    },
  };
}

/** Access to a server that runs on this machine. */
export function postgresAt(port: number, socketFolder: string): PostgresAccess {
  const url = (database = "postgres") => `postgres://${SUPERUSER}@${HOST}:${port}/${database}`;
  const sql = (text: string, database?: string) => runSql(url(database), text);
  const createDatabase = async (template = "template1"): Promise<string> => {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await sql(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    return name;
  };
  const createTemplate = async (): Promise<string> => {
    const name = await createDatabase();
    await (await openStore({ url: url(name) })).close();
    return name;
  };
  let template: Promise<string> | undefined;
  return {
    host: HOST,
    port,
    socketFolder,
    url,
    sql,
    createDatabase: () => createDatabase(),
    newDatabase: async () => url(await createDatabase()),
    async newStoreDatabase() {
      template ??= createTemplate();
      return url(await createDatabase(await template));
    },
  };
}
