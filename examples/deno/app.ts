import { createAuth } from "latchkey";
import { fetchAuth } from "latchkey/fetch";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: Deno.env.get("AUTH_SECRET"),
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

const server = Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 3000) },
  async (request, { remoteAddr }) =>
    (await routes(request, { remoteAddress: remoteAddr.hostname })) ?? app(request),
);

Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await auth.close();
  store.close();
});
