import Fastify from "fastify";
import { createAuth } from "latchkey";
import { fastifyAuth } from "latchkey/fastify";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  allowedHosts: "loopback-setup",
});
const { routes, requireAuth, user } = fastifyAuth(auth);

const app = Fastify();
app.register(routes);

app.register(async (members) => {
  members.addHook("onRequest", requireAuth);
  members.get("/", (request) => `Hello, ${user(request).username}`);
  members.get("/api/me", (request) => user(request));
});

app.addHook("onClose", async () => {
  await auth.close();
  store.close();
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });

process.once("SIGTERM", () => app.close());
