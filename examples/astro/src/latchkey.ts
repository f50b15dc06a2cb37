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

export const latchkey = fetchAuth(auth);

process.once("SIGTERM", async () => {
  await auth.close();
  store.close();
  process.exit();
});
