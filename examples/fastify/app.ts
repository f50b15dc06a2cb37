import Fastify from "fastify";
import { createAuth } from "latchkey";
import { fastifyAuth } from "latchkey/fastify";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});
const { routes, requireAuth, user } = fastifyAuth(auth);

const app = Fastify();
await app.register(routes);
app.addHook("onRequest", requireAuth); // everything below needs a signed-in user

app.get("/", (request) => `Hello, ${user(request).username}`);
app.get("/api/me", (request) => user(request));

app.addHook("onClose", async () => {
  await auth.close();
  store.close();
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });

process.once("SIGTERM", () => app.close());
