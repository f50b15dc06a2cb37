/**
 * A provider in a process of its own, for the bench of a code flow: Latchkey, or its library alone
 * with memory in place of a database. Tells its parent where it is, and its CPU time when asked.
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { nodeAuth } from "../../src/adapters/node.ts";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import { addApp } from "../../src/features/apps/manage-apps.ts";
import { createAuth } from "../../src/index.ts";
import { oidc } from "../../src/oidc.ts";
import { CLIENT_ID, REDIRECT, USER } from "./flow.ts";

const [kind = "", file = ""] = process.argv.slice(2);
const server = createServer();
server.listen(0, "127.0.0.1", async () => {
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const started = kind === "latchkey" ? await startLatchkey(issuer) : startAlone(issuer);
  server.on("request", started.listener);
  process.send?.({ issuer, secret: started.secret, cookie: started.cookie });
});
process.on("message", () => process.send?.(process.cpuUsage()));
process.on("SIGINT", () => process.exit(0));

async function startLatchkey(issuer: string) {
  const store = await openSqlite({ file });
  const secret = "a secret for this bench, which nobody else uses";
  const auth = createAuth({ store, secret, oidc, hosts: { publicUrl: issuer } });
  await auth.users.add({ username: USER, password: "a password for the bench" });
  const user = await auth.users.findByUsername(USER);
  const session = user && (await auth.sessions.create(user.id));
  const services = { store, clock: Date, appDirectory: { forget() {} }, record() {} };
  const added = await addApp(services, { name: CLIENT_ID, redirects: [REDIRECT] });
  if (added.kind !== "added" || session === undefined) throw new Error("cannot add the app");
  const { routes } = nodeAuth(auth);
  const listener: RequestListener = (request, response) => void routes(request, response);
  return { listener, secret: added.secret, cookie: session.cookie };
}

function startAlone(issuer: string) {
  const secret = "a secret for this bench, which nobody else uses";
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: secret,
        redirect_uris: [REDIRECT],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    claims: { openid: ["sub"], profile: ["preferred_username"] },
    conformIdTokenClaims: false,
    // Latchkey issues a refresh token as well.
    issueRefreshToken: async () => true,
    features: { devInteractions: { enabled: true } },
    findAccount: async (_, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: USER }),
    }),
    async loadExistingGrant({ oidc: { provider: own, client, session } }) {
      const known = session?.grantIdFor(client?.clientId ?? "");
      if (known) return own.Grant.find(known);
      const grant = new own.Grant({
        accountId: session?.accountId ?? "",
        clientId: client?.clientId ?? "",
      });
      grant.addOIDCScope("openid profile");
      await grant.save();
      return grant;
    },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
  });
  return { listener: provider.callback(), secret, cookie: undefined };
}
