/** express-openid-connect, as its documentation shows for providers without the implicit flow. */
import express from "express";
import openid from "express-openid-connect";

const { auth, requiresAuth } = openid;
const { ISSUER, CLIENT_ID, CLIENT_SECRET, APP_URL, PORT } = process.env;

const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: APP_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: crypto.randomUUID(),
    authorizationParams: { response_type: "code", scope: "openid profile groups" },
    authRequired: false,
    idpLogout: true,
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
