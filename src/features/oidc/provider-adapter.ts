import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { App, Grant, Token } from "../../db/records.ts";
import { toPublicUser } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Seals } from "../../identity/seals.ts";
import type { Clock } from "../../lib/clock.ts";
import { isObject, parseJsonObject } from "../../lib/json.ts";
import { createRandomText, digestText } from "../../lib/random-text.ts";
import { type AppDirectory, judgeUser } from "../apps/app-directory.ts";
import { splitList } from "../apps/app-fields.ts";
import type { RequestState } from "./request-state.ts";
import { toAcr, toAmr, toSid } from "./visitor.ts";

export interface AdapterServices {
  readonly store: Pick<StoreParts, "apps" | "grants" | "tokens">;
  readonly clock: Pick<Clock, "now">;
  readonly appDirectory: AppDirectory;
  readonly seals: Seals;
}

/** The message about the end of a grant is kept for this long after the grant itself. */
const KEEP_SIGN_OUTS_MS = 7 * 86_400_000;
const OFFLINE = "offline_access";

/**
 * Creates the adapter that stores what the provider must remember, one for each kind of thing.
 *
 * @param getState returns the state of the current request, and `undefined` outside of a request.
 */
export function createAdapterFactory(
  services: AdapterServices,
  getState: () => RequestState | undefined,
): (kind: string) => Adapter {
  return (kind) => {
    switch (kind) {
      case "Client":
        return createClientAdapter(services);
      case "Session":
        return createSessionAdapter(services, getState);
      case "Grant":
        return createGrantAdapter(services, getState);
      default:
        return createTokenAdapter(services, getState, kind);
    }
  };
}

/** Refuses what the provider never calls for a kind. */
const unused = (): never => {
  throw new Error("the provider called a method that this kind does not have");
};

const NOTHING: Adapter = {
  upsert: unused,
  find: unused,
  findByUserCode: unused,
  findByUid: unused,
  consume: unused,
  destroy: unused,
  revokeByGrantId: unused,
};

/** Finds apps that speak OpenID Connect. Administrators change them elsewhere. */
const createClientAdapter = ({ appDirectory }: AdapterServices): Adapter => ({
  ...NOTHING,
  async find(id) {
    const app = (await appDirectory.read()).find(id);
    return app?.clientType === undefined ? undefined : toClientMetadata(app);
  },
});

/**
 * The provider requires a secret, and compares it only through `compareClientSecret`, which the
 * provider of this process replaces. Nobody knows this one.
 */
const UNKNOWN_SECRET = createRandomText();

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

function toClientMetadata(app: App): AdapterPayload {
  const isPublic = app.clientType === "public";
  const redirects = splitList(app.redirects);
  return {
    client_id: app.id,
    client_name: app.name,
    ...(isPublic ? {} : { client_secret: UNKNOWN_SECRET }),
    token_endpoint_auth_method: isPublic ? "none" : "client_secret_basic",
    application_type: isNative(redirects, isPublic) ? "native" : "web",
    redirect_uris: [...redirects],
    response_types: redirects.length === 0 ? [] : ["code"],
    grant_types: [
      ...(redirects.length === 0 ? [] : ["authorization_code"]),
      "refresh_token",
      DEVICE_CODE,
    ],
    post_logout_redirect_uris: [...splitList(app.signOutRedirects)],
    id_token_signed_response_alg: app.signing ?? "RS256",
    ...(app.backchannelUrl !== undefined && {
      backchannel_logout_uri: app.backchannelUrl,
      backchannel_logout_session_required: true,
    }),
  };
}

/**
 * Returns whether an app runs on the device of the person. With a loopback address, such an app may
 * listen on any port.
 */
const isNative = (redirects: readonly string[], isPublic: boolean): boolean =>
  redirects.some((uri) => {
    const { protocol } = new URL(uri);
    return protocol === "http:" ? isPublic : protocol !== "https:";
  });

/**
 * Finds the session of the provider in the session of Latchkey, so that there is only one. Only the
 * secret of a form that the provider has shown is stored, and for browsers without a session under
 * the cookie of the provider.
 */
