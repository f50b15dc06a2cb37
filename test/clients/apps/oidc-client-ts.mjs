/** A page without a server of its own, with oidc-client-ts as its documentation shows. */
import express from "express";

const { ISSUER, CLIENT_ID, APP_URL, PORT } = process.env;

const settings = {
  authority: ISSUER,
  client_id: CLIENT_ID,
  redirect_uri: `${APP_URL}/callback`,
  post_logout_redirect_uri: `${APP_URL}/bye`,
  scope: "openid profile groups",
};

const page = `<!doctype html><title>Photo album</title><script src="/library.js"></script>
<script type="module">
const manager = new oidc.UserManager(${JSON.stringify(settings)});
const show = (shown) => {
  const pre = document.createElement("pre");
  pre.textContent = JSON.stringify(shown);
  document.body.append(pre);
};
switch (location.pathname) {
  case "/callback": {
    await manager.signinCallback();
    location.replace("/");
    break;
  }
  case "/refresh": {
    const before = await manager.getUser();
    const after = await manager.signinSilent();
    show({ refreshed: before.access_token !== after.access_token });
    break;
  }
  case "/logout": {
    await manager.signoutRedirect();
    break;
  }
  case "/bye": {
    document.body.append("Signed out");
    break;
  }
  default: {
    const user = await manager.getUser();
    if (user) show(user.profile);
    else await manager.signinRedirect();
  }
}
</script>`;

const app = express();
app.get("/library.js", (_request, response) => {
  const root = `${import.meta.dirname}/node_modules/oidc-client-ts/dist/browser`;
  response.sendFile("oidc-client-ts.min.js", { root });
});
app.get("/{*any}", (_request, response) => response.send(page));
app.listen(Number(PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
