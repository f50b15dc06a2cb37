import { type Attack, CONCURRENCY, forEach, type Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { type HttpResponse, headerOf } from "../http/response.ts";
import {
  Browser,
  hasCode,
  type Parameters,
  type Place,
  parameterOf,
  parseObject,
  start,
  visit,
} from "../oidc/browser.ts";
import { requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import type { OidcClient } from "../oidc/setup.ts";
import { authenticate, codeForm, post, type Scene, tokensIn } from "../oidc/tokens.ts";
import { partsOf } from "../payloads/tokens.ts";

const MARK = "attackmark";

/** Values that a page or a header could take for its own text. */
const VALUES: readonly string[] = [
  `"><script>${MARK}()</script>`,
  `'><img src=x onerror=${MARK}()>`,
  `</title></textarea></script><svg onload=${MARK}()>`,
  `"autofocus onfocus=${MARK}() x="`,
  `javascript:${MARK}()`,
  `<%= ${MARK} %>{{${MARK}}}\${${MARK}}`,
  `\r\nSet-Cookie: ${MARK}=1\r\n\r\n<script>${MARK}()</script>`,
  `%0d%0aSet-Cookie:%20${MARK}=1`,
  "&iss=https://elsewhere.example&code=forged&error=x",
  "#access_token=forged&state=x",
  "a b+c%20d%2Bé😀",
  "x".repeat(2_000),
];

const RESPONSE_TYPES = [
  ..."token,id_token,id_token token,code token,code id_token,code id_token token,none".split(","),
  ..."CODE,device,saml,code none,code;token,x".split(","),
];

const RESPONSE_MODES = [
  ..."query.jwt,fragment.jwt,form_post.jwt,jwt,web_message,post_message,cookie,QUERY".split(","),
  "query fragment",
  "x",
];

export const oidcResponses: Attack = {
  name: "oidc-responses",
  about: "responses to apps: their state, nonce and issuer, unknown types and modes, and markup",
  meaning: "An app takes the response of another server or sign-in for its own, or runs a script.",
  noun: "requests",
  verb: "were answered wrongly",
  needs: ["account", "clients"],

  async run(target, tally) {
    const { app, open } = requireClients(target);
    const scene = await openScene(target);
    await returned(scene, app, tally);
    for (const client of [app, open]) await unknownKinds(scene, client, tally);
    await reflected(scene, app, tally);
  },
};

const decodeHtml = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .replace(/&#(\d+);/g, (_, decimal: string) => String.fromCodePoint(Number(decimal)))
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");

/** A field of a response that the browser gets in the URL, or posts to the app. */
function fieldOf(place: Place, name: string): string | undefined {
  const inUrl = parameterOf(place, name);
  if (inUrl !== undefined || place.away !== undefined) return inUrl;
  const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(place.response.body) ?? [];
  return value === undefined ? undefined : decodeHtml(value);
}

async function returned(scene: Scene, app: OidcClient, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const { issuer } = provider;
  const modes = [undefined, "query", "form_post", "fragment"];
  const cases = VALUES.flatMap((value) => modes.map((mode) => [value, mode] as const));
  await forEach(cases, CONCURRENCY, async ([value, response_mode]) => {
    const browser = new Browser(target, provider, session);
    const started = start(provider, app, { state: value, nonce: value, response_mode });
    const place = await visit(browser, started);
    const code = fieldOf(place, "code");
    if (code === undefined) return;
    tally.tried();
    const name = `${JSON.stringify(value.slice(0, 40))} (${response_mode ?? "default"})`;
    if (fieldOf(place, "state") !== value) tally.gotThrough(`the state ${name} returns changed`);
    if (fieldOf(place, "iss") !== issuer) tally.gotThrough(`a response names another issuer`);
    if (runsMarkup(place.response)) tally.gotThrough(`the state ${name} is reflected unescaped`);
    if (response_mode !== undefined) return;
    const form = codeForm({ ...started, client: app, code });
    const response = await post(scene, "token_endpoint", authenticate(app), form);
    const claims = partsOf(tokensIn(response)?.id ?? "")?.payload;
    if (claims === undefined) throw new Undecided("an app gets no ID token");
    if (headerOf(response, "cache-control") !== "no-store")
      tally.gotThrough("a response with tokens can be cached");
    if (claims.nonce !== value) tally.gotThrough(`the nonce ${name} returns changed`);
    if (claims.iss !== issuer) tally.gotThrough("an ID token names another issuer");
    if (claims.aud !== app.id) tally.gotThrough("an ID token is for another app");
  });
}

/** Whether the response contains a value of the request as markup or header. */
export const runsMarkup = ({ body, headers }: HttpResponse): boolean =>
  headers.some(([name, value]) => /^set-cookie$/i.test(name) && value.startsWith(MARK)) ||
  new RegExp(
    `<script>${MARK}|<img src=x on|<svg onload|"autofocus onfocus|href="javascript:${MARK}`,
  ).test(body);

async function unknownKinds(
  { target, provider, session }: Scene,
  client: OidcClient,
  tally: Tally,
): Promise<void> {
  const browser = new Browser(target, provider, session);
  const cases: readonly Parameters[] = [
    ...RESPONSE_TYPES.map((response_type) => ({ response_type })),
    { response_type: undefined },
    ...RESPONSE_MODES.map((response_mode) => ({ response_mode })),
    { response_type: "token", response_mode: "query" },
    { response_type: "id_token", response_mode: "query" },
    { response_type: "code id_token", response_mode: "query" },
  ];
  for (const parameters of cases) {
    tally.tried();
    const place = await visit(browser, start(provider, client, parameters));
    if (hasCode(place) || parameterOf(place, "response") !== undefined)
      tally.gotThrough(`${client.id}: ${JSON.stringify(parameters)} gives a code or a token`);
  }
}

/** Pages that show a value of the request. */
async function reflected(scene: Scene, app: OidcClient, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const names = [
    ..."client_id redirect_uri scope response_type response_mode prompt max_age ui_locales".split(
      " ",
    ),
    ..."login_hint acr_values display claims id_token_hint request request_uri code_challenge".split(
      " ",
    ),
  ];
  const cases = VALUES.slice(0, 8).flatMap((value) => names.map((name) => [name, value] as const));
  await forEach(cases, CONCURRENCY, async ([name, value]) => {
    tally.tried();
    const browser = new Browser(target, provider, session);
    const place = await browser.go(start(provider, app, { [name]: value }));
    if (runsMarkup(place.response)) tally.gotThrough(`a page shows markup of ${name}`);
    if (place.response.status >= 500)
      tally.gotThrough(`${name}=${value.slice(0, 40)}: status ${place.response.status}`);
  });
  for (const value of VALUES) {
    tally.tried();
    const response = await post(scene, "token_endpoint", authenticate(app), { grant_type: value });
    const isJson = response.headers.some(
      ([name, type]) => /^content-type$/i.test(name) && type.startsWith("application/json"),
    );
    if (!isJson || parseObject(response.body).error === undefined)
      tally.gotThrough("an error of the token endpoint is not JSON");
  }
}
