import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PACKAGES = ["hono", "@hono/node-server", "express", "fastify", "@types", "undici-types"];

const PREAMBLE = `
  import type { Auth, User } from "latchkey";
  declare const auth: Auth;
  const greet = (user: User): string => user.username;
`;

const EXPRESS = `
  import express, { type Request, type Response, Router } from "express";
  import { expressAuth } from "latchkey/express";
  const guards = expressAuth(auth);
  const app = express();
`;
const FASTIFY = `
  import Fastify from "fastify";
  import { fastifyAuth } from "latchkey/fastify";
  const guards = fastifyAuth(auth);
  const app = Fastify();
`;
const HONO = `
  import { Hono } from "hono";
  import { honoAuth } from "latchkey/hono";
  const guards = honoAuth(auth);
  const app = new Hono();
`;
const NODE = `
  import { createServer } from "node:http";
  import { nodeAuth } from "latchkey/node";
  const guards = nodeAuth(auth);
`;
const FETCH = `
  import { fetchAuth } from "latchkey/fetch";
  const guards = fetchAuth(auth);
`;

const correct: Readonly<Record<string, string>> = {
  express: `${EXPRESS}
    app.use(guards.routes);
    app.use("/auth", guards.routes, express.json());
    app.get("/:id", guards.requireAuth, (request, response) => {
      const id: string = request.params.id;
      response.send(greet(guards.user(response)) + id);
    });
    app.use(Router().use(guards.authMiddleware));
    interface Locals { title: string }
    app.get("/typed", guards.requireAuth, (_: Request, response: Response<string, Locals>) => {
      response.send(greet(guards.user(response)) + response.locals.title);
    });
    app.get("/who", async (request, response) => {
      const { HasError } = await guards.pageHelpers(request);
      response.json([await guards.currentUser(request), HasError]);
    });`,
  fastify: `${FASTIFY}
    app.register(guards.routes);
    await app.register(guards.routes);
    app.addHook("onRequest", guards.requireAuth);
    app.addHook("preHandler", guards.authMiddleware);
    app.get("/a", { onRequest: guards.requireAuth }, (request) => greet(guards.user(request)));
    app.get<{ Params: { id: string } }>("/:id", { preHandler: [guards.authMiddleware] }, (request) => {
      const id: string = request.params.id;
      return greet(guards.user(request)) + id;
    });
    app.get("/who", async (request) => {
      const { HasError } = await guards.pageHelpers(request);
      return [await guards.currentUser(request), HasError];
    });`,
  hono: `${HONO}
    app.route("/", guards.routes);
    app.get("/:id", guards.requireAuth, (c) => {
      const id: string = c.req.param("id");
      return c.text(greet(c.var.user) + id);
    });
    app.use("/own/*", guards.authMiddleware);
    app.get("/who", async (c) => {
      const { HasError } = await guards.pageHelpers(c);
      return c.json([await guards.currentUser(c), HasError]);
    });`,
  node: `${NODE}
    const guarded = guards.requireAuth((_request, response, user) => response.end(greet(user)));
    const handler = guards.authMiddleware((_request, response, user) => response.end(greet(user)));
    createServer(guarded);
    createServer(async (request, response) => {
      const answered: boolean = await guards.routes(request, response);
      if (!answered) await handler(request, response);
    });`,
  fetch: `${FETCH}
    type Context = { params: Promise<{ id: string }> };
    const handler = guards.requireAuth(async (_request, user, context: Context) => {
      const { id } = await context.params;
      return new Response(greet(user) + id);
    });
    export const GET: (request: Request, context: Context) => Promise<Response> = handler;
    const plain = guards.authMiddleware((_request, user) => new Response(greet(user)));
    export const POST: (request: Request) => Promise<Response> = plain;
    export const own: Promise<Response | undefined> = guards.routes(new Request("http://localhost"), {
      remoteAddress: "192.0.2.1",
    });
    const headers = new Headers();
    export const users: Promise<(User | undefined)[]> = Promise.all([
      ...[headers, { headers }, new Request("http://localhost")].map(auth.currentUser),
      guards.currentUser(headers),
    ]);`,
};

/** The incorrect files by file name, each with its compiler error. */
const incorrect: Readonly<Record<string, string>> = {
  "express-number TS2322": `${EXPRESS}
    app.get("/", guards.requireAuth, (_request, response) => {
      const user: number = guards.user(response);
      response.json(user);
    });`,
  "fastify-number TS2322": `${FASTIFY}
    app.get("/", { onRequest: guards.requireAuth }, (request) => {
      const user: number = guards.user(request);
      return user;
    });`,
  "hono-unguarded TS2339": `${HONO}
    app.get("/", (c) => c.text(greet(c.var.user)));`,
  "node-number TS2345": `${NODE}
    createServer(guards.requireAuth((_request, response, user: number) => response.end(user)));`,
  "fetch-number TS2345": `${FETCH}
    guards.requireAuth((_request, user: number) => Response.json(user));`,
  "fetch-no-headers TS2353": `${FETCH}
    guards.currentUser({ cookie: "session=x" });`,
  "fetch-no-address TS2345": `${FETCH}
    guards.routes(new Request("http://localhost"), {});`,
};

/** Compiles these files in a project with Latchkey installed and returns the compiler errors. */
async function compileErrors(
  dir: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const modules = join(dir, "node_modules");
  await mkdir(modules);
  await symlink(ROOT, join(modules, "latchkey"));
  for (const name of PACKAGES) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
  await writeFile(join(dir, "package.json"), '{ "type": "module" }');
  for (const [title, code] of Object.entries(files)) {
    const name = title.split(" ")[0];
    await writeFile(join(dir, `${name}.ts`), `${PREAMBLE}${code}\nexport {};\n`);
  }
  const compilerOptions = {
    types: ["node"],
    declaration: false,
    isolatedDeclarations: false,
    noUnusedLocals: false,
  };
  const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", dir], {
    cwd: dir,
  }).catch((error: { stdout: string }) => error);
  return stdout.split("\n").filter((line) => /^\S/.test(line));
}

test("the adapters fit each framework's types, and each guard provides a user", async (t) => {
  assert.deepEqual(await compileErrors(await tempDir(t), correct), []);
});

test("each wrong use of an adapter causes exactly one compiler error", async (t) => {
  const lines = await compileErrors(await tempDir(t), incorrect);
  const errors = lines.map((line) => line.replace(/^(.*)\.ts\(.*?\): error (TS\d+): .*$/, "$1 $2"));
  assert.deepEqual(errors.sort(), Object.keys(incorrect).sort(), lines.join("\n"));
});
