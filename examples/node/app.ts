import { createServer } from "node:http";
import { createAuth } from "latchkey";
import { nodeAuth } from "latchkey/node";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  allowedHosts: "loopback-setup",
});
const { routes, requireAuth } = nodeAuth(auth);

const app = requireAuth((request, response, user) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/") return response.end(`Hello, ${user.username}`);
  if (pathname === "/api/me") return response.end(JSON.stringify(user));
  response.writeHead(404).end();
});

const server = createServer(async (request, response) => {
  if (!(await routes(request, response))) await app(request, response);
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");

process.once("SIGTERM", () => {
  server.close(async () => {
    await auth.close();
    store.close();
  });
});
