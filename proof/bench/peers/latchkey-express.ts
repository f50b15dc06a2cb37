import express from "express";
import { expressAuth } from "latchkey/express";
import { openLatchkey, plantLatchkey } from "./latchkey.ts";
import { greeting, type Peer } from "./peer.ts";

export const peer: Peer = {
  plant: plantLatchkey,
  async serve(folder) {
    const { routes, requireAuth, user } = expressAuth(await openLatchkey(folder));
    const app = express();
    app.use(routes);
    app.get("/guarded", requireAuth, (_request, response) => {
      response.send(greeting(user(response).username));
    });
    return app;
  },
};
