import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createAuth } from "latchkey";
import { nodeAuth } from "latchkey/node";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});
const { routes, requireAuth } = nodeAuth(auth);

const app = requireAuth((request, response, user) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/") return response.end(`Hello, ${user.username}`);
  if (pathname === "/api/me") return response.end(JSON.stringify(user));
  response.writeHead(404).end();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!(await routes(request, response))) await app(request, response);
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");

process.once("SIGTERM", () => {
  server.close(async () => {
    await auth.close();
    store.close();
  });
});
