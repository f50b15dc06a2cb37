import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import { type Framework, handled, NOT_FOUND, OWN_FAULT, serveListener } from "./framework.ts";

export const honoApp: Framework = {
  name: "Hono",
  start({ auth, reach }) {
    const door = honoAuth(auth);
    const app = new Hono();
    app.route("/", door.routes);
    app.get("/operation", door.requireAuth, (c) => {
      reach();
      return c.text(`for ${c.var.user.username}`);
    });
    app.get("/handler", door.authMiddleware, (c) => {
      reach();
      return c.text(`for ${c.var.user.username}`);
    });
    app.get("/failing", door.requireAuth, () => {
      throw new Error(OWN_FAULT);
    });
    app.get("/cookies", door.requireAuth, (c) => {
      c.header("Set-Cookie", "first=1", { append: true });
      c.header("Set-Cookie", "second=2", { append: true });
      return c.text("");
    });
    app.get("/who", async (c) => c.json((await door.currentUser(c)) ?? null));
    app.get("/helpers", async (c) => c.json(await door.pageHelpers(c)));
    app.post("/echo", async (c) => {
      const isJson = c.req.header("content-type") === "application/json";
      return c.text(String((isJson ? await c.req.json() : await c.req.parseBody()).word));
    });
    app.notFound((c) => c.text(NOT_FOUND, 404));
    app.onError((error, c) => c.text(handled(error), 418));
    return serveListener(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  },
};
