/**
 * Does with the adapter what oidc-provider does, without HTTP and without signatures: the library
 * reads the clock of the process, and the simulation has a clock for each gate.
 */
import { errors } from "oidc-provider";
import { type App, toConsentId, type User } from "../../src/db/records.ts";
import { judgeUser } from "../../src/features/apps/app-directory.ts";
import { createAdapterFactory, findValidGrant } from "../../src/features/oidc/provider-adapter.ts";
import { RequestState } from "../../src/features/oidc/request-state.ts";
import { toVisitor, type Visitor } from "../../src/features/oidc/visitor.ts";
import { createRandomText } from "../../src/lib/random-text.ts";
import type { Life } from "./gate.ts";

type Rules = Life["rules"];

/** In seconds, as in the configuration of the provider. */
const CODE_SECONDS = 60;
const TOKEN_SECONDS = 3_600;
const REFRESH_SECONDS = 30 * 86_400;
const GRANT_SECONDS = 365 * 86_400;

export type TokenKind = "AuthorizationCode" | "AccessToken" | "RefreshToken";

/** A code or token as an app has it. */
export interface Issued {
  readonly text: string;
  /** In seconds since 1970, by the clock of the gate that has issued it. */
  readonly exp: number;
}

export type Authorized =
  | { readonly kind: "refused" }
  | { readonly kind: "authorized"; readonly code: Issued; readonly grantId: string };

export type Exchanged =
  /** `used` says that the code or token had been used before. */
  | { readonly kind: "refused" | "used" }
  | { readonly kind: "tokens"; readonly access: Issued; readonly refresh: Issued };

/** One request to the provider, with what it knows and writes. */
function begin(rules: Rules, visitor?: Visitor) {
  const state = new RequestState(visitor);
  const createAdapter = createAdapterFactory(rules, () => state);
  const toSeconds = (): number => Math.floor(rules.clock.now() / 1_000);

  return {
    state,
    grants: createAdapter("Grant"),
    commit: () => state.commit(rules.store, new Date(rules.clock.now())),

    /** Writes a new code or token. */
    async issue(kind: TokenKind, grantId: string, seconds: number): Promise<Issued> {
      const issued = { text: createRandomText(), exp: toSeconds() + seconds };
      await createAdapter(kind).upsert(issued.text, { grantId, exp: issued.exp }, seconds);
      return issued;
    },

    /** Finds what has not expired, and whose grant and account are valid. */
    async find(kind: TokenKind, text: string) {
      const adapter = createAdapter(kind);
      const payload = await adapter.find(text);
      if (!payload || (payload.exp ?? 0) <= toSeconds()) return undefined;
      const { grantId = "", consumed } = payload;
      const grant = await createAdapter("Grant").find(grantId);
      if (!grant) return undefined;
      const { accountId } = grant;
      const user = await rules.store.users.findActive(
        accountId as User["id"],
        new Date(rules.clock.now()),
      );
      return user && { adapter, grantId, user, isConsumed: consumed !== undefined };
    },

    /** Ends a grant with all that belongs to it. */
    async revoke(grantId: string): Promise<void> {
      const kinds: readonly TokenKind[] = ["AuthorizationCode", "AccessToken", "RefreshToken"];
      await Promise.all([
        ...kinds.map((kind) => createAdapter(kind).revokeByGrantId(grantId)),
        createAdapter("Grant").destroy(grantId),
      ]);
    },
  };
}

/** A browser with this session asks for a code. The person agrees to everything. */
export async function authorize(
  rules: Rules,
  sessionToken: string,
  appId: string,
  scope: string,
): Promise<Authorized> {
  const refused = { kind: "refused" } as const;
  const visitor = await findVisitor(rules, sessionToken);
  const app = (await rules.appDirectory.read()).find(appId);
  if (visitor === undefined || app === undefined) return refused;
  if (judgeUser(app, visitor.user, visitor.factors) !== "admitted") return refused;
  await agree(rules, visitor, app, scope);
  const request = begin(rules, visitor);
  try {
    const grantId = await findOrMakeGrant(rules, request, visitor, app, scope);
    const code = await request.issue("AuthorizationCode", grantId, CODE_SECONDS);
    await request.commit();
    return { kind: "authorized", code, grantId };
  } catch (error) {
    if (error instanceof errors.AccessDenied) return refused;
    throw error;
  }
}

async function findVisitor(rules: Rules, sessionToken: string): Promise<Visitor | undefined> {
  const admission = await rules.authenticate(`session=${sessionToken}`);
  if (admission.kind !== "admitted" && admission.kind !== "guest") return undefined;
  const token = rules.tokens.verify(sessionToken);
  if (token === undefined || token === "forged") return undefined;
  return toVisitor(admission.user, token, admission.factors);
}

async function agree({ store, clock }: Rules, { user }: Visitor, app: App, scope: string) {
  if (app.consent === undefined) return;
  const known = await store.consents.find(app.id, user.id);
  if (known?.scopes === scope) return;
  const id = toConsentId(app.id, user.id);
  const createdAt = new Date(clock.now());
  await store.consents.set({ id, userId: user.id, appId: app.id, scopes: scope, createdAt });
}

/** A session has one grant for each app, and another one that outlives the session. */
async function findOrMakeGrant(
  rules: Rules,
  { state, grants }: ReturnType<typeof begin>,
  { user, sessionId = "" }: Visitor,
  app: App,
  scope: string,
): Promise<string> {
  const known = await rules.store.grants.findOfSession(sessionId, app.id);
  const valid = known && (await findValidGrant(rules, known.id, state));
  const isOffline = scope.includes("offline_access");
  if (valid !== undefined && (valid.offline !== undefined) === isOffline) return valid.id;
  const id = createRandomText();
  const payload = { clientId: app.id, accountId: user.id, openid: { scope } };
  await grants.upsert(id, payload as Parameters<typeof grants.upsert>[1], GRANT_SECONDS);
  return id;
}

/** An app exchanges a code or a refresh token. */
export async function exchange(
  rules: Rules,
  kind: "AuthorizationCode" | "RefreshToken",
  text: string,
): Promise<Exchanged> {
  const request = begin(rules);
  const found = await request.find(kind, text);
  if (found === undefined) return { kind: "refused" };
  const { adapter, grantId, isConsumed } = found;
  if (isConsumed) {
    await request.revoke(grantId);
    return { kind: "used" };
  }
  await adapter.consume(text);
  const access = await request.issue("AccessToken", grantId, TOKEN_SECONDS);
  const refresh = await request.issue("RefreshToken", grantId, REFRESH_SECONDS);
  if ((await request.commit()) !== "committed") return { kind: "used" };
  return { kind: "tokens", access, refresh };
}

/** An app asks who the person is. Returns the user, if the token is valid. */
export async function askUserinfo(rules: Rules, text: string): Promise<string | undefined> {
  const found = await begin(rules).find("AccessToken", text);
  return found?.user.username;
}