function createSessionAdapter(
  { store, clock }: AdapterServices,
  getState: () => RequestState | undefined,
): Adapter {
  const getVisitor = () => getState()?.visitor;
  const toId = (id: string) =>
    digestText(`Session ${getVisitor()?.sessionKey ?? `anonymous ${id}`}`);

  return {
    ...NOTHING,
    async find(id) {
      const visitor = getVisitor();
      const stored = await store.tokens.find(toId(id));
      const state = stored && parseJsonObject(stored.content)?.state;
      const exp = Math.floor((stored?.expiresAt.getTime() ?? 0) / 1_000);
      if (visitor === undefined) {
        return state === undefined
          ? undefined
          : ({ kind: "Session", jti: id, uid: id, state, exp } as AdapterPayload);
      }
      return {
        kind: "Session",
        jti: visitor.sessionKey,
        uid: visitor.sessionKey,
        accountId: visitor.user.id,
        loginTs: Math.floor(visitor.signedInAt / 1_000),
        acr: toAcr(visitor.factors),
        amr: toAmr(visitor.factors),
        authorizations: {},
        exp: Math.floor(visitor.expiresAt / 1_000),
        ...(isObject(state) && { state }),
      } as AdapterPayload;
    },
    async upsert(id, payload, expiresIn) {
      const { state } = payload as { readonly state?: unknown };
      if (!isObject(state)) return;
      const now = clock.now();
      const expiresAt = new Date(now + Math.min(expiresIn ?? 0, FORM_SECONDS) * 1_000);
      const content = JSON.stringify({ state });
      await writeToken(store, getState(), { id: toId(id), kind: "Session", content, expiresAt });
    },
    async destroy(id) {
      await store.tokens.remove(toId(id));
    },
  };
}

/** A form of the provider is valid for this long. */
const FORM_SECONDS = 3_600;

/** Stores grants. A grant is found only while the session, the account and the app admit it. */
function createGrantAdapter(
  services: AdapterServices,
  getState: () => RequestState | undefined,
): Adapter {
  const { store, clock, appDirectory } = services;
  return {
    ...NOTHING,
    async find(id) {
      const grant = await findValidGrant(services, id, getState());
      if (grant === undefined) return undefined;
      return {
        ...parseJsonObject(grant.content),
        kind: "Grant",
        jti: grant.id,
        accountId: grant.userId,
        clientId: grant.appId,
        iat: Math.floor(grant.createdAt.getTime() / 1_000),
        exp: Math.floor(grant.expiresAt.getTime() / 1_000),
      } as AdapterPayload;
    },
    async upsert(id, payload, expiresIn) {
      const {
        openid,
        clientId: appId,
        accountId,
      } = payload as AdapterPayload & {
        readonly openid?: { readonly scope?: string };
      };
      const content = JSON.stringify({ openid });
      getState()?.grants.delete(id);
      if (await store.grants.setContent(id, content)) return;
      const visitor = getState()?.visitor;
      const app = appId === undefined ? undefined : (await appDirectory.read()).find(appId);
      if (visitor === undefined || visitor.user.id !== accountId || app === undefined)
        throw new errors.AccessDenied("the session has ended");
      const createdAt = new Date(clock.now());
      const isOffline = openid?.scope?.split(" ").includes(OFFLINE) === true;
      const until = createdAt.getTime() + (expiresIn ?? 0) * 1_000;
      const expiresAt = new Date(isOffline ? until : Math.min(until, visitor.expiresAt));
      const grant: Grant = {
        id,
        userId: visitor.user.id,
        appId: app.id,
        ...(visitor.sessionId !== undefined && { sessionId: visitor.sessionId }),
        sid: toSid(visitor, app.id),
        validUpTo: visitor.validUpTo,
        factors: visitor.factors,
        ...(isOffline && { offline: 1 }),
        content,
        createdAt,
        expiresAt,
      };
      const signOut =
        app.backchannelUrl === undefined
          ? undefined
          : {
              id,
              appId: app.id,
              userId: visitor.user.id,
              sid: grant.sid,
              url: app.backchannelUrl,
              tries: 0,
              expiresAt: new Date(expiresAt.getTime() + KEEP_SIGN_OUTS_MS),
            };
      if (!(await store.grants.insert(grant, signOut)))
        throw new errors.AccessDenied("the account or the app has ended");
    },
    async destroy(id) {
      await store.grants.remove({ id });
    },
  };
}

