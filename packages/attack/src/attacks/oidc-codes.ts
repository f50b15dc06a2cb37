import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import type { ServerAddress } from "../http/wire.ts";
import { Browser, challengeOf, hasCode, type Parameters, start, visit } from "../oidc/browser.ts";
import { type OidcClients, requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import type { OidcClient } from "../oidc/setup.ts";
import {
  authenticate,
  type Code,
  codeForm,
  describeAlive,
  getCode,
  getTokens,
  post,
  refreshForm,
  type Scene,
  type Tokens,
  tokensIn,
  useCode,
  useRefresh,
} from "../oidc/tokens.ts";

const AT_ONCE = 8;

export const oidcCodes: Attack = {
  name: "oidc-codes",
  about: "authorization codes and refresh tokens, again and in the hands of other clients",
  meaning: "An attacker who sees a code or a token gets the account of its user at an app.",
  noun: "attempts",
  verb: "got through",
  needs: ["account", "clients"],

  async run(target, tally) {
    const clients = requireClients(target);
    const scene = await openScene(target);
    await twice(scene, clients, tally);
    await elsewhere(scene, clients, tally);
    await withoutVerifier(scene, clients, tally);
    await withoutChallenge(scene, clients, tally);
  },
};

/** The first instance and, if there is another one, that one. */
const addressesOf = ({ target }: Scene): readonly (ServerAddress | undefined)[] =>
  target.oidc?.second === undefined ? [undefined] : [undefined, target.oidc.second];

async function twice(scene: Scene, { app, open }: OidcClients, tally: Tally): Promise<void> {
  for (const client of [app, open]) {
    await atOnce(scene, client, tally, "code", async () => codeForm(await getCode(scene, client)));
    await atOnce(scene, client, tally, "refresh token", async () =>
      refreshForm((await getTokens(scene, client)).refresh ?? ""),
    );
  }
  // After a second use, nobody knows which of the two users is the thief.
  for (const at of addressesOf(scene)) {
    const code = await getCode(scene, app);
    const tokens = await useCode(scene, code);
    if (tokens === undefined) throw new Undecided("a code gives no tokens");
    tally.tried();
    if ((await useCode(scene, code, at)) !== undefined)
      tally.gotThrough("a code gives tokens again");
    await requireDead(scene, app, tally, tokens, "the second use of a code", at);

    const { refresh = "" } = await getTokens(scene, app);
    const renewed = await useRefresh(scene, app, refresh);
    if (renewed === undefined) throw new Undecided("a refresh token gives no tokens");
    tally.tried();
    if ((await useRefresh(scene, app, refresh, at)) !== undefined)
      tally.gotThrough("a refresh token gives tokens again");
    await requireDead(scene, app, tally, renewed, "the second use of a refresh token", at);
  }
}

/** Uses a code or token at many requests at once, at both instances. */
async function atOnce(
  scene: Scene,
  client: OidcClient,
  tally: Tally,
  what: string,
  make: () => Promise<Parameters>,
): Promise<void> {
  const addresses = addressesOf(scene);
  const form = await make();
  const responses = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      post(
        scene,
        "token_endpoint",
        authenticate(client),
        form,
        addresses[index % addresses.length],
      ),
    ),
  );
  const given = responses.flatMap((response) => tokensIn(response) ?? []);
  tally.tried();
  if (given.length > 1)
    tally.gotThrough(`a ${what} gives tokens to ${given.length} of ${AT_ONCE} requests at once`);
  for (const tokens of given) {
    for (const at of addresses)
      await requireDead(scene, client, tally, tokens, `${AT_ONCE} uses of a ${what} at once`, at);
  }
}

async function requireDead(
  scene: Scene,
  client: OidcClient,
  tally: Tally,
  tokens: Tokens,
  after: string,
  at?: ServerAddress,
): Promise<void> {
  tally.tried();
  // A public client has nothing to authenticate with at the introspection.
  for (const what of await describeAlive(scene, client, tokens, at))
    tally.gotThrough(`${what} still works after ${after}`);
}

/** Tries a form at the token endpoint. */
async function refused(
  scene: Scene,
  tally: Tally,
  what: string,
  client: OidcClient,
  form: Parameters,
): Promise<void> {
  tally.tried();
  const response = await post(scene, "token_endpoint", authenticate(client), form);
  if (tokensIn(response) !== undefined) tally.gotThrough(what);
}

