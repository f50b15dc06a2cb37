import { getRequestListener } from "@hono/node-server";
import { type Handler, Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import type { User } from "../../src/index.ts";
import { type Framework, handled, NOT_FOUND, OWN_FAULT, serveListener } from "./framework.ts";

export const honoApp: Framework = {
  name: "Hono",
  start({ auth, reach }) {
    const app = new Hono();
    const { routes, requireAuth, authMiddleware, currentUser, pageHelpers } = honoAuth(auth);
    app.route("/", routes);
    const greet: Handler<{ Variables: { user: User } }> = (c) => {
      reach();
      return c.text(`for ${c.var.user.username}`);
    };
    const family = { groups: ["family"] };
    app.get("/operation", requireAuth, greet);
    app.all("/handler", authMiddleware, greet);
    app.get("/family", requireAuth(family), greet);
    app.get("/family-handler", authMiddleware(family), greet);
    app.get("/failing", requireAuth, () => {
      throw new Error(OWN_FAULT);
    });
    app.get("/who", async (c) => c.json((await currentUser(c)) ?? null));
    app.get("/helpers", async (c) => c.json(await pageHelpers(c)));
    app.post("/echo", async (c) => {
      const isJson = c.req.header("content-type") === "application/json";
      return c.text(String((isJson ? await c.req.json() : await c.req.parseBody()).word));
    });
    app.notFound((c) => c.text(NOT_FOUND, 404));
    app.onError((error, c) => c.text(handled(error), 418));
    return serveListener(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  },
};
