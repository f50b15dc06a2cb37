import { H3, serve } from "h3";
import { createAuth } from "latchkey";
import { fetchAuth } from "latchkey/fetch";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});
const { routes, requireAuth } = fetchAuth(auth);

const home = requireAuth((_request, user) => new Response(`Hello, ${user.username}`));
const me = requireAuth((_request, user) => Response.json(user));

const app = new H3();
app.use(({ req }) => routes(req, { remoteAddress: req.ip ?? "" }));
app.get("/**", ({ req }) => home(req));
app.get("/api/me", ({ req }) => me(req));

const server = serve(app, { hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });

process.once("SIGTERM", async () => {
  await server.close();
  await auth.close();
  store.close();
});
