/** express-openid-connect, as its documentation shows for providers without the implicit flow. */
import express from "express";
import openid from "express-openid-connect";

const { auth, requiresAuth } = openid;
const { ISSUER, CLIENT_ID, CLIENT_SECRET, APP_URL, PORT, RESPONSE_MODE = "query" } = process.env;

/** Remembers which sessions have ended, as a store of express-session. */
const ended = new Map();
const store = {
  get: (id, done) => done(null, ended.get(id)),
  set: (id, session, done) => done(null, ended.set(id, session)),
  destroy: (id, done) => done(null, ended.delete(id)),
};

const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: APP_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: crypto.randomUUID(),
    authorizationParams: {
      response_type: "code",
      response_mode: RESPONSE_MODE,
      scope: "openid profile groups",
    },
    authRequired: false,
    idpLogout: true,
    backchannelLogout: { store },
    routes: { postLogoutRedirect: "/bye" },
  }),
);
app.get("/", requiresAuth(), (request, response) => {
  response.send(`<pre>${JSON.stringify(request.oidc.user)}</pre>`);
});
app.get("/refresh", requiresAuth(), async (request, response) => {
  const { accessToken } = request.oidc;
  const before = accessToken.access_token;
  const { access_token: after } = await accessToken.refresh();
  const userinfo = await request.oidc.fetchUserInfo();
  response.send(`<pre>${JSON.stringify({ ...userinfo, refreshed: after !== before })}</pre>`);
});
app.get("/bye", (_request, response) => response.send("Signed out"));
app.listen(Number(PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
