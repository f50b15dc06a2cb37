import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expressAuth } from "../../src/adapters/express.ts";
import { fastifyAuth } from "../../src/adapters/fastify.ts";
import { nodeAuth } from "../../src/adapters/node.ts";
import type { Auth } from "../../src/index.ts";

export type Framework = "node" | "hono" | "express" | "fastify";

export const frameworks: readonly Framework[] = ["node", "hono", "express", "fastify"];

/** The same page twice, open at `/hello` and behind the guard at `/guarded`. */
export const listeners: Readonly<
  Record<Framework, (auth: Auth) => RequestListener | Promise<RequestListener>>
> = {
  node(auth) {
    const door = nodeAuth(auth);
    const page: RequestListener = (_request, response) => {
      response.setHeader("Content-Type", "text/plain; charset=UTF-8");
      response.setHeader("Content-Length", "5");
      response.end("hello");
    };
    const guarded = door.requireAuth(page);
    return (request, response) => {
      if (request.url === "/hello") page(request, response);
      else if (request.url === "/guarded") guarded(request, response);
      else void door.routes(request, response);
    };
  },

  hono(auth) {
    const app = new Hono();
    app.route("/", auth.routes);
    app.get("/hello", (c) => c.text("hello"));
    app.get("/guarded", auth.requireAuth, (c) => c.text("hello"));
    return getRequestListener(app.fetch);
  },

  express(auth) {
    const door = expressAuth(auth);
    const app = express();
    app.use(door.routes);
    app.get("/hello", (_request, response) => void response.send("hello"));
    app.get("/guarded", door.requireAuth, (_request, response) => void response.send("hello"));
    return app;
  },

  async fastify(auth) {
    const door = fastifyAuth(auth);
    const app = fastify();
    app.register(door.routes);
    app.get("/hello", async () => "hello");
    app.get("/guarded", { onRequest: door.requireAuth }, async () => "hello");
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
};
