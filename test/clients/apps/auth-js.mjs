/** Auth.js with Express, as its documentation of OpenID Connect providers and of token rotation shows. */
import { ExpressAuth, getSession } from "@auth/express";
import express from "express";

const { ISSUER, CLIENT_ID, CLIENT_SECRET, APP_URL, PORT } = process.env;
const { CALLBACK = "/auth/callback/latchkey", SCOPE = "openid profile groups" } = process.env;
/** The library itself chooses the path of the callback below its own. */
const [base, id] = CALLBACK.split("/callback/");

/** Whether the access token has expired. */
let isExpired = false;

const config = {
  secret: crypto.randomUUID(),
  basePath: base,
  trustHost: true,
  providers: [
    {
      id,
      name: "Latchkey",
      type: "oidc",
      style: { logo: "data:," },
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: SCOPE } },
    },
  ],
  callbacks: {
    async jwt({ token, account, profile }) {
      if (account) {
        const { refresh_token, id_token } = account;
        return { ...token, profile, refresh_token, id_token, refreshed: 0 };
      }
      if (!isExpired) return token;
      isExpired = false;
      const discovery = await fetch(`${ISSUER}/.well-known/openid-configuration`);
      const response = await fetch((await discovery.json()).token_endpoint, {
        method: "POST",
        body: new URLSearchParams({
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          grant_type: "refresh_token",
          refresh_token: token.refresh_token,
        }),
      });
      const tokens = await response.json();
      if (!response.ok) throw tokens;
      const refresh_token = tokens.refresh_token ?? token.refresh_token;
      return { ...token, refresh_token, refreshed: token.refreshed + 1 };
    },
    session({ session, token }) {
      const { profile, id_token, refreshed } = token;
      return { ...session, profile, id_token, refreshed };
    },
  },
};

const app = express();
app.set("trust proxy", true);
app.get("/", async (request, response) => {
  const session = await getSession(request, config);
  if (session === null) response.redirect(`${base}/signin`);
  else {
    const { profile, refreshed } = session;
    response.send(`<pre>${JSON.stringify({ ...profile, refreshed })}</pre>`);
  }
});
// Only the path of Auth.js itself stores the new refresh token in the cookie.
app.get("/refresh", (_request, response) => {
  isExpired = true;
  response.redirect(`${base}/session`);
});
app.get("/logout", async (request, response) => {
  const session = await getSession(request, config);
  response.clearCookie("authjs.session-token");
  const query = new URLSearchParams({
    id_token_hint: session.id_token,
    post_logout_redirect_uri: `${APP_URL}/bye`,
  });
  response.redirect(`${ISSUER}/oidc/logout?${query}`);
});
app.get("/bye", (_request, response) => response.send("Signed out"));
app.use(base, ExpressAuth(config));
app.listen(Number(PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
