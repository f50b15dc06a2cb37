import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { Browser, hasCode, parseObject, pathOf, sendTo, start, visit } from "../oidc/browser.ts";
import { requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import { getTokens } from "../oidc/tokens.ts";
import { forgedIdTokens } from "../payloads/id-tokens.ts";
import { malformedTokens } from "../payloads/tokens.ts";

export const oidcHints: Attack = {
  name: "oidc-hints",
  about: "forged ID tokens as hints of who signs in or out",
  meaning: "An attacker who can forge ID tokens is any user at any app.",
  noun: "tokens",
  verb: "accepted",
  needs: ["account", "clients"],

  async run(target, tally) {
    const { app, other } = requireClients(target);
    const scene = await openScene(target);
    const { provider, session } = scene;
    const browser = new Browser(target, provider, session);
    const { id } = await getTokens(scene, app);
    const { id: foreign } = await getTokens(scene, other);
    if (id === undefined || foreign === undefined) throw new Undecided("an app gets no ID token");
    const { body } = await sendTo(target, { path: pathOf(provider, "jwks_uri") });
    const keys = Object(parseObject(body).keys);
    tally.tried();
    // Of RSA, elliptic curves and symmetric keys.
    const isSecret = (key: object): boolean => ["d", "p", "k"].some((name) => name in key);
    if (Array.isArray(keys) && keys.some((key) => isSecret(Object(key))))
      tally.gotThrough("the key set contains a private key");

    const signsIn = async (id_token_hint: string): Promise<boolean> =>
      hasCode(await visit(browser, start(provider, app, { id_token_hint, prompt: "none" })));
    const signOut = pathOf(provider, "end_session_endpoint");
    const signsOut = async (id_token_hint: string): Promise<boolean> => {
      const place = await browser.go({
        path: `${signOut}?${new URLSearchParams({ id_token_hint })}`,
      });
      return place.away !== undefined || place.response.status < 400;
    };
    if (!(await signsIn(id)) || !(await signsOut(id)))
      throw new Undecided("an ID token of the server is not accepted as a hint");

    const forged = [
      ...forgedIdTokens(id, Array.isArray(keys) ? keys : [], app.secret ?? ""),
      // Decoders differ over spaces and padding, which change nothing of what is signed.
      ...malformedTokens(id).filter(([what]) => !/padd|newline|space/.test(what)),
    ];
    await forEach(forged, CONCURRENCY, async ([what, token]) => {
      tally.tried();
      if (await signsIn(token)) tally.gotThrough(`at a sign-in: ${what}`);
      tally.tried();
      if (await signsOut(token)) tally.gotThrough(`at a sign-out: ${what}`);
    });
    tally.tried();
    if (await signsIn(foreign)) tally.gotThrough("at a sign-in: the ID token of another client");
  },
};
