import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createAuth } from "latchkey";
import { honoAuth, type SignedIn } from "latchkey/hono";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});

const { routes, requireAuth } = honoAuth(auth);
const app = new Hono<SignedIn>();
app.route("/", routes);
app.use(requireAuth); // everything below needs a signed-in user

app.get("/", (c) => c.text(`Hello, ${c.var.user.username}`));
app.get("/api/me", (c) => c.json(c.var.user));

const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port });

process.once("SIGTERM", () => {
  server.close(async () => {
    await auth.close();
    store.close();
  });
});
