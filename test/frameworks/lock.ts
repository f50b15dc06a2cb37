/** Writes the lock file of every example anew, with the packed Latchkey of this checkout. */
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packCopy, ROOT, run } from "../package/installed.ts";
import { createApp, type FromTemplate, installAsShown } from "./template.ts";
import { templates } from "./templates.ts";

const LOCK = "package-lock.json";
const named = process.argv.slice(2);
const dir = await mkdtemp(join(tmpdir(), "latchkey-locks-"));
try {
  const { tarball } = await packCopy(dir);
  await copyFile(tarball, join(dir, "latchkey.tgz"));
  const examples = await readdir(join(ROOT, "examples"), { withFileTypes: true });
  const all = examples.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const name of named.length > 0 ? named : all) {
    await writeLock(name);
    process.stdout.write(`${name}\n`);
  }
} finally {
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
}

async function writeLock(name: string): Promise<void> {
  const example = join(ROOT, "examples", name);
  const folder = join(dir, name);
  const flags = ["--package-lock-only", "--omit-lockfile-registry-resolved", "--prefer-offline"];
  const template = templates[name];
  if (template !== undefined && template.used !== "newest") {
    await writePackages({ name, template });
  } else {
    await cp(join(example, "package.json"), join(folder, "package.json"));
  }
  await run(folder, "npm", "install", ...flags, "--no-audit");
  const lock = JSON.parse(await readFile(join(folder, LOCK), "utf8"));
  // The digest would change with every change of Latchkey.
  delete lock.packages["node_modules/latchkey"].integrity;
  dropMissing(lock.packages);
  await writeFile(join(example, LOCK), `${JSON.stringify(lock, null, 2)}\n`);
}

/** npm leaves out optional packages that the registry lacks, and then refuses its own lock file. */
function dropMissing(packages: Readonly<Record<string, { optionalDependencies?: object }>>): void {
  const found = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
  for (const one of Object.values(packages)) {
    const kept = Object.entries(one.optionalDependencies ?? {}).filter(([name]) => found.has(name));
    if (one.optionalDependencies) one.optionalDependencies = Object.fromEntries(kept);
  }
}

/** Writes `package.json`: what the template and the page make of it. */
async function writePackages(app: FromTemplate): Promise<void> {
  const folder = await createApp(app, dir, "pinned");
  await installAsShown(app.name, folder, "--package-lock-only", "--prefer-offline");
  await rm(join(folder, LOCK));
  await copyFile(join(folder, "package.json"), join(ROOT, "examples", app.name, "package.json"));
}
