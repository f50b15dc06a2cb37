import fastify from "fastify";
import { fastifyAuth } from "latchkey/fastify";
import { openLatchkey, plantLatchkey } from "./latchkey.ts";
import { greeting, type Peer } from "./peer.ts";

export const peer: Peer = {
  plant: plantLatchkey,
  async serve(folder) {
    const { routes, requireAuth, user } = fastifyAuth(await openLatchkey(folder));
    const app = fastify();
    app.register(routes);
    app.get("/guarded", { onRequest: requireAuth }, async (request) =>
      greeting(user(request).username),
    );
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
};
