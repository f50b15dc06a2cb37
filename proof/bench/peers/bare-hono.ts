import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { bare, recordedPages } from "./bare.ts";
import { greeting, nameOf, type Peer } from "./peer.ts";

export const peer: Peer = bare(async (folder) => {
  const app = new Hono();
  app.get("/guarded", (c) => c.text(greeting(nameOf(0))));
  for (const page of recordedPages(folder)) {
    const headers = Object.fromEntries(page.headers);
    app.get(page.path, (c) => c.body(page.body, 200, headers));
  }
  return getRequestListener(app.fetch);
});
