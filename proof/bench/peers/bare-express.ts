import express from "express";
import { bare, recordedPages } from "./bare.ts";
import { greeting, nameOf, type Peer } from "./peer.ts";

export const peer: Peer = bare(async (folder) => {
  const app = express();
  app.get("/guarded", (_request, response) => void response.send(greeting(nameOf(0))));
  for (const page of recordedPages(folder)) {
    const headers = Object.fromEntries(page.headers);
    // Not `send`, which computes an ETag that Latchkey's page does not have.
    app.get(page.path, (_request, response) => void response.set(headers).end(page.body));
  }
  return app;
});
