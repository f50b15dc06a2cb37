import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readForRelease } from "../../scripts/release/page-files.ts";
import { getWords } from "../../src/pages/words.ts";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { startNode, startProgram } from "../support/process.ts";
import { compile, type Installed, packAndInstall, ROOT, run } from "./installed.ts";

const dir = await mkdtemp(join(tmpdir(), "latchkey-package-"));
after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));

let installed: Installed;
before(async () => {
  installed = await packAndInstall(dir);
});

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const PAGE_FILES = join(ROOT, "src/pages/templates");

const CONSUMER = join(import.meta.dirname, "consumer.ts");

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, folder).length + 1));

/** Imports the library and prints the URL of each module that it loads. */
const PRINT_MODULES = `
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
await import("latchkey");
await import("latchkey/sqlite");
await import("latchkey/express");
`;

/** Whether a file is a screenshot that no page shows. */
const isLargePicture = (file: string): boolean => /-desk\.png$|error|problem/.test(file);

test("the package contains only what it needs and the documentation", async () => {
  const listed = await run(dir, "tar", "-tzf", installed.tarball);
  const files = listed.trimEnd().split("\n");
  const isBundled = (file: string): boolean => /^(cli|gate|doctor|proxies)\/.*\.ts$/.test(file);
  const library = filesUnder("src").filter((file) => !isBundled(file));
  const expected = library.flatMap((file) =>
    file.endsWith(".ts")
      ? [".js", ".d.ts"].map((extension) => `dist/${file.slice(0, -".ts".length)}${extension}`)
      : [`dist/${file}`],
  );
  for (const file of ["features/sign-in/login.eta", "proxies/latchkey.lua"])
    assert.ok(expected.includes(`dist/${file}`), file);
  const about = [
    ...["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"],
    ...["README.md", "SECURITY.md", "package.json"],
    ...filesUnder("docs")
      .filter((file) => !(file.startsWith("pages/") && isLargePicture(file)))
      .map((file) => `docs/${file}`),
    ...filesUnder("recipes").map((file) => `recipes/${file}`),
  ];
  // The bundler names these parts of the gate.
  const isPart = (file: string): boolean => /^package\/dist\/cli\/gate-[\w-]+\.cjs$/.test(file);
  const bundles = ["gate", "latchkey", "main"].map((name) => `dist/cli/${name}.cjs`);
  assert.ok(files.some(isPart));
  assert.deepEqual(
    files.filter((file) => !isPart(file)).sort(),
    [...expected, ...bundles, ...about].map((file) => `package/${file}`).sort(),
  );
});

test("the consumer project imports every export", async () => {
  const consumer = await readFile(CONSUMER, "utf8");
  for (const name of Object.keys(manifest.exports).filter((one) => one !== "./package.json")) {
    assert.ok(consumer.includes(`from "latchkey${name.slice(1)}"`), name);
  }
});

