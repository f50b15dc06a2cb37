import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { fastifyAuth } from "../../src/adapters/fastify.ts";
import {
  type AppParts,
  type Framework,
  handled,
  NOT_FOUND,
  OWN_FAULT,
  type Served,
} from "./framework.ts";

/** Adds a parser for forms, because Fastify includes one for JSON only. */
export function addFormParser(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

function addRoutes(app: FastifyInstance, { auth, reach }: AppParts): void {
  const adapter = fastifyAuth(auth);
  const greet = async (request: FastifyRequest) => {
    reach();
    return `for ${adapter.user(request).username}`;
  };
  const family = { groups: ["family"] };
  app.get("/operation", { onRequest: adapter.requireAuth }, greet);
  app.all("/handler", { preHandler: adapter.authMiddleware }, greet);
  app.get("/family", { onRequest: adapter.requireAuth(family) }, greet);
  app.get("/family-handler", { onRequest: adapter.authMiddleware(family) }, greet);
  app.get("/failing", { onRequest: adapter.requireAuth }, () => {
    throw new Error(OWN_FAULT);
  });
  app.get("/who", async (request, reply) =>
    reply.send(JSON.stringify((await adapter.currentUser(request)) ?? null)),
  );
  app.get("/helpers", (request) => adapter.pageHelpers(request));
  app.post<{ Body: { word: string } }>("/echo", async (request) => request.body.word);
}

export async function serveFastify(app: FastifyInstance): Promise<Served> {
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { url, stop: () => app.close() };
}

export const fastifyApp: Framework = {
  name: "Fastify",
  start(parts) {
    const app = Fastify({ forceCloseConnections: true });
    app.register(fastifyAuth(parts.auth).routes);
    addFormParser(app);
    addRoutes(app, parts);
    app.setNotFoundHandler((_request, reply) => {
      reply.status(404).send(NOT_FOUND);
    });
    app.setErrorHandler((error, _request, reply) => {
      reply.status(418).send(handled(error));
    });
    return serveFastify(app);
  },
};
