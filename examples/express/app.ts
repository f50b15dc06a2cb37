import express from "express";
import { createAuth } from "latchkey";
import { expressAuth } from "latchkey/express";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});
const { routes, requireAuth, user } = expressAuth(auth);

const app = express();
app.use(routes); // before body parsers
app.use(requireAuth); // everything below needs a signed-in user

app.get("/", (_request, response) => {
  response.type("text").send(`Hello, ${user(response).username}`);
});

app.get("/api/me", (_request, response) => {
  response.json(user(response));
});

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");

process.once("SIGTERM", () => {
  server.close(async () => {
    await auth.close();
    store.close();
  });
});