/** What TypeScript reports in a folder of the project. */
async function typeErrors(name: string, options: object): Promise<string> {
  const folder = join(installed.project, name);
  const compilerOptions = {
    ...{ target: "es2024", types: ["node"], strict: true, noEmit: true, skipLibCheck: false },
    // As in TypeScript 5.8 with nodenext.
    resolveJsonModule: false,
    ...options,
  };
  const config = { compilerOptions, include: ["*.ts", "*.mts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const reports = (await compile(folder)).split(/\n(?=\S)/);
  // Drizzle's own declarations name the drivers of databases that a project need not have.
  return reports.filter((report) => !/^\S*node_modules\/drizzle-orm\//.test(report)).join("\n");
}

for (const [moduleResolution, module] of [
  ["bundler", "esnext"],
  ["nodenext", "nodenext"],
] as const) {
  test(`the package type-checks with moduleResolution ${moduleResolution}`, async () => {
    const folder = join(installed.project, moduleResolution);
    await cp(CONSUMER, join(folder, "consumer.ts"));
    const page = await readFile(join(ROOT, "docs/frameworks/fetch.md"), "utf8");
    await writeFile(join(folder, "fetch.ts"), /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
    assert.equal(await typeErrors(moduleResolution, { module, moduleResolution }), "");
  });
}

test("the installed guard redirects to the setup page, with its style sheet and its languages", async (t) => {
  const { project } = installed;
  await cp(CONSUMER, join(project, "app.ts"));
  const running = startNode(t, ["app.ts"], {}, project);
  const [, url = ""] = await running.shows(/^at (http:\/\/127\.0\.0\.1:\d+)\n/);
  const { status, location } = await send(`${url}/notes`);
  assert.deepEqual([status, location], [303, "/setup"]);
  const page = await send(`${url}/setup`);
  assert.equal(page.status, 200);
  const [, style = ""] = /href="(\/latchkey\.css[^"]*)"/.exec(page.body) ?? [];
  const sheet = await send(`${url}${style}`);
  assert.deepEqual(
    [sheet.status, sheet.body],
    [200, readForRelease(join(PAGE_FILES, "latchkey.css"))],
  );
  const german = await send(`${url}/setup`, { headers: { "Accept-Language": "de" } });
  assert.ok(german.body.includes(getWords("de").createAccount));
  running.child.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("the README leads from an empty folder to the setup page, without a warning", async (t) => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const [, section = ""] = readme.split("\n## Use it as a library\n");
  const block = (language: string): RegExp =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g");
  const [install = "", start = ""] = [...section.matchAll(block("sh"))].map(([, code]) => code);
  const [, code = ""] = block("ts").exec(section) ?? [];
  const folder = join(dir, "readme", "app");
  await mkdir(folder, { recursive: true });
  await mkdir(join(dir, "readme", "latchkey"));
  await copyFile(
    installed.tarball,
    join(dir, "readme", "latchkey", `latchkey-${manifest.version}.tgz`),
  );
  await run(folder, "sh", "-ec", install);
  await writeFile(join(folder, "app.ts"), code.replace("port: 3000", "port: 0"));
  const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
  const lines = start.replace(/^node /m, "exec node ");
  const running = startProgram(t, "sh", ["-ec", lines], { ...process.env, PATH }, folder);
  const [, url = ""] = await running.shows(/^Listening on (http:\S+)\n/m);
  assert.equal((await send(`${url}/`)).location, "/setup");
  assert.doesNotMatch(running.stderr(), /^(?!npm warn)./m);
});

test("the library and its SQLite store do not load pg", async () => {
  const { project } = installed;
  const loaded = await run(project, process.execPath, "--input-type=module", "-e", PRINT_MODULES);
  assert.match(loaded, /node_modules\/latchkey\//);
  assert.doesNotMatch(loaded, /node_modules\/pg\//);
});

test("when installed, CommonJS loads the exports, as the library page shows", async () => {
  const { project } = installed;
  const page = await readFile(join(ROOT, "docs/library.md"), "utf8");
  const [, code = ""] = /```js\n(const \{[\s\S]*?)```/.exec(page) ?? [];
  const use = `openSqlite({ file: "commonjs.db" }).then(async (store) => {
  const auth = createAuth({ store, secret: "a secret for tests, 32 bytes long" });
  console.log(typeof expressAuth(auth).requireAuth);
  await auth.close();
  store.close();
});`;
  await writeFile(join(project, "app.cjs"), `${code}${use}`);
  assert.equal(await run(project, process.execPath, "app.cjs"), "function\n");
});

test("CommonJS in TypeScript type-checks as the library page says", async () => {
  const folder = join(installed.project, "commonjs");
  await cp(CONSUMER, join(folder, "whole.mts"));
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }');
  await writeFile(
    join(folder, "app.ts"),
    'import { createAuth } from "latchkey";\nexport const make: typeof createAuth = createAuth;\n',
  );
  assert.equal(await typeErrors("commonjs", { module: "nodenext" }), "");
});

test("latchkey is a command when installed and when built", async () => {
  const { project, checkout } = installed;
  const built = join(checkout, "dist/cli/main.cjs");
  assert.equal(statSync(built).mode & 0o777, 0o755);
  assert.match(await readFile(built, "utf8"), /^#!\/usr\/bin\/env /);
  const version = await run(project, "npx", "--no-install", "latchkey", "--version");
  assert.equal(version.trim(), manifest.version);
  assert.equal((await run(project, built, "--version")).trim(), manifest.version);
  const script = await readFile(join(ROOT, "src/proxies/latchkey.lua"), "utf8");
  // Without the variables of the test run, which are not settings.
  const command = ["env", "-i", process.execPath, built] as const;
  const printed = await run(project, ...command, "proxy", "haproxy", "--script");
  assert.equal(printed, script);
});

test("the installed gate loads on use what it does not start with", async (t) => {
  const { project } = installed;
  const data = await mkdtemp(join(dir, "data-"));
  const main = join(project, "node_modules/latchkey/dist/cli/main.cjs");
  const settings = { AUTH_SECRET: "a secret for tests, 32 bytes long", PORT: "0" };
  const start = (env: Readonly<Record<string, string>>) =>
    startNode(t, ["--", main, "serve"], { ...settings, DATA_DIR: data, ...env }, project);
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const plain = start({ PORT: port, PUBLIC_URL: url, METRICS_PORT: String(await freePort()) });
  await plain.shows(/Latchkey listens on /);
  const [, metrics = ""] = await plain.shows(/metrics are at (http:[^"]+)/);
  assert.equal((await send(metrics)).status, 200);
  const password = "correct horse battery staple";
  const form = { username: "owner", password, confirm: password };
  const { session } = await send(`${url}/setup`, { form, headers: { Origin: url } });
  const pages = ["profile", "people", "activity", "links", "apps", "apps/new"];
  const paths = ["/apps", ...pages.map((page) => `/account/${page}`)];
  for (const path of ["/.well-known/openid-configuration", ...paths]) {
    assert.equal((await send(url + path, { session })).status, 200, path);
  }
  const change = { session, form: { password }, headers: { Origin: url } };
  assert.equal((await send(`${url}/account/apps/add`, change)).status, 422);

  await writeCertificate(dir, makeCertificate({ names: ["localhost"] }));
  const files = { TLS_CERT_FILE: join(dir, "cert.pem"), TLS_KEY_FILE: join(dir, "key.pem") };
  await start(files).shows(/Latchkey listens on https:/);

  const refused = start({ DATABASE_URL: "postgres://user:word@127.0.0.1:1/none" });
  await refused.shows(/ECONNREFUSED/);
});
