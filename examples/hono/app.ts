import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { html } from "hono/html";
import { createAuth } from "latchkey";
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

/** The notes of each user, by the user's ID. They are gone when the process ends. */
const notes = new Map<string, string[]>();

const app = new Hono();
app.route("/", auth.routes);

app.get("/", auth.requireAuth, (c) => {
  const { id, username } = c.var.user;
  return c.html(html`<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Notes</title>
  <h1>Notes of ${username}</h1>
  <ul>${(notes.get(id) ?? []).map((note) => html`<li>${note}</li>`)}</ul>
  <form method="post" action="/notes">
    <input name="note" aria-label="Note" required maxlength="1000"> <button>Add</button>
  </form>
  <form method="post" action="/logout"><button>Sign out</button></form>
  <p><a href="/account">Change the password</a></p>
</html>`);
});

app.post("/notes", auth.requireAuth, async (c) => {
  const { id } = c.var.user;
  const { note } = await c.req.parseBody();
  if (typeof note === "string" && note !== "") notes.set(id, [...(notes.get(id) ?? []), note]);
  return c.redirect("/", 303);
});

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) }, (address) => {
  process.stdout.write(`Notes at http://127.0.0.1:${address.port}\n`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(async () => {
      await auth.close();
      store.close();
    });
  });
}
