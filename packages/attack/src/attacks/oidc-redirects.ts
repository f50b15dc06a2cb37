import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { Browser, hasCode, parseObject, start, visit } from "../oidc/browser.ts";
import { requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import { authenticate, post } from "../oidc/tokens.ts";
import { redirectVariants } from "../payloads/redirect-variants.ts";

export const oidcRedirects: Attack = {
  name: "oidc-redirects",
  about: "redirect addresses that resemble the one of an app",
  meaning: "The code for an app reaches an attacker, who signs in to the app as its user.",
  noun: "addresses",
  verb: "accepted",
  needs: ["account", "clients"],

  async run(target, tally) {
    const { app, open } = requireClients(target);
    const scene = await openScene(target);
    const { provider, session } = scene;
    for (const client of [app, open]) {
      const browser = new Browser(target, provider, session);
      if (!hasCode(await visit(browser, start(provider, client))))
        throw new Undecided(`the client ${client.id} gets no code at its own address`);
      const all = redirectVariants(client.redirect);
      const variants = client === app ? all : all.filter((_, at) => at % 3 === 0);
      await forEach(variants, CONCURRENCY, async (redirect_uri) => {
        tally.tried();
        const name = JSON.stringify(redirect_uri.slice(0, 100));
        // The browser is not signed in: the server decides before it asks for a password.
        const stranger = new Browser(target, provider);
        const place = await stranger.ask(start(provider, client, { redirect_uri }));
        if (place.status < 400) tally.gotThrough(`${client.id}: ${name}`);
      });
      const failing = [{ response_type: "unknown" }, { scope: "unknown" }, { prompt: "none" }];
      const some = variants.filter((_, at) => at % 16 === 0);
      await forEach([...some.entries()], CONCURRENCY, async ([at, redirect_uri]) => {
        tally.tried();
        const name = JSON.stringify(redirect_uri.slice(0, 100));
        const parameters = { ...failing[at % failing.length], redirect_uri };
        const { response, away } = await browser.go(start(provider, client, parameters));
        if (away !== undefined || response.status < 400)
          tally.gotThrough(`${client.id}: an error goes to ${name}`);
        const pushed = await post(
          scene,
          "pushed_authorization_request_endpoint",
          authenticate(client),
          { client_id: client.id, response_type: "code", scope: "openid", redirect_uri },
        );
        if (parseObject(pushed.body).request_uri !== undefined)
          tally.gotThrough(`${client.id}: a pushed request with ${name}`);
      });
    }
  },
};
