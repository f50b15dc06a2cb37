import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type Framework, handled, NOT_FOUND, OWN_FAULT, serveListener } from "./framework.ts";

export const honoApp: Framework = {
  name: "Hono",
  start({ auth, reach }) {
    const app = new Hono();
    app.route("/", auth.routes);
    app.get("/operation", auth.requireAuth, (c) => {
      reach();
      return c.text(`for ${c.var.user.username}`);
    });
    app.all("/handler", auth.authMiddleware, (c) => {
      reach();
      return c.text(`for ${c.var.user.username}`);
    });
    app.get("/failing", auth.requireAuth, () => {
      throw new Error(OWN_FAULT);
    });
    app.get("/cookies", auth.requireAuth, (c) => {
      c.header("Set-Cookie", "first=1", { append: true });
      c.header("Set-Cookie", "second=2", { append: true });
      return c.text("");
    });
    app.get("/who", async (c) => c.json((await auth.currentUser(c.req.raw)) ?? null));
    app.get("/helpers", async (c) => c.json(await auth.pageHelpers(c.req.raw)));
    app.post("/echo", async (c) => {
      const isJson = c.req.header("content-type") === "application/json";
      return c.text(String((isJson ? await c.req.json() : await c.req.parseBody()).word));
    });
    app.notFound((c) => c.text(NOT_FOUND, 404));
    app.onError((error, c) => c.text(handled(error), 418));
    return serveListener(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  },
};