async function elsewhere(scene: Scene, clients: OidcClients, tally: Tally): Promise<void> {
  const { app, other, open } = clients;
  const strangers = [
    [app, other],
    [app, open],
    [open, other],
  ] as const;
  for (const [owner, thief] of strangers) {
    const names = `the client ${thief.id} for the client ${owner.id}`;
    const form = codeForm(await getCode(scene, owner));
    await refused(scene, tally, `a code is taken from ${names}`, thief, form);
    const own = { ...codeForm(await getCode(scene, owner)), redirect_uri: thief.redirect };
    await refused(scene, tally, `a code is taken from ${names}, with its redirect`, thief, own);
    const { refresh = "" } = await getTokens(scene, owner);
    await refused(
      scene,
      ...([tally, `a refresh token is taken from ${names}`, thief] as const),
      refreshForm(refresh),
    );
  }
  const { redirect } = app;
  const redirects = [
    ...[`${redirect}/`, `${redirect}?`, `${redirect}#`, redirect.toUpperCase()],
    ...[other.redirect, ` ${redirect}`, encodeURIComponent(redirect), new URL(redirect).origin],
  ];
  for (const redirect_uri of redirects) {
    const form = { ...codeForm(await getCode(scene, app)), redirect_uri };
    const what = `a code is taken with the redirect ${redirect_uri}`;
    await refused(scene, tally, what, app, form);
  }
}

async function withoutVerifier(
  scene: Scene,
  { app, open }: OidcClients,
  tally: Tally,
): Promise<void> {
  for (const client of [app, open]) {
    const wrong: readonly (readonly [string, (code: Code) => string | undefined])[] = [
      ["without the verifier", () => undefined],
      ["with an empty verifier", () => ""],
      ["with another verifier", () => "x".repeat(64)],
      ["with the challenge as verifier", ({ verifier }) => challengeOf(verifier)],
      ["with the verifier in capitals", ({ verifier }) => verifier.toUpperCase()],
      ["with the verifier and a space", ({ verifier }) => `${verifier} `],
      ["with the start of the verifier", ({ verifier }) => verifier.slice(0, 43)],
    ];
    for (const [what, make] of wrong) {
      const code = await getCode(scene, client);
      const form = { ...codeForm(code), code_verifier: make(code) };
      await refused(
        scene,
        tally,
        `a code of the client ${client.id} is taken ${what}`,
        client,
        form,
      );
    }
  }
  const none = { code_challenge: undefined, code_challenge_method: undefined };
  const browser = new Browser(scene.target, scene.provider, scene.session);
  if (!hasCode(await visit(browser, start(scene.provider, app, none)))) return;
  // An attacker who puts a stolen code into a sign-in of their own has a verifier for another code.
  const form = codeForm(await getCode(scene, app, none));
  await refused(scene, tally, "a code without a challenge is taken with a verifier", app, form);
}

/** Challenges that prove nothing. */
async function withoutChallenge(
  { target, provider, session }: Scene,
  { app, open }: OidcClients,
  tally: Tally,
): Promise<void> {
  const browser = new Browser(target, provider, session);
  const weak: readonly (readonly [string, Parameters])[] = [
    ["the method plain", { code_challenge: "x".repeat(43), code_challenge_method: "plain" }],
    ["no method", { code_challenge: "x".repeat(43), code_challenge_method: undefined }],
    ["the method s256", { code_challenge_method: "s256" }],
    ["the method none", { code_challenge_method: "none" }],
    ["a method and no challenge", { code_challenge: undefined }],
    ["an empty challenge", { code_challenge: "" }],
    ["a short challenge", { code_challenge: "x" }],
  ];
  const none = { code_challenge: undefined, code_challenge_method: undefined };
  const cases = [
    ...weak.flatMap(([what, parameters]) => [
      [app, what, parameters] as const,
      [open, what, parameters] as const,
    ]),
    [open, "no challenge", none] as const,
    [open, "empty parameters", { code_challenge: "", code_challenge_method: "" }] as const,
  ];
  for (const [client, what, parameters] of cases) {
    // A client with a secret proves itself without a challenge, which "" is.
    if (client === app && what === "an empty challenge") continue;
    tally.tried();
    if (hasCode(await visit(browser, start(provider, client, parameters))))
      tally.gotThrough(`the client ${client.id} gets a code with ${what}`);
  }
}
