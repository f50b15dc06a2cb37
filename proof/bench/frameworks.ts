import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expressAuth } from "../../src/adapters/express.ts";
import { fastifyAuth } from "../../src/adapters/fastify.ts";
import { honoAuth } from "../../src/adapters/hono.ts";
import { nodeAuth } from "../../src/adapters/node.ts";
import type { Auth } from "../../src/index.ts";

export type Framework = "node" | "hono" | "express" | "fastify";

export const frameworks: readonly Framework[] = ["node", "hono", "express", "fastify"];

/** Serves the same page at `/hello`, open, and at `/guarded`, behind the guard. */
export const listeners: Readonly<
  Record<Framework, (auth: Auth) => RequestListener | Promise<RequestListener>>
> = {
  node(auth) {
    const adapter = nodeAuth(auth);
    const page: RequestListener = (_request, response) => {
      response.setHeader("Content-Type", "text/plain; charset=UTF-8");
      response.setHeader("Content-Length", "5");
      response.end("hello");
    };
    const guarded = adapter.requireAuth(page);
    return (request, response) => {
      if (request.url === "/hello") page(request, response);
      else if (request.url === "/guarded") guarded(request, response);
      else void adapter.routes(request, response);
    };
  },

  hono(auth) {
    const app = new Hono();
    const { routes, requireAuth } = honoAuth(auth);
    app.route("/", routes);
    app.get("/hello", (c) => c.text("hello"));
    app.get("/guarded", requireAuth, (c) => c.text("hello"));
    return getRequestListener(app.fetch);
  },

  express(auth) {
    const adapter = expressAuth(auth);
    const app = express();
    app.use(adapter.routes);
    app.get("/hello", (_request, response) => void response.send("hello"));
    app.get("/guarded", adapter.requireAuth, (_request, response) => void response.send("hello"));
    return app;
  },

  async fastify(auth) {
    const adapter = fastifyAuth(auth);
    const app = fastify();
    app.register(adapter.routes);
    app.get("/hello", async () => "hello");
    app.get("/guarded", { onRequest: adapter.requireAuth }, async () => "hello");
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
};
