import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express from "express";
import { createAuth } from "latchkey";
import { expressAuth } from "latchkey/express";
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
const { routes, requireAuth, user } = expressAuth(auth);

/** The notes of each user, by the user's ID. They are gone when the process ends. */
const notes = new Map<string, string[]>();

const escaped = (raw: string): string => raw.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const app = express();
app.use(routes);
app.use(express.urlencoded());

app.get("/", requireAuth, (_request, response) => {
  const { id, username } = user(response);
  response.send(`<!doctype html>
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

app.post("/notes", requireAuth, (request, response) => {
  const { id } = user(response);
  const note: unknown = request.body?.note;
  if (typeof note === "string" && note !== "") notes.set(id, [...(notes.get(id) ?? []), note]);
  response.redirect(303, "/");
});

const server = app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error !== undefined) throw error;
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Notes at http://127.0.0.1:${port}\n`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(async () => {
      await auth.close();
      store.close();
    });
  });
}
