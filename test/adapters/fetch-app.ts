import { getRequestListener } from "@hono/node-server";
import { fetchAuth } from "../../src/adapters/fetch.ts";
import type { User } from "../../src/index.ts";
import {
  type AppParts,
  type Framework,
  handled,
  NOT_FOUND,
  OWN_FAULT,
  serveListener,
} from "./framework.ts";

type Handler = (request: Request) => Response | Promise<Response>;

function createHandlers({ auth, reach }: AppParts): Readonly<Record<string, Handler>> {
  const adapter = fetchAuth(auth);
  const greet = (_request: Request, user: User) => {
    reach();
    return new Response(`for ${user.username}`);
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
    "/who": async (request) => Response.json((await adapter.currentUser(request)) ?? null),
    "/helpers": async (request) => Response.json(await adapter.pageHelpers(request)),
    "/echo": async (request) => {
      const isJson = request.headers.get("content-type") === "application/json";
      const body = await request.text();
      return new Response(isJson ? JSON.parse(body).word : new URLSearchParams(body).get("word"));
    },
  };
}

const notFound: Handler = () => new Response(NOT_FOUND, { status: 404 });

export const fetchApp: Framework = {
  name: "Fetch",
  start(parts) {
    const { routes } = fetchAuth(parts.auth);
    const handlers = createHandlers(parts);
    const listener = getRequestListener(
      async (request, { incoming }) => {
        const { remoteAddress = "" } = incoming.socket;
        const own = await routes(request, { remoteAddress });
        return own ?? (handlers[new URL(request.url).pathname] ?? notFound)(request);
      },
      {
        overrideGlobalObjects: false,
        errorHandler: (error) => new Response(handled(error), { status: 418 }),
      },
    );
    return serveListener(listener);
  },
};
