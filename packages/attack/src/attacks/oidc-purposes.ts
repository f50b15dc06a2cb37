import type { Attack } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { headerOf } from "../http/response.ts";
import { Browser, type Parameters, parseObject, pathOf, start } from "../oidc/browser.ts";
import { requireClients } from "../oidc/clients.ts";
import { openScene } from "../oidc/scene.ts";
import {
  authenticate,
  DEVICE_GRANT,
  getCode,
  getTokens,
  isActive,
  isAlive,
  post,
  refreshForm,
  startDevice,
  tokensIn,
} from "../oidc/tokens.ts";
import { isSignedIn, send } from "../target.ts";

export const oidcPurposes: Attack = {
  name: "oidc-purposes",
  about: "codes and tokens of apps where another kind of token is expected",
  meaning: "A token that is less protected, or opens less, does what another token should do.",
  noun: "tokens",
  verb: "taken at a wrong place",
  needs: ["account", "clients"],

  async run(target, tally) {
    const { app } = requireClients(target);
    const scene = await openScene(target);
    const { provider, session } = scene;
    const { code, verifier } = await getCode(scene, app);
    const { access, refresh = "", id = "" } = await getTokens(scene, app);
    const device = await startDevice(scene, app);
    const asked = {
      client_id: app.id,
      redirect_uri: app.redirect,
      response_type: "code",
      scope: "openid",
    };
    const pushed = await post(
      scene,
      ...(["pushed_authorization_request_endpoint", authenticate(app), asked] as const),
    );
    const begun = new Browser(target, provider);
    await begun.go(start(provider, app));
    const [step] = begun.cookies(/interaction|resume/);
    const forwarded = await send(target, { path: "/forward-auth", session });
    const tokens: Readonly<Record<string, string | undefined>> = {
      "a code": code,
      "a verifier": verifier,
      "an access token": access,
      "a refresh token": refresh,
      "an ID token": id,
      "a device code": device.device,
      "a user code": device.user,
      "a user code without its hyphen": device.user.replaceAll("-", ""),
      "a request URI": String(parseObject(pushed.body).request_uri ?? ""),
      "the end of a request URI": String(parseObject(pushed.body).request_uri ?? "").replace(
        /^.*:/,
        "",
      ),
      "a session": session,
      "an assertion": headerOf(forwarded, "latchkey-assertion"),
      "a client secret": app.secret,
      "a client ID": app.id,
      "the cookie of a begun sign-in": step?.value,
    };

    const takesForm = async (form: Parameters): Promise<boolean> =>
      tokensIn(await post(scene, "token_endpoint", authenticate(app), form)) !== undefined;
    const places: Readonly<Record<string, (token: string) => Promise<boolean>>> = {
      "an access token": (token) => isAlive(scene, token),
      "a code": (token) =>
        takesForm({
          grant_type: "authorization_code",
          code: token,
          redirect_uri: app.redirect,
          code_verifier: verifier,
        }),
      "a refresh token": (token) => takesForm(refreshForm(token)),
      "a device code": (token) => takesForm({ grant_type: DEVICE_GRANT, device_code: token }),
      "a token that is valid": (token) => isActive(scene, authenticate(app), token),
      "a session": (token) => isSignedIn(target, `session=${token}`),
      "a key": async (token) => {
        const headers = { Authorization: `Bearer ${token}` };
        return (await send(target, { path: "/forward-auth", headers })).status === 200;
      },
      "a request URI": async (token) => {
        const uri = token.startsWith("urn:") ? token : `urn:ietf:params:oauth:request_uri:${token}`;
        const query = new URLSearchParams({ client_id: app.id, request_uri: uri });
        const path = `${pathOf(provider, "authorization_endpoint")}?${query}`;
        const { away, response } = await new Browser(target, provider).go({ path });
        return away === undefined && response.status < 400;
      },
    };
    const own: Readonly<Record<string, readonly string[]>> = {
      "a code": ["a code"],
      "an access token": ["an access token", "a token that is valid"],
      "a refresh token": ["a refresh token", "a token that is valid"],
      "a device code": ["a device code"],
      "a request URI": ["a request URI"],
      "the end of a request URI": ["a request URI"],
      "a session": ["a session"],
    };
    for (const [name, token] of Object.entries(tokens)) {
      if (token === undefined || token === "") continue;
      for (const [place, take] of Object.entries(places)) {
        if (own[name]?.includes(place)) continue;
        tally.tried();
        if (await take(token)) tally.gotThrough(`${name} is taken as ${place}`);
      }
    }
    const log = target.access?.serverLog() ?? "";
    for (const [name, token] of Object.entries(tokens)) {
      if (token === undefined || token.length < 12) continue;
      tally.tried();
      if (log.includes(token)) tally.gotThrough(`the server log contains ${name}`);
    }
    // If a place refused its own token, that it refuses others would prove nothing.
    for (const [name, place] of [
      ["an access token", "an access token"],
      ["a code", "a code"],
      ["a refresh token", "a refresh token"],
      ["a request URI", "a request URI"],
    ] as const) {
      if (!(await places[place]?.(tokens[name] ?? "")))
        throw new Undecided(`${name} is not accepted as ${place}`);
    }
  },
};
