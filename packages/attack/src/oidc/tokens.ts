import { Undecided } from "../errors.ts";
import type { Headers } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import type { ServerAddress } from "../http/wire.ts";
import type { Target } from "../target.ts";
import {
  Browser,
  type Parameters,
  type Provider,
  parameterOf,
  parseObject,
  pathOf,
  type Started,
  sendTo,
  start,
  visit,
  withoutUndefined,
} from "./browser.ts";
import type { OidcClient } from "./setup.ts";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** A server, and the session of the account to attack with. */
export interface Scene {
  readonly target: Target;
  readonly provider: Provider;
  readonly session: string;
}

/** How a client authenticates in a request. */
export interface Authenticating {
  readonly headers?: Headers;
  readonly form?: Parameters;
}

export function authenticate({ id, secret }: OidcClient): Authenticating {
  if (secret === undefined) return { form: { client_id: id } };
  const credentials = Buffer.from(`${id}:${secret}`).toString("base64");
  return { headers: { Authorization: `Basic ${credentials}` } };
}

/** Posts a form to an endpoint as a client. */
export const post = (
  { target, provider }: Pick<Scene, "target" | "provider">,
  endpoint: string,
  { headers, form }: Authenticating,
  parameters: Parameters,
  at?: ServerAddress,
): Promise<HttpResponse> =>
  sendTo(target, {
    path: pathOf(provider, endpoint),
    form: withoutUndefined({ ...parameters, ...form }),
    ...(headers && { headers }),
    at,
  });

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly id: string | undefined;
}

/** The tokens in a response of the token endpoint. */
export function tokensIn({ status, body }: HttpResponse): Tokens | undefined {
  const { access_token: access, refresh_token: refresh, id_token: id } = parseObject(body);
  if (status !== 200 || typeof access !== "string") return undefined;
  return {
    access,
    refresh: typeof refresh === "string" ? refresh : undefined,
    id: typeof id === "string" ? id : undefined,
  };
}

/** A code, and all that its client needs to use it. */
export interface Code extends Started {
  readonly client: OidcClient;
  readonly code: string;
}

/** @throws Undecided if an honest client gets no code */
export async function getCode(
  { target, provider, session }: Scene,
  client: OidcClient,
  parameters: Parameters = {},
): Promise<Code> {
  const started = start(provider, client, parameters);
  const place = await visit(new Browser(target, provider, session), started);
  const code = parameterOf(place, "code");
  if (code === undefined) {
    const problem = parameterOf(place, "error") ?? `status ${place.response.status}`;
    throw new Undecided(`the client ${client.id} gets no code (${problem})`);
  }
  return { ...started, client, code };
}

/** The form with which an honest client uses a code. */
export const codeForm = ({ client, code, verifier }: Code): Parameters => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: client.redirect,
  code_verifier: verifier,
});

export const useCode = async (scene: Scene, code: Code, at?: ServerAddress) =>
  tokensIn(await post(scene, "token_endpoint", authenticate(code.client), codeForm(code), at));

/** @throws Undecided if an honest client gets no tokens */
export async function getTokens(
  scene: Scene,
  client: OidcClient,
  parameters: Parameters = {},
): Promise<Tokens> {
  const tokens = await useCode(scene, await getCode(scene, client, parameters));
  if (tokens === undefined) throw new Undecided(`the client ${client.id} gets no tokens`);
  return tokens;
}

export const refreshForm = (refresh: string): Parameters => ({
  grant_type: "refresh_token",
  refresh_token: refresh,
});

export const useRefresh = async (
  scene: Pick<Scene, "target" | "provider">,
  client: OidcClient,
  refresh: string,
  at?: ServerAddress,
) => tokensIn(await post(scene, "token_endpoint", authenticate(client), refreshForm(refresh), at));

/** Whether the server tells who an access token is about. */
export async function isAlive(
  { target, provider }: Pick<Scene, "target" | "provider">,
  access: string,
  at?: ServerAddress,
): Promise<boolean> {
  const headers = { Authorization: `Bearer ${access}` };
  const { status } = await sendTo(target, {
    ...{ path: pathOf(provider, "userinfo_endpoint"), headers, at },
  });
  return status === 200;
}

/** Whether the server says that a token is valid. */
export async function isActive(
  scene: Pick<Scene, "target" | "provider">,
  authenticating: Authenticating,
  token: string,
  at?: ServerAddress,
): Promise<boolean> {
  const response = await post(scene, "introspection_endpoint", authenticating, { token }, at);
  return response.status === 200 && parseObject(response.body).active === true;
}

/** Describes which of the tokens still work. Uses the refresh token up. */
export async function describeAlive(
  scene: Scene,
  client: OidcClient,
  { access, refresh }: Tokens,
  at?: ServerAddress,
): Promise<readonly string[]> {
  const found: string[] = [];
  if (await isAlive(scene, access, at)) found.push("the access token");
  if (await isActive(scene, authenticate(client), access, at))
    found.push("the access token at introspection");
  if (refresh !== undefined && (await useRefresh(scene, client, refresh, at)) !== undefined)
    found.push("the refresh token");
  return found;
}

/** What a device shows, and with what it asks for tokens. */
export interface DeviceCode {
  readonly client: OidcClient;
  readonly device: string;
  readonly user: string;
}

/** @throws Undecided if an honest device gets no code */
export async function startDevice(scene: Scene, client: OidcClient): Promise<DeviceCode> {
  const form = { scope: "openid" };
  const endpoint = "device_authorization_endpoint";
  const { body } = await post(scene, endpoint, authenticate(client), {
    ...form,
    client_id: client.id,
  });
  const { device_code: device, user_code: user } = parseObject(body);
  if (typeof device !== "string" || typeof user !== "string")
    throw new Undecided(`a device gets no code for the client ${client.id}`);
  return { client, device, user };
}

export const pollDevice = async (
  scene: Scene,
  { client, device }: DeviceCode,
  at?: ServerAddress,
): Promise<Tokens | undefined> =>
  tokensIn(
    await post(
      scene,
      "token_endpoint",
      authenticate(client),
      { grant_type: DEVICE_GRANT, device_code: device },
      at,
    ),
  );
