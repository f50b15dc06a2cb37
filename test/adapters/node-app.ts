import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { nodeAuth } from "../../src/adapters/node.ts";
import type { User } from "../../src/index.ts";
import {
  type AppParts,
  type Framework,
  handled,
  NOT_FOUND,
  OWN_FAULT,
  serveListener,
} from "./framework.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

function createHandlers({ auth, reach }: AppParts): Readonly<Record<string, Handler>> {
  const adapter = nodeAuth(auth);
  const greet = (_request: IncomingMessage, response: ServerResponse, user: User) => {
    reach();
    response.end(`for ${user.username}`);
  };
  const family = { groups: ["family"] };
  return {
    "/operation": adapter.requireAuth(greet),
    "/handler": adapter.authMiddleware(greet),
    "/family": adapter.requireAuth(greet, family),
    "/family-handler": adapter.authMiddleware(greet, family),
    "/failing": adapter.requireAuth(() => {
      throw new Error(OWN_FAULT);
    }),
    "/who": async (request, response) => {
      response.end(JSON.stringify((await adapter.currentUser(request)) ?? null));
    },
    "/helpers": async (request, response) => {
      response.end(JSON.stringify(await adapter.pageHelpers(request)));
    },
    "/echo": async (request, response) => {
      const body = await text(request);
      const isJson = request.headers["content-type"] === "application/json";
      response.end(isJson ? JSON.parse(body).word : new URLSearchParams(body).get("word"));
    },
  };
}

const notFound: Handler = (_request, response) => response.writeHead(404).end(NOT_FOUND);

export const nodeApp: Framework = {
  name: "node:http",
  start(parts) {
    const { routes } = nodeAuth(parts.auth);
    const handlers = createHandlers(parts);
    return serveListener(async (request, response) => {
      try {
        if (await routes(request, response)) return;
        const path = request.url?.split("?")[0] ?? "";
        await (handlers[path] ?? notFound)(request, response);
      } catch (error) {
        response.writeHead(418).end(handled(error));
      }
    });
  },
};
