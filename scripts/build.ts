/**
 * Builds what is made from the sources: `npm run build` the package, `npm run build -- NAME` something
 * else. What follows the name is for the script of that name.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const SCRIPTS: Readonly<Record<string, { readonly script: string; readonly about: string }>> = {
  package: { script: "scripts/package.ts", about: "the npm package, into dist (the default)" },
  docs: { script: "scripts/docs.ts", about: "the generated pages of docs" },
  site: { script: "scripts/site/main.ts", about: "the documentation site, into scripts/site/dist" },
  release: { script: "scripts/release/release.ts", about: "all that is published, into release" },
  image: { script: "scripts/release/image.ts", about: "the container image, into release" },
  pictures: { script: "test/browser/screenshots.ts", about: "the pictures in docs/pages" },
  lock: { script: "test/frameworks/lock.ts", about: "the lock files of the examples" },
};

const HELP = `Usage: npm run build [-- NAME [OPTIONS]]

${Object.entries(SCRIPTS)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join("\n")}
`;

const [name = "package", ...args] = process.argv.slice(2);
const chosen = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined;
if (name === "--help") {
  process.stdout.write(HELP);
} else if (chosen === undefined) {
  process.stderr.write(`build: there is no "${name}"\n\n${HELP}`);
  process.exitCode = 2;
} else {
  const ended = spawnSync(process.execPath, [chosen.script, ...args], {
    cwd: ROOT,
    stdio: "inherit",
  });
  process.exitCode = ended.status ?? 1;
}
