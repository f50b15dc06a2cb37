/** A database with Latchkey's tables and a user, and what migrations of an app must keep in it. */
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { text } from "../docs/pages.ts";
import { packCopy, run } from "../package/installed.ts";
import { outputOf } from "../support/command.ts";
import { execute, valuesOf } from "../support/database.ts";
import { installPackages } from "../support/packages.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";

const postgres = await sharedPostgres();

/** The page whose files the tests use. */
export const page: string = text("docs/users.md");

/** The block of a language that contains this text. */
export function blockWith(language: string, content: string): string {
  const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  const found = blocks.find(([, kind, code = ""]) => kind === language && code.includes(content));
  if (found?.[2] === undefined) throw new Error(`the page has no ${language} with ${content}`);
  return found[2];
}

export interface Kept {
  readonly url: string;
  query(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** Describes Latchkey's tables with their columns, keys, indexes and users. */
  describe(): Promise<unknown>;
}

const USERS = "SELECT id, username FROM latchkey_users ORDER BY id";

async function addUser(url: string): Promise<void> {
  const args = ["user", "add", "ada", "--create", "--password-stdin", "--database-url", url];
  await outputOf(args, { input: "a password of hers" });
}

/** Creates `accounts.db` in the folder. */
export async function createSqlite(folder: string): Promise<Kept> {
  const file = join(folder, "accounts.db");
  await addUser(`sqlite:${file}`);
  const parts =
    "SELECT name, sql FROM sqlite_schema WHERE tbl_name LIKE 'latchkey_%' ORDER BY name";
  const query = async (sql: string) => {
    if (sql.startsWith("SELECT")) return valuesOf(file, sql);
    execute(file, sql);
    return [];
  };
  const describe = async () => [await query(parts), await query(USERS)];
  return { url: "file:accounts.db", query, describe };
}

const POSTGRES_PARTS = [
  `SELECT table_schema, table_name, column_name, data_type, is_nullable
     FROM information_schema.columns WHERE table_name LIKE 'latchkey_%' ORDER BY 1, 2, 3`,
  `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE conrelid::regclass::text LIKE '%latchkey_%' ORDER BY 1, 2`,
  "SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'latchkey_%' ORDER BY 1",
  "SELECT tgname, tgenabled FROM pg_trigger WHERE tgname LIKE 'latchkey_%' ORDER BY 1",
];

/** Creates a database of PostgreSQL, with Latchkey in this schema. */
export async function createPostgres(schema: "public" | "latchkey"): Promise<Kept> {
  const url = await postgres.newDatabase();
  const name = new URL(url).pathname.slice(1);
  const path = `?options=-c%20search_path%3D${schema}`;
  if (schema !== "public") await postgres.sql(`CREATE SCHEMA ${schema}`, name);
  await addUser(`${url}${path}`);
  const query = async (sql: string) => (await postgres.sql(sql, name)).map(Object.values);
  const users = USERS.replace("latchkey_users", `${schema}.latchkey_users`);
  const describe = () => Promise.all([...POSTGRES_PARTS, users].map(query));
  return { url, query, describe };
}

/** Packs Latchkey for all tests of the file, and returns the folder of the package. */
async function pack(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-orms-"));
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { tarball } = await packCopy(folder);
  await run(folder, "tar", "-xzf", tarball);
  return join(folder, "package");
}

const packed = await pack();

/** Creates a project with the packages of a lock file and the packed Latchkey. */
export async function createProject(t: TestContext, name: string): Promise<string> {
  const folder = await tempDir(t);
  const lock = fileURLToPath(new URL(`./${name}/`, import.meta.url));
  const installed = join(await installPackages(lock, `latchkey-${name}`), "node_modules");
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  for (const entry of await readdir(installed)) {
    await symlink(join(installed, entry), join(modules, entry));
  }
  await cp(packed, join(modules, "latchkey"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
  return folder;
}
