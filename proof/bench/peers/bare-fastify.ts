import fastify from "fastify";
import { bare, recordedPages } from "./bare.ts";
import { greeting, nameOf, type Peer } from "./peer.ts";

export const peer: Peer = bare(async (folder) => {
  const app = fastify();
  app.get("/guarded", async () => greeting(nameOf(0)));
  for (const page of recordedPages(folder)) {
    const headers = Object.fromEntries(page.headers);
    app.get(page.path, (_request, reply) => void reply.headers(headers).send(page.body));
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
});
