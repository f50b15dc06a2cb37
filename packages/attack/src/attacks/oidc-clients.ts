import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { parseObject } from "../oidc/browser.ts";
import { type OidcClients, requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import type { OidcClient } from "../oidc/setup.ts";
import {
  type Authenticating,
  authenticate,
  codeForm,
  getCode,
  getTokens,
  isActive,
  isAlive,
  post,
  refreshForm,
  type Scene,
  tokensIn,
} from "../oidc/tokens.ts";
import { unsigned } from "../payloads/id-tokens.ts";

export const oidcClients: Attack = {
  name: "oidc-clients",
  about: "requests of an app without its secret, or with the secret of another app",
  meaning: "An attacker or another app uses, reads or ends the tokens of an app.",
  noun: "requests",
  verb: "accepted",
  needs: ["account", "clients"],

  async run(target, tally) {
    const clients = requireClients(target);
    const scene = await openScene(target);
    const { app } = clients;
    const { access } = await getTokens(scene, app);
    if (!(await isActive(scene, authenticate(app), access)))
      throw new Undecided("an app cannot introspect its own token");
    // The client of the token is another one, and authenticates as it should.
    const others = [clients.other, clients.open].map(
      (other) => [`the client ${other.id}`, authenticate(other)] as const,
    );
    const wrong = wrongSecrets(scene, clients);
    await atTokens(scene, app, wrong, tally);
    await atOthers(scene, app, [...wrong, ...others], tally);
    await atRequests(scene, app, wrong, tally);
  },
};

type Variant = readonly [what: string, authenticating: Authenticating];

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

/** Names the app, and proves nothing. */
function wrongSecrets({ provider }: Scene, { app, other, open }: OidcClients): readonly Variant[] {
  const { id, secret = "" } = app;
  const inForm = (client_secret: string | undefined): Authenticating => ({
    form: { client_id: id, client_secret },
  });
  const inHeader = (Authorization: string): Authenticating => ({ headers: { Authorization } });
  const foreign = other.secret ?? "";
  const claims = { iss: id, sub: id, aud: provider.issuer, jti: "1", exp: 4_000_000_000 };
  const assertion = {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: unsigned(claims),
  };
  return [
    ["nothing", {}],
    ["its ID alone", inForm(undefined)],
    ["an empty secret", inForm("")],
    ["another secret", inForm("x".repeat(43))],
    ["the secret of another app", inForm(foreign)],
    ["its secret in capitals", inForm(secret.toUpperCase())],
    ["the start of its secret", inForm(secret.slice(0, -1))],
    ["its secret and a letter", inForm(`${secret}A`)],
    ["its secret and NUL", inForm(`${secret}\0`)],
    ["a wildcard", inForm("%")],
    ["an empty secret in Basic", inHeader(basic(id, ""))],
    ["another secret in Basic", inHeader(basic(id, "x".repeat(43)))],
    ["the secret of another app in Basic", inHeader(basic(id, foreign))],
    ["Basic without a secret", inHeader(`Basic ${Buffer.from(id).toString("base64")}`)],
    ["an empty Basic", inHeader("Basic ")],
    ["its secret as Bearer", inHeader(`Bearer ${secret}`)],
    [
      "another app's Basic beside its ID",
      { headers: { Authorization: basic(other.id, foreign) }, form: { client_id: id } },
    ],
    [
      "a public client's ID beside its Basic",
      { headers: { Authorization: basic(open.id, "") }, form: { client_id: id } },
    ],
    ["an assertion without a signature", { form: { ...assertion } }],
    ["its ID and an assertion without a signature", { form: { client_id: id, ...assertion } }],
  ];
}

async function atTokens(
  scene: Scene,
  app: OidcClient,
  wrong: readonly Variant[],
  tally: Tally,
): Promise<void> {
  const code = await getCode(scene, app);
  const { refresh = "" } = await getTokens(scene, app);
  for (const [what, authenticating] of wrong) {
    for (const [name, form] of [
      ["a code", codeForm(code)],
      ["a refresh token", refreshForm(refresh)],
      ["client credentials", { grant_type: "client_credentials", scope: "openid" }],
      ["a password", { grant_type: "password", username: "x", password: "x" }],
    ] as const) {
      tally.tried();
      const response = await post(scene, "token_endpoint", authenticating, form);
      if (tokensIn(response)) tally.gotThrough(`${name} gives tokens with ${what}`);
    }
  }
}

async function atOthers(
  scene: Scene,
  app: OidcClient,
  wrong: readonly Variant[],
  tally: Tally,
): Promise<void> {
  const { access, refresh = "" } = await getTokens(scene, app);
  for (const [what, authenticating] of wrong) {
    for (const [name, token] of [
      ["an access token", access],
      ["a refresh token", refresh],
    ] as const) {
      tally.tried();
      if (await isActive(scene, authenticating, token))
        tally.gotThrough(`${name} is described to a request with ${what}`);
      tally.tried();
      await post(scene, "revocation_endpoint", authenticating, { token });
    }
    if (!(await isAlive(scene, access))) {
      tally.gotThrough(`a token is revoked by a request with ${what}`);
      return;
    }
    if (!(await isActive(scene, authenticate(app), refresh))) {
      tally.gotThrough(`a refresh token is revoked by a request with ${what}`);
      return;
    }
  }
}

async function atRequests(
  scene: Scene,
  app: OidcClient,
  wrong: readonly Variant[],
  tally: Tally,
): Promise<void> {
  const { id: client_id, redirect: redirect_uri } = app;
  const form = { client_id, redirect_uri, response_type: "code", scope: "openid" };
  const accepts = async (endpoint: string, authenticating: Authenticating): Promise<boolean> => {
    const { body } = await post(scene, endpoint, authenticating, form);
    const { request_uri: uri, device_code: device } = parseObject(body);
    return uri !== undefined || device !== undefined;
  };
  for (const endpoint of [
    "pushed_authorization_request_endpoint",
    "device_authorization_endpoint",
  ]) {
    if (!(await accepts(endpoint, authenticate(app))))
      throw new Undecided(`the ${endpoint} refuses an app`);
    for (const [what, authenticating] of wrong) {
      tally.tried();
      if (await accepts(endpoint, authenticating))
        tally.gotThrough(`the ${endpoint} accepts a request with ${what}`);
    }
  }
}
