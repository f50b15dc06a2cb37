import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { text } from "../docs/pages.ts";
import { folderWith } from "../examples/folder-with.ts";
import { typeErrors } from "../package/installed.ts";

const PACKAGES = [
  ...["latchkey", "hono", "@hono/node-server", "express", "fastify", "@types", "undici-types"],
];

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
/** The body parser that docs/frameworks/express.md shows. */
const [, KEEPS_BODY] = /`(express\.urlencoded.*?)`/.exec(text("docs/frameworks/express.md")) ?? [];
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

/** What an app can do beyond the apps in this folder: more types of the framework in its handlers. */
const correct: Readonly<Record<string, string>> = {
  express: `${EXPRESS}
    app.use("/auth", guards.routes, express.json());
    app.use(${KEEPS_BODY});
    app.get("/:id", guards.requireAuth, (request, response) => {
      const id: string = request.params.id;
      response.send(greet(guards.user(response)) + id);
    });
    app.use(Router().use(guards.authMiddleware));
    interface Locals { title: string }
    app.get("/typed", guards.requireAuth, (_: Request, response: Response<string, Locals>) => {
      response.send(greet(guards.user(response)) + response.locals.title);
    });`,
  fastify: `${FASTIFY}
    await app.register(guards.routes);
    app.get<{ Params: { id: string } }>("/:id", { preHandler: [guards.authMiddleware] }, (request) => {
      const id: string = request.params.id;
      return greet(guards.user(request)) + id;
    });`,
  hono: `${HONO}
    app.get("/:id", guards.requireAuth, (c) => {
      const id: string = c.req.param("id");
      return c.text(greet(c.var.user) + id);
    });
    app.use("/own/*", guards.authMiddleware);`,
  node: `${NODE}
    createServer(guards.requireAuth((_request, response, user) => response.end(greet(user))));`,
  fetch: `${FETCH}
    type Context = { params: Promise<{ id: string }> };
    const handler = guards.requireAuth(async (_request, user, context: Context) => {
      const { id } = await context.params;
      return new Response(greet(user) + id);
    });
    export const GET: (request: Request, context: Context) => Promise<Response> = handler;
    const plain = guards.authMiddleware((_request, user) => new Response(greet(user)));
    export const POST: (request: Request) => Promise<Response> = plain;
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
  "fetch-no-address TS2741": `${FETCH}
    guards.routes(new Request("http://localhost"), {});`,
};

test("the adapters fit each framework's types, and wrong uses do not compile", async (t) => {
  const folder = await folderWith(t, PACKAGES);
  for (const [title, code] of Object.entries({ ...correct, ...incorrect })) {
    const name = title.split(" ")[0];
    await writeFile(join(folder, `${name}.ts`), `${PREAMBLE}${code}\nexport {};\n`);
  }
  const lines = (await typeErrors(folder)).split("\n").filter((line) => /^\S/.test(line));
  const errors = lines.map((line) => line.replace(/^(.*)\.ts\(.*?\): error (TS\d+): .*$/, "$1 $2"));
  assert.deepEqual(errors.sort(), Object.keys(incorrect).sort(), lines.join("\n"));
});
