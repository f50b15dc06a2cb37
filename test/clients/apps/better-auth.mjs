/** better-auth with its plugin for any OAuth provider, as its documentation shows. */
import { DatabaseSync } from "node:sqlite";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import { genericOAuth } from "better-auth/plugins";
import express from "express";

const { ISSUER, CLIENT_ID, CLIENT_SECRET, APP_URL, PORT } = process.env;

const auth = betterAuth({
  baseURL: APP_URL,
  secret: crypto.randomUUID(),
  database: new DatabaseSync(":memory:"),
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: "latchkey",
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scopes: ["openid", "profile", "groups"],
          // It requires an address of each user, and not every account has one.
          mapProfileToUser: ({ preferred_username }) => ({
            email: `${preferred_username}@users.invalid`,
          }),
        },
      ],
    }),
  ],
});
await (await getMigrations(auth.options)).runMigrations();

/** Asks better-auth as its own client in the browser does, and follows it. */
const ask = (path, body) => `<script type="module">
const response = await fetch("/api/auth/${path}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: ${JSON.stringify(JSON.stringify(body))},
});
const { url, error } = await response.json();
if (url) location.assign(url);
else document.body.append(error ?? response.status);
</script>`;

const app = express();
app.all("/api/auth/{*any}", toNodeHandler(auth));
app.get("/", async (request, response) => {
  const headers = fromNodeHeaders(request.headers);
  const session = await auth.api.getSession({ headers });
  if (session === null) {
    response.send(ask("sign-in/social", { provider: "latchkey", callbackURL: "/" }));
    return;
  }
  const [account] = await auth.api.listUserAccounts({ headers });
  response.send(
    `<pre>${JSON.stringify({ name: session.user.name, sub: account.accountId })}</pre>`,
  );
});
app.get("/refresh", async (request, response) => {
  const headers = fromNodeHeaders(request.headers);
  const [account] = await auth.api.listUserAccounts({ headers });
  const body = { accountId: account.id };
  const { accessToken: before } = await auth.api.getAccessToken({ headers, body });
  const { accessToken: after } = await auth.api.refreshToken({ headers, body });
  response.send(`<pre>${JSON.stringify({ refreshed: after !== before })}</pre>`);
});
app.get("/logout", (_request, response) => {
  response.send(ask("sign-out", { callbackURL: "/bye" }));
});
app.get("/bye", (_request, response) => response.send("Signed out"));
app.listen(Number(PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
