import {
  type ClientAuthMethod,
  type Configuration,
  errors,
  type FindAccount,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import { type App, toPublicUser, toUserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Seals } from "../../identity/seals.ts";
import type { Clock } from "../../lib/clock.ts";
import { isObject } from "../../lib/json.ts";
import { digestText, isSame } from "../../lib/random-text.ts";
import { type AppDirectory, judgeUser } from "../apps/app-directory.ts";
import { CLAIMS_OF_SCOPES, SCOPES, toClaims } from "./claims.ts";
import { createInteractionPolicy } from "./interaction-policy.ts";
import { createAdapterFactory, findValidGrant } from "./provider-adapter.ts";
import type { RequestState } from "./request-state.ts";
import type { SigningJwk } from "./signing-keys.ts";
import { explainTokenError, type TokenRefusal } from "./token-refusals.ts";
import { ONE_FACTOR, TWO_FACTORS, toSid, type Visitor } from "./visitor.ts";

export interface ProviderServices {
  readonly store: Pick<StoreParts, "apps" | "users" | "grants" | "tokens" | "consents">;
  readonly clock: Pick<Clock, "now">;
  readonly appDirectory: AppDirectory;
  readonly seals: Seals;
  /** Writes that the visitor has signed in to an app for the first time in a session. */
  readonly onSignedIn: (visitor: Visitor, app: App, request: object) => unknown;
}

/** Renders the pages of the provider. Each leaves its page in the exchange. */
export interface ProviderPages {
  error(ctx: KoaContextWithOIDC, error: Error): Promise<void>;
  /** Asks whether to sign out. `secret` proves that the form comes from this page. */
  confirmSignOut(ctx: KoaContextWithOIDC, secret: string): Promise<void>;
  signedOut(ctx: KoaContextWithOIDC): Promise<void>;
  enterDeviceCode(ctx: KoaContextWithOIDC, secret: string, problem?: Error): Promise<void>;
  confirmDevice(ctx: KoaContextWithOIDC, secret: string, userCode: string): Promise<void>;
  deviceSignedIn(ctx: KoaContextWithOIDC): Promise<void>;
}

/** Knows who is signed in, and notes what the provider decides about the session. */
export interface Exchanges {
  getState(request: object): RequestState | undefined;
  endSession(request: object): void;
  /** The visitor stays signed in, and signs out of one app only. */
  endApp(request: object, appId: string | undefined): void;
  /** An app gets no tokens for the code. */
  refuseCode(request: object, code: string, refusal: TokenRefusal): void;
}

/** Says where the provider is, and with which keys it signs. */
export interface ProviderSettings {
  /** The origin of the public URL. */
  readonly issuer: string;
  readonly basePath: string;
  /** A sign-in that asks the person continues below this path. */
  readonly interactionPath: string;
  /** A person enters the code of a device here. */
  readonly devicePath: string;
  readonly keys: readonly SigningJwk[];
}

/** Without a source, a directive allows nothing. The provider adds the digest of its own script. */
const POLICY = "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'";

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Lists how long things are valid, in seconds. All of them end earlier with their session. */
const LIFETIMES = {
  AccessToken: HOUR,
  AuthorizationCode: 60,
  DeviceCode: 600,
  Grant: 365 * DAY,
  IdToken: HOUR,
  Interaction: HOUR / 2,
  PushedAuthorizationRequest: 60,
  RefreshToken: 30 * DAY,
  Session: 365 * DAY,
};

const CLAIMS: NonNullable<Configuration["claims"]> = {
  ...Object.fromEntries(Object.entries(CLAIMS_OF_SCOPES).map(([scope, of]) => [scope, [...of]])),
  iss: null,
  sid: null,
};

/** Only ID tokens are signed. */
const ALGORITHMS = {
  idTokenSigningAlgValues: ["RS256", "ES256"],
  clientAuthSigningAlgValues: [],
  requestObjectSigningAlgValues: [],
  userinfoSigningAlgValues: [],
  introspectionSigningAlgValues: [],
  authorizationSigningAlgValues: [],
  dPoPSigningAlgValues: [],
} as NonNullable<Configuration["enabledJWA"]>;

/** Creates the provider. It must be created again when the keys change. */
export function createProvider(
  services: ProviderServices,
  settings: ProviderSettings,
  pages: ProviderPages,
  exchanges: Exchanges,
): Provider {
  const { store } = services;
  const configuration = createConfiguration(services, settings, pages, exchanges);
  const provider = new Provider(settings.issuer, configuration);

  // Up to two secrets are valid, and only their digests are known.
  Object.defineProperty(provider.Client.prototype, "compareClientSecret", {
    async value(this: { readonly clientId: string }, actual: string): Promise<boolean> {
      const digest = digestText(actual);
      const secrets = await store.apps.listSecrets(this.clientId);
      return secrets.filter(({ hash }) => isSame(hash, digest)).length > 0;
    },
  });

  // Where the provider posts a response to an app, its page may post to any app.
  provider.use(async (ctx, next) => {
    ctx.set("Content-Security-Policy", POLICY);
    await next();
    // Browsers warn about 'none' beside a digest.
    const policy = ctx.response.get("Content-Security-Policy");
    ctx.set("Content-Security-Policy", policy.replace("'none' 'sha256-", "'sha256-"));
  });
  const findAccount = createFindAccount(services);
  provider.use(async (ctx, next) => {
    await next();
    if (isAtEndpoint(ctx) && ctx.oidc.route === "introspection") await addClaims(ctx, findAccount);
  });
  provider.on("session.destroyed", () => {
    if (Provider.ctx !== undefined) exchanges.endSession(Provider.ctx.req);
  });
  provider.on("end_session.success", ({ req, oidc }) => {
    exchanges.endApp(req, oidc.client?.clientId);
  });
  provider.on("grant.error", ({ req, oidc }, error) => {
    const { code } = oidc.params ?? {};
    if (typeof code === "string") {
      exchanges.refuseCode(req, code, explainTokenError(error, oidc.client));
    }
  });
  return provider;
}

/** Returns whether the provider has found an endpoint for the path. */
const isAtEndpoint = (ctx: object): ctx is KoaContextWithOIDC => "oidc" in ctx;

function createConfiguration(
  services: ProviderServices,
  { issuer, basePath, interactionPath, devicePath, keys }: ProviderSettings,
  pages: ProviderPages,
  exchanges: Exchanges,
): Configuration {
  const { appDirectory } = services;
  const getState = () => Provider.ctx && exchanges.getState(Provider.ctx.req);
  const getVisitor = (ctx: Pick<KoaContextWithOIDC, "req">) => exchanges.getState(ctx.req)?.visitor;
  const findApp = async (ctx: KoaContextWithOIDC): Promise<App | undefined> =>
    (await appDirectory.read()).find(ctx.oidc.client?.clientId ?? "");
  const path = (end: string) => `${basePath}/oidc/${end}`;

  return {
    adapter: createAdapterFactory(services, getState),
    acrValues: [ONE_FACTOR, TWO_FACTORS],
    claims: CLAIMS,
    // A public client can be a page in a browser. Any other one sends its secret from its server.
    clientBasedCORS: ({ oidc }, origin, client) =>
      (oidc.route === "userinfo" || client.clientAuthMethod === "none") &&
      (client.redirectUris ?? []).some((uri) => getOrigin(uri) === origin),
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"] as ClientAuthMethod[],
    // Many apps read the name and the groups only from the ID token.
    conformIdTokenClaims: false,
    cookies: {
      names: {
        session: "latchkey-oidc",
        interaction: "latchkey-oidc-interaction",
        resume: "latchkey-oidc-resume",
      },
      long: {
        httpOnly: true,
        sameSite: "lax",
        secure: issuer.startsWith("https:"),
        path: path(""),
      },
      short: { httpOnly: true, sameSite: "lax", secure: issuer.startsWith("https:") },
    },
    enabledJWA: ALGORITHMS,
    // The adapter finds nothing that belongs to a session that has ended.
    expiresWithSession: async () => false,
    features: createFeatures(pages),
    findAccount: createFindAccount(services),
    interactions: {
      policy: createInteractionPolicy({ getVisitor, findApp }),
      url: (_ctx, { uid }) => `${interactionPath}${uid}`,
    },
    // Without `offline_access`, the refresh token ends with the session.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    jwks: { keys: [...keys] },
    loadExistingGrant: (ctx) => loadGrant(services, ctx, exchanges.getState(ctx.req)),
    pkce: { required: (_ctx, client) => client.clientAuthMethod === "none" },
    renderError: (ctx, _out, error) => pages.error(ctx, error),
    responseTypes: ["code"],
    rotateRefreshToken: true,
    routes: createRoutes(path, devicePath),
    scopes: [...SCOPES],
    subjectTypes: ["public"],
    ttl: LIFETIMES,
  };
}

/** Lists what the provider offers. Everything else is off. */
const createFeatures = (pages: ProviderPages): NonNullable<Configuration["features"]> => ({
  backchannelLogout: { enabled: true },
  claimsParameter: { enabled: true },
  clientCredentials: { enabled: false },
  devInteractions: { enabled: false },
  deviceFlow: {
    enabled: true,
    charset: "base-20",
    mask: "****-****",
    userCodeInputSource: (ctx, _form, _out, error) =>
      pages.enterDeviceCode(ctx, readFormSecret(ctx), error),
    userCodeConfirmSource: (ctx, _form, _client, _device, userCode) =>
      pages.confirmDevice(ctx, readFormSecret(ctx), userCode),
    successSource: pages.deviceSignedIn,
  },
  dPoP: { enabled: false },
  introspection: {
    enabled: true,
    allowedPolicy: async (ctx, client, token) =>
      client.clientAuthMethod !== "none" && token.clientId === ctx.oidc.client?.clientId,
  },
  pushedAuthorizationRequests: { enabled: true },
  requestObjects: { enabled: false },
  resourceIndicators: { enabled: false },
  revocation: {
    enabled: true,
    allowedPolicy: async (_ctx, client, token) => {
      if (token.clientId === client.clientId) return true;
      if (client.clientAuthMethod === "none") return false;
      throw new errors.InvalidRequest("the token belongs to another app");
    },
  },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: (ctx) => pages.confirmSignOut(ctx, readFormSecret(ctx)),
    postLogoutSuccessSource: pages.signedOut,
  },
  userinfo: { enabled: true },
});

