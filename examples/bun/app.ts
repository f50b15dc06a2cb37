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

const app = requireAuth((request, user) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/") return new Response(`Hello, ${user.username}`);
  if (pathname === "/api/me") return Response.json(user);
  return new Response("Not found", { status: 404 });
});

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 3000),
  async fetch(request, server) {
    const remoteAddress = server.requestIP(request)?.address ?? "";
    return (await routes(request, { remoteAddress })) ?? app(request);
  },
});

process.once("SIGTERM", async () => {
  await server.stop();
  await auth.close();
  store.close();
  process.exit();
});
