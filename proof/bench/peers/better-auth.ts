import { createHmac } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { type BetterAuth, betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import { greeting, nameOf, namesUpTo, PASSWORD, type Peer, SECRET } from "./peer.ts";

/** Longer than the documented five minutes, because the load reuses the same cookies. */
const CACHE_S = 3600;

type CookieCache = "plain" | "cookie-cache";
type SignUp = "open" | "closed";

function open(folder: string, cache: CookieCache, signUp: SignUp): BetterAuth {
  const database = new DatabaseSync(`${folder}/better-auth.db`);
  // The defaults of better-sqlite3, the recommended driver, in this mode.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return betterAuth({
    database,
    secret: SECRET,
    baseURL: "http://localhost",
    emailAndPassword: { enabled: true, disableSignUp: signUp === "closed" },
    ...(cache === "cookie-cache" && {
      session: { cookieCache: { enabled: true, maxAge: CACHE_S } },
    }),
  });
}

export function betterAuthPeer(cache: CookieCache): Peer {
  return {
    async plant(folder, count) {
      const auth = open(folder, cache, "open");
      await (await getMigrations(auth.options)).runMigrations();
      await auth.api.signUpEmail({
        body: { name: nameOf(0), email: addressOf(nameOf(0)), password: PASSWORD },
      });
      const cookies: string[] = [];
      for (const name of namesUpTo(count)) cookies.push(await signedIn(auth, name, cache));
      return cookies;
    },

    async serve(folder) {
      const auth = open(folder, cache, "closed");
      const handler = toNodeHandler(auth);
      return async (request, response) => {
        if (request.url !== "/guarded") {
          await handler(request, response);
          return;
        }
        const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
        if (session === null) {
          response.writeHead(303, { Location: "/login" }).end();
          return;
        }
        const body = greeting(session.user.name);
        response.setHeader("Content-Type", "text/plain; charset=UTF-8");
        response.setHeader("Content-Length", Buffer.byteLength(body));
        response.end(body);
      };
    },
  };
}

const addressOf = (name: string): string => `${name}@example.org`;

async function signedIn(auth: BetterAuth, name: string, cache: CookieCache): Promise<string> {
  const { internalAdapter, authCookies } = await auth.$context;
  const email = addressOf(name);
  const user =
    (await internalAdapter.findUserByEmail(email))?.user ??
    (await internalAdapter.createUser({ name, email, emailVerified: true }));
  const { token } = await internalAdapter.createSession(user.id);
  const signature = createHmac("sha256", SECRET).update(token).digest("base64");
  const cookie = `${authCookies.sessionToken.name}=${encodeURIComponent(`${token}.${signature}`)}`;
  if (cache === "plain") return cookie;
  const { headers } = await auth.api.getSession({
    headers: new Headers({ cookie }),
    returnHeaders: true,
  });
  const cached = headers.getSetCookie().map((header) => header.split(";")[0]);
  return [cookie, ...cached].join("; ");
}