const createRoutes = (
  path: (end: string) => string,
  devicePath: string,
): NonNullable<Configuration["routes"]> => ({
  authorization: path("authorize"),
  code_verification: devicePath,
  device_authorization: path("device"),
  end_session: path("logout"),
  introspection: path("introspect"),
  jwks: path("keys"),
  pushed_authorization_request: path("par"),
  revocation: path("revoke"),
  token: path("token"),
  userinfo: path("userinfo"),
});

/** Returns the origin of a web page. A custom scheme has none. */
function getOrigin(uri: string): string | undefined {
  const { protocol, origin } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

/** Returns the secret that proves that a form comes from a page of the provider. */
function readFormSecret({ oidc }: KoaContextWithOIDC): string {
  const { state } = oidc.session ?? {};
  return String((state as { readonly secret?: unknown } | undefined)?.secret ?? "");
}

const createFindAccount =
  ({ store, clock }: ProviderServices): FindAccount =>
  async (_ctx, id) => {
    const stored = await store.users.findActive(toUserId(id), new Date(clock.now()));
    if (stored === undefined) return undefined;
    const claims = toClaims(toPublicUser(stored));
    return { accountId: id, claims: async () => ({ ...claims, groups: [...claims.groups] }) };
  };

/**
 * Adds the claims of the scopes to what an app learns of its access token. A mail server that checks
 * the token of a mail program asks only here, and opens the mailbox of the address without reading
 * whether it is verified, so that an unverified one is left out.
 */
async function addClaims(ctx: KoaContextWithOIDC, findAccount: FindAccount): Promise<void> {
  const token = ctx.oidc.entities.AccessToken;
  if (token === undefined || !isObject(ctx.body) || ctx.body.active !== true) return;
  const account = await findAccount(ctx, token.accountId, token);
  if (account === undefined) return;
  const { scope = "" } = token;
  const claims = await account.claims("userinfo", scope, {}, []);
  const names = scope.split(" ").flatMap((each) => CLAIMS_OF_SCOPES[each] ?? []);
  const isHidden = (name: string): boolean => name === "email" && claims.email_verified !== true;
  const granted = Object.entries(claims).filter(
    ([name]) => names.includes(name) && !isHidden(name),
  );
  // RFC 7662 has a name of its own for it.
  const username = names.includes("preferred_username") && {
    username: claims.preferred_username,
  };
  Object.assign(ctx.body, Object.fromEntries(granted), username);
}

/**
 * Returns the grant of the session for the app, extended to what the app requests now. Returns
 * `undefined` if the person must agree first, or may not open the app.
 */
async function loadGrant(
  services: ProviderServices,
  ctx: KoaContextWithOIDC,
  state: RequestState | undefined,
) {
  const visitor = state?.visitor;
  const { store, appDirectory, onSignedIn } = services;
  const {
    provider,
    client,
    session,
    requestParamOIDCScopes: scopes,
    requestParamClaims,
  } = ctx.oidc;
  const app = (await appDirectory.read()).find(client?.clientId ?? "");
  if (visitor === undefined || session === undefined || app === undefined) return undefined;
  if (judgeUser(app, visitor.user, visitor.factors) !== "admitted") return undefined;

  const known =
    visitor.sessionId === undefined
      ? undefined
      : await store.grants.findOfSession(visitor.sessionId, app.id);
  const valid = known && (await findValidGrant(services, known.id, state));
  const grant = valid && (await provider.Grant.find(valid.id));
  const consented = ctx.oidc.result?.consent !== undefined;
  if (app.consent !== undefined && !consented) {
    const consent = await store.consents.find(app.id, visitor.user.id);
    const agreed = new Set(consent?.scopes.split(" "));
    if ([...scopes].some((scope) => !agreed.has(scope))) return undefined;
  }

  // A grant that outlives the session is a grant of its own.
  const wantsOffline = scopes.has("offline_access");
  const isOffline = valid?.offline !== undefined;
  const extended =
    grant !== undefined && isOffline === wantsOffline
      ? grant
      : new provider.Grant({ accountId: visitor.user.id, clientId: app.id });
  // After another sign-in of the same browser, the app knows the session by its earlier ID.
  session.sidFor(app.id, extended === grant ? (valid?.sid ?? "") : toSid(visitor, app.id));
  const granted = new Set(extended.getOIDCScope().split(" "));
  const claims = [...requestParamClaims].filter(
    (claim) => !extended.getOIDCClaims().includes(claim),
  );
  if ([...scopes].every((scope) => granted.has(scope)) && claims.length === 0) return extended;
  extended.addOIDCScope([...scopes].join(" "));
  if (claims.length > 0) extended.addOIDCClaims(claims);
  await extended.save();
  if (extended !== grant) await onSignedIn(visitor, app, ctx.req);
  return extended;
}
