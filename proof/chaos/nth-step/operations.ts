import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PasswordHash } from "../../../src/db/records.ts";
import { createPasswords } from "../../../src/identity/passwords.ts";
import { outputOf, runCommand } from "../../../test/support/command.ts";
import { execute, inDatabase, setupTokensIn } from "../../../test/support/database.ts";
import { runSql } from "../../../test/support/postgres-admin.ts";
import type { Env, Operation } from "./operation.ts";
import { traceCommand } from "./strace.ts";

/** A command, and the state before and after it: each account with its password. */
interface Command extends Omit<Operation, "by" | "run" | "trace" | "failure"> {
  readonly args: (folder: string) => readonly string[];
  readonly input?: string;
}

const asOperation = ({ args, input = "", ...rest }: Command): Operation => ({
  ...rest,
  by: "command",
  failure: /^latchkey: .+\n$/m,
  async run({ folder, env }) {
    const { code, stderr } = await runCommand(args(folder), { env, input });
    return { code, said: stderr };
  },
  trace: ({ folder, env }, tracing) => traceCommand({ args: args(folder), input, env }, tracing),
});

const passwords = createPasswords({ atOnce: 2, waiting: 64 });
export const FIRST = "the first password";
const SECOND = "the second password";
const CANDIDATES = [FIRST, SECOND];

/** A bcrypt hash of any password. */
const IMPORTED = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const CSV = ["username,password_hash", `ann,${IMPORTED}`, `ben,${IMPORTED}`, ""].join("\n");

async function described(rows: readonly Readonly<Record<string, unknown>>[]): Promise<string> {
  const accounts = rows.map(async (row) => {
    const hash = String(row.password_hash) as PasswordHash;
    const isRight = await Promise.all(CANDIDATES.map((one) => passwords.verify(one, hash)));
    return `${row.username} with ${CANDIDATES[isRight.indexOf(true)] ?? "another password"}`;
  });
  return (await Promise.all(accounts)).join(", ") || "no accounts";
}

/** In a file, or at `DATABASE_URL`. */
async function accountsIn(file: string, { DATABASE_URL }: Env): Promise<string> {
  const columns = "SELECT username, password_hash FROM";
  if (DATABASE_URL !== undefined) {
    const [table] = await runSql(DATABASE_URL, "SELECT to_regclass('latchkey_users') AS name");
    if (table?.name === null) return "no accounts";
    return described(await runSql(DATABASE_URL, `${columns} latchkey_users ORDER BY username`));
  }
  if (!existsSync(file)) return "no accounts";
  const rows = inDatabase(file, (database) => {
    const isReady = database
      .prepare("SELECT 1 FROM sqlite_schema WHERE name = 'latchkey_users'")
      .get();
    if (isReady === undefined) return [];
    const [check] = database.prepare("PRAGMA integrity_check").all();
    if (check?.integrity_check !== "ok") throw new Error(`damaged: ${JSON.stringify(check)}`);
    return database.prepare(`${columns} latchkey_users ORDER BY username`).all();
  });
  return described(rows);
}

const databaseIn = (folder: string): string => join(folder, "latchkey.db");
const backupIn = (folder: string): string => join(folder, "backup.db");
const copyIn = (folder: string): string => join(folder, "copy.db");
const csvIn = (folder: string): string => join(folder, "users.csv");
export const tokenIn = (folder: string): string => join(folder, "setup-token");

export const accounts = (folder: string, env: Env): Promise<string> =>
  accountsIn(databaseIn(folder), env);
const add = (env: Env, name: string): Promise<string> =>
  outputOf(["user", "add", name, "--password-stdin", "--create"], { env, input: `${FIRST}\n` });
export const OWNER: string = `owner with ${FIRST}`;

const addFirst: Command = {
  name: "the first account",
  args: () => ["user", "add", "owner", "--password-stdin", "--create"],
  input: `${FIRST}\n`,
  before: "no accounts",
  after: OWNER,
  prepare: async () => {},
  state: accounts,
};

const changePassword: Command = {
  name: "a new password",
  args: () => ["user", "password", "owner", "--password-stdin"],
  input: `${SECOND}\n`,
  before: OWNER,
  after: `owner with ${SECOND}`,
  prepare: async (_, env) => void (await add(env, "owner")),
  state: accounts,
};

const importUsers: Command = {
  name: "an import",
  args: (folder) => ["import", csvIn(folder)],
  before: OWNER,
  after: `ann with another password, ben with another password, ${OWNER}`,
  async prepare(folder, env) {
    await add(env, "owner");
    writeFileSync(csvIn(folder), CSV);
  },
  state: accounts,
};

const restore: Command = {
  name: "a restore over another database",
  args: (folder) => ["restore", "--force", backupIn(folder)],
  before: `other with ${FIRST}`,
  after: OWNER,
  async prepare(folder, env) {
    const elsewhere = { ...env, DATA_DIR: join(folder, "elsewhere") };
    await add(elsewhere, "owner");
    await outputOf(["backup", backupIn(folder)], { env: elsewhere });
    await add(env, "other");
  },
  state: accounts,
};

const copy: Command = {
  name: "a copy into a new database",
  args: (folder) => [
    ...["copy", "--from", `sqlite:${databaseIn(folder)}`],
    ...["--to", `sqlite:${copyIn(folder)}`],
  ],
  before: "no accounts",
  after: OWNER,
  prepare: async (_, env) => void (await add(env, "owner")),
  state: (folder) => accountsIn(copyIn(folder), {}),
};

const OLD_TOKEN = "the-old-setup-token";
const setupLink: Command = {
  name: "a new setup token",
  args: () => ["setup-link"],
  before: "the old token",
  after: "a new token",
  async prepare(folder, env) {
    await runCommand(["setup-link"], { env });
    execute(databaseIn(folder), `UPDATE latchkey_setup_tokens SET token = '${OLD_TOKEN}'`);
  },
  async state(folder) {
    const tokens = setupTokensIn(databaseIn(folder));
    if (tokens.join() === OLD_TOKEN) return "the old token";
    return /^[\w-]{20,}$/.test(tokens.join())
      ? "a new token"
      : `damaged: ${JSON.stringify(tokens)}`;
  },
};

const invite: Command = {
  name: "an invitation",
  args: () => ["link", "invite", "--username", "ann", "--public-url", "https://auth.example.org"],
  before: `no link, ${OWNER}`,
  after: `a link, ${OWNER}`,
  prepare: async (_, env) => void (await add(env, "owner")),
  async state(folder, env) {
    const listed = await outputOf(["link", "list", "--json"], { env });
    const links = listed.split("\n").filter((line) => line !== "");
    const isWhole = (line: string): boolean => /"invite"/.test(line) && /"ann"/.test(line);
    const found = links.every(isWhole) ? "a link" : `damaged: ${listed}`;
    return `${links.length === 0 ? "no link" : found}, ${await accounts(folder, env)}`;
  },
};

const onBoth: readonly Command[] = [addFirst, changePassword, importUsers, invite];

export const onDisk: readonly Operation[] = [...onBoth, restore, copy, setupLink].map(asOperation);

export const onPostgres: readonly Operation[] = onBoth.map(asOperation);
