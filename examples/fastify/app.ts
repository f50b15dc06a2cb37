import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Fastify from "fastify";
import { createAuth } from "latchkey";
import { fastifyAuth } from "latchkey/fastify";
import { openSqlite } from "latchkey/sqlite";

const { PORT = "3000", DATA_DIR = "./data", AUTH_SECRET } = process.env;
if (!AUTH_SECRET) throw new Error("Set AUTH_SECRET: `npx latchkey secret` prints a new one.");

mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
const store = await openSqlite({ file: join(DATA_DIR, "accounts.db") });
const auth = createAuth({
  store,
  secret: AUTH_SECRET,
  homePath: "/account",
  returnTo: true,
  onDenied: "negotiate",
  // Against DNS rebinding: until there is an account, only loopback names reach the setup.
  allowedHosts: "loopback-setup",
});
const { routes, requireAuth, user } = fastifyAuth(auth);

/** The notes of each user, by the user's ID. They are gone when the process ends. */
const notes = new Map<string, string[]>();

const escaped = (raw: string): string => raw.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const app = Fastify();
await app.register(routes);
app.addContentTypeParser(
  "application/x-www-form-urlencoded",
  { parseAs: "string" },
  (_request, body, done) => done(null, new URLSearchParams(String(body))),
);

app.get("/", { onRequest: requireAuth }, (request, reply) => {
  const { id, username } = user(request);
  reply.type("text/html; charset=utf-8").send(`<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Notes</title>
  <h1>Notes of ${escaped(username)}</h1>
  <ul>${(notes.get(id) ?? []).map((note) => `<li>${escaped(note)}</li>`).join("")}</ul>
  <form method="post" action="/notes">
    <input name="note" aria-label="Note" required maxlength="1000"> <button>Add</button>
  </form>
  <form method="post" action="/logout"><button>Sign out</button></form>
  <p><a href="/account">Change the password</a></p>
</html>`);
});

app.post("/notes", { onRequest: requireAuth }, (request, reply) => {
  const { id } = user(request);
  const note = request.body instanceof URLSearchParams ? request.body.get("note") : null;
  if (note) notes.set(id, [...(notes.get(id) ?? []), note]);
  reply.redirect("/", 303);
});

app.addHook("onClose", async () => {
  await auth.close();
  store.close();
});

const address = await app.listen({ host: "127.0.0.1", port: Number(PORT) });
process.stdout.write(`Notes at ${address}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => app.close());