/**
 * Finds a grant whose session, account and app have not ended, and whose app admits the account. One
 * request asks once for each grant.
 */
export function findValidGrant(
  services: Pick<AdapterServices, "store" | "clock" | "appDirectory">,
  id: string,
  state: RequestState | undefined,
): Promise<Grant | undefined> {
  const known = state?.grants.get(id);
  if (known !== undefined) return known;
  const found = readValidGrant(services, id);
  state?.grants.set(id, found);
  return found;
}

async function readValidGrant(
  { store, clock, appDirectory }: Pick<AdapterServices, "store" | "clock" | "appDirectory">,
  id: string,
): Promise<Grant | undefined> {
  const found = await store.grants.findCurrent(id, new Date(clock.now()));
  if (found === undefined) return undefined;
  const { grant, user } = found;
  const app = (await appDirectory.read()).find(grant.appId);
  if (app === undefined) return undefined;
  const factors = grant.factors === 2 ? 2 : 1;
  return judgeUser(app, toPublicUser(user), factors) === "admitted" ? grant : undefined;
}

/** Writes a code or token with the rest of its request, or at once outside of a request. */
async function writeToken(
  store: Pick<StoreParts, "tokens">,
  state: RequestState | undefined,
  token: Token,
): Promise<void> {
  if (state === undefined) await store.tokens.set(token);
  else state.write(token);
}

/**
 * Stores codes, tokens and steps of a sign-in, under a digest of their text: a copy of the database
 * does not contain a usable one. What belongs to a grant is found only while the grant is valid.
 */
function createTokenAdapter(
  services: AdapterServices,
  getState: () => RequestState | undefined,
  kind: string,
): Adapter {
  const { store, clock } = services;
  const toId = (id: string) => digestText(`${kind} ${id}`);
  const toUserCode = (code: string) => digestText(`user code ${code}`);

  async function read(
    token: Token | undefined,
    id: string | undefined,
  ): Promise<AdapterPayload | undefined> {
    if (token === undefined || token.kind !== kind) return undefined;
    if (token.grantId !== undefined) {
      const grant = await findValidGrant(services, token.grantId, getState());
      if (grant === undefined) return undefined;
    }
    const { sealedId, ...payload } = parseJsonObject(token.content) ?? {};
    const jti = id ?? services.seals.open(String(sealedId), kind)?.toString();
    if (jti === undefined) return undefined;
    return {
      ...payload,
      kind,
      jti,
      ...(token.consumedAt && { consumed: Math.floor(token.consumedAt.getTime() / 1_000) }),
    } as AdapterPayload;
  }

  return {
    ...NOTHING,
    async find(id) {
      const state = getState();
      const found = state?.findWritten(toId(id)) ?? (await store.tokens.find(toId(id)));
      if (found?.kind === "AuthorizationCode") state?.noteFoundCode(found.id);
      return read(found, id);
    },
    findByUserCode: async (code) =>
      read(await store.tokens.findByUserCode(toUserCode(code)), undefined),
    async upsert(id, payload, expiresIn) {
      const { jti: _, kind: __, consumed: ___, ...content } = payload;
      const { userCode } = payload;
      // Signing in again ends the session of the grant, and must not end the step that asked for it.
      const grantId = kind === "Interaction" ? undefined : payload.grantId;
      // What a person finds by another code is saved again under its own, which must not be readable.
      const sealed = userCode && { sealedId: services.seals.seal(Buffer.from(id), kind) };
      await writeToken(store, getState(), {
        id: toId(id),
        kind,
        ...(grantId !== undefined && { grantId }),
        ...(userCode !== undefined && { userCode: toUserCode(userCode) }),
        content: JSON.stringify({ ...content, ...sealed }),
        expiresAt: new Date(clock.now() + (expiresIn ?? FORM_SECONDS) * 1_000),
      });
    },
    async consume(id) {
      const state = getState();
      if (state === undefined) throw new Error("nothing is consumed outside of a request");
      const token = await store.tokens.find(toId(id));
      state.consume({ id: toId(id), grantId: token?.grantId });
    },
    async destroy(id) {
      getState()?.forget(toId(id));
      await store.tokens.remove(toId(id));
    },
    async revokeByGrantId(grantId) {
      await store.tokens.removeOfGrant(grantId, kind);
    },
  };
}
