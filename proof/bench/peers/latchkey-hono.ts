import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { honoAuth } from "latchkey/hono";
import { openLatchkey, plantLatchkey } from "./latchkey.ts";
import { greeting, type Peer } from "./peer.ts";

export const peer: Peer = {
  plant: plantLatchkey,
  async serve(folder) {
    const auth = await openLatchkey(folder);
    const app = new Hono();
    const { routes, requireAuth } = honoAuth(auth);
    app.route("/", routes);
    app.get("/guarded", requireAuth, (c) => c.text(greeting(c.var.user.username)));
    return getRequestListener(app.fetch);
  },
};
