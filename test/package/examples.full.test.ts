/** Runs the `@example` of each function of the package, as an app that follows it would. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { folderWith } from "../examples/folder-with.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { readExports } from "./declarations.ts";
import { typeErrors } from "./installed.ts";

const PACKAGES = [
  "latchkey",
  "drizzle-orm",
  "hono",
  "express",
  "fastify",
  "@types",
  "undici-types",
];

/** What an example takes from its surroundings, and what holds after it. */
interface Surroundings {
  readonly before?: string;
  readonly after: string;
}

const SECRET = `const secret = "";`;

const AUTH = `const auth = createAuth({ store: await openSqlite({ file: ":memory:" }), secret: "" });\n`;

/** The guard of an app without an account answers like this. */
const REFUSES = `assert.deepEqual([response.status, response.headers.get("location")], [303, "/setup"]);`;

const FETCHES = `
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const response = await fetch(\`http://127.0.0.1:\${port}/\`, { redirect: "manual" });
${REFUSES}
server.close();`;

const OPENED = `
assert.equal(await auth.users.findByUsername("nobody"), undefined);
await auth.close();
await store.close();`;

const surroundings: Readonly<Record<string, Surroundings>> = {
  createAuth: {
    before: "const app = new Hono();",
    after: `const response = await app.request("/"); ${REFUSES}`,
  },
  openSqlite: { before: SECRET, after: OPENED },
  openPostgres: {
    before: `${SECRET} const url = String(process.env.DATABASE_URL);`,
    after: OPENED,
  },
  honoAuth: {
    before: `${AUTH} const app = new Hono();`,
    after: `const response = await app.request("/"); ${REFUSES}`,
  },
  expressAuth: {
    before: `${AUTH} const app = express();`,
    after: `const server = createServer(app); ${FETCHES}`,
  },
  fastifyAuth: {
    before: `${AUTH} const app = Fastify();`,
    after: `const response = await app.inject("/");
assert.deepEqual([response.statusCode, response.headers.location], [303, "/setup"]);`,
  },
  nodeAuth: { before: AUTH, after: FETCHES },
  fetchAuth: {
    before: AUTH,
    after: `const response = await handle(new Request("http://localhost/"), "127.0.0.1"); ${REFUSES}`,
  },
  andThen: {
    before: `${AUTH} const cookies = undefined;
const request = fetchRequest(new Request("http://localhost/"));
const show = (user: User) => user.id;
const send = ({ status }: Answer) => status;`,
    after: "assert.equal(await sent, 303);",
  },
  nameKeyOf: {
    before: `const username = "ANN";
const usedNames = new Set(["Ann", "\u00e1nn"].map(nameKeyOf));`,
    after: "assert.deepEqual([isTaken, usedNames.size], [true, 1]);",
  },
  fetchRequest: {
    before: `${AUTH} const url = "http://localhost/login";`,
    after: "assert.equal(status, 200);",
  },
  toResponse: {
    before: AUTH,
    after: `assert.match(await (await handle(new Request("http://localhost/setup"))).text(), /<form/);`,
  },
  nodeRequest: {
    before: `${AUTH} const socket = new Socket();
const request = Object.assign(new IncomingMessage(socket), { url: "/" });`,
    after: "assert.equal(CurrentUser, undefined);",
  },
  sendAnswer: {
    before: AUTH,
    after: `const server = createServer(handle); ${FETCHES}`,
  },
  createClient: {
    before: `const own = createAuth({
  store: await openSqlite({ file: ":memory:" }),
  secret: "",
  basePath: "/auth",
  api: true,
});
const app = honoAuth(own).routes;
const [username, password] = ["alice", "correct horse"];
// A browser completes the address.
globalThis.fetch = async (path, init) => app.request(String(path), init);`,
    after: `assert.deepEqual([user, error], [undefined, "needs_setup"]);`,
  },
  oidc: {
    before: `const store = await openSqlite({ file: ":memory:" }); ${SECRET}`,
    after: `const url = \`\${hosts.publicUrl}/.well-known/openid-configuration\`;
const request = fetchRequest(new Request(url), { remoteAddress: "127.0.0.1" });
const { status } = await auth.adapter.answer(request);
assert.equal(status, 200);`,
  },
  "oidc of latchkey/providers": {
    before: 'const secret = "secret";',
    after: `assert.deepEqual([company.name, company.label], ["company", "company"]);`,
  },
  google: { before: 'const secret = "secret";', after: `assert.equal(provider.label, "Google");` },
  apple: { before: 'const secret = "secret";', after: `assert.equal(provider.label, "Apple");` },
  microsoft: {
    before: 'const secret = "secret";',
    after: `assert.match(provider.issuer, /example\\.org/);`,
  },
  github: { before: 'const secret = "secret";', after: `assert.equal(provider.label, "GitHub");` },
  sqliteUsers: {
    before: `import { getTableConfig, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";`,
    after: "assert.equal(getTableConfig(notes).foreignKeys.length, 1);",
  },
  postgresUsers: {
    before: `import { getTableConfig, integer, pgTable, text } from "drizzle-orm/pg-core";`,
    after: "assert.equal(getTableConfig(notes).foreignKeys.length, 1);",
  },
  postgresUsersIn: {
    before: `import { getTableConfig } from "drizzle-orm/pg-core";`,
    after: `assert.equal(getTableConfig(users).schema, "latchkey");`,
  },
  listExternalTables: {
    after: `assert.ok(config.tables.external.includes("public.latchkey_users"));`,
  },
  signInAs: {
    before: `${AUTH} const app = new Hono();
app.get("/photos", honoAuth(auth).requireAuth, (c) => c.text(c.var.user.username));`,
    after: `assert.equal(await response.text(), "alice");`,
  },
};

const IMPORTS = `import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import type { Answer, User } from "latchkey";
`;

const dir = { after } as never;
const exported = await readExports(await tempDir(dir));
const functions = exported.filter(({ isFunction }) => isFunction);

/** The example as a module, with an import of each function that it or its surroundings use. */
function moduleOf(
  { before = "", after: then }: Surroundings,
  tested: { readonly name: string; readonly from: string },
  example: string,
): string {
  const code = `${before}\n${example}\n${then}\n`;
  const imports = functions
    .filter(({ name }) => new RegExp(`\\b${name}[(.]`).test(code))
    // Two entries export an `oidc`.
    .filter(({ name, from }) => name !== tested.name || from === tested.from)
    .map(({ name, from }) => `import { ${name} } from "${from}";\n`);
  return `${IMPORTS}${imports.join("")}${code}`;
}

const folder = await folderWith(dir, PACKAGES);

for (const { name, from, example } of functions) {
  const title = `${name} of ${from}`;
  test(`the example of ${title} runs`, async (t) => {
    const around = surroundings[title] ?? surroundings[name];
    assert.ok(around && example, "has an example, and what it needs is given here");
    const file = `${title.replaceAll(/\W+/g, "-")}.ts`;
    await writeFile(join(folder, file), moduleOf(around, { name, from }, example));
    const isPostgres = around.before?.includes("DATABASE_URL");
    const url = isPostgres ? await (await sharedPostgres()).newDatabase() : "";
    const environment = { DATABASE_URL: url, AUTH_SECRET: "" };
    const args = ["--conditions=latchkey-source", file];
    const { code, stdout, stderr } = await startNode(t, args, environment, folder).ended;
    assert.equal(code, 0, `${stdout}${stderr}`);
  });
}

test("the examples type-check", async () => assert.equal(await typeErrors(folder), ""));
