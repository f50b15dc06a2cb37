import type { InteractionResults, Provider } from "oidc-provider";
import { createAuditEvent } from "../../audit/events.ts";
import { type App, toConsentId } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import { OIDC_INTERACTION } from "../../http/paths.ts";
import { AGAIN } from "../../http/recent-sign-in.ts";
import { ASKING_FACTOR, findSignInPath } from "../../http/refusals.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { addReturnTo } from "../../http/return-to.ts";
import { readCookie } from "../../http/session-cookie.ts";
import { isObject, parseJsonObject } from "../../lib/json.ts";
import { isUsableName } from "../../lib/names.ts";
import type { PageData } from "../../pages/page-data.ts";
import { formatList } from "../../pages/words.ts";
import { judgeUser } from "../apps/app-directory.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import type { Context, SignInApp } from "../context.ts";
import { toClaims } from "./claims.ts";
import { REASONS } from "./interaction-policy.ts";
import type { Oidc } from "./oidc-pages.ts";
import { listFormTargets } from "./provider-pages.ts";
import { TWO_FACTORS, toAcr, toAmr, type Visitor } from "./visitor.ts";

type Interaction = InstanceType<Provider["Interaction"]>;

/** Contains a step of a sign-in to an app that asks the person. */
interface Step {
  readonly provider: Provider;
  readonly interaction: Interaction;
  readonly app: App;
}

const INTERACTION_COOKIE = "latchkey-oidc-interaction";

/** Returns the step that this browser is at. */
async function findStep(oidc: Oidc, { rules, paths, request }: Context): Promise<Step | undefined> {
  const id = request.path.slice((paths.base + OIDC_INTERACTION).length);
  // Another browser must not continue a sign-in that an attacker has begun.
  if (readCookie(request.header("cookie"), INTERACTION_COOKIE) !== id) return undefined;
  return findStepById(oidc, rules, id);
}

async function findStepById(
  oidc: Oidc,
  { appDirectory }: Pick<Context["rules"], "appDirectory">,
  id: string,
): Promise<Step | undefined> {
  const provider = await oidc.readProvider();
  const interaction = await provider?.Interaction.find(id);
  if (provider === undefined || interaction === undefined) return undefined;
  const app = (await appDirectory.read()).find(String(interaction.params.client_id));
  return app && { provider, interaction, app };
}

/** Says for the sign-in page which app the sign-in is for, and where it returns. */
export async function findSignInApp(
  oidc: Oidc,
  context: Context,
  returnTo: string,
): Promise<SignInApp | undefined> {
  const { rules, paths } = context;
  const id = returnTo.slice((paths.base + OIDC_INTERACTION).length);
  const step = await findStepById(oidc, rules, id);
  if (step === undefined) return undefined;
  const apps = await rules.appDirectory.read();
  const { login_hint: hint } = step.interaction.params;
  return {
    app: toShownApp(step.app, apps, paths.base),
    returning: listReturning(step),
    loginHint: typeof hint === "string" && isUsableName(hint) ? hint : undefined,
  };
}

/** Lists where the sign-in returns to, for the policy of its forms. */
function listReturning({ app, interaction }: Step): readonly string[] {
  const { redirect_uri: uri } = interaction.params;
  return uri === undefined ? [] : listFormTargets(app, uri);
}

/** Continues a sign-in to an app: asks for what is missing, or returns to the app. */
export async function getInteraction(oidc: Oidc, context: Context): Promise<Answer> {
  const { views } = context;
  const step = await findStep(oidc, context);
  if (step === undefined) return views.error(context, 400, "signInExpired");
  const visitor = await oidc.findVisitor(context.request);
  if (visitor === undefined) return askToSignIn(context);
  const missing = await answerMissing(context, step, visitor);
  if (missing !== undefined) return missing;
  switch (step.interaction.prompt.name) {
    case "login":
      return finish(step, { login: toLogin(visitor) });
    case "consent":
      return (await asksForConsent(context, step, visitor))
        ? showConsent(context, step, visitor)
        : finish(step, { login: toLogin(visitor), consent: {} });
    default:
      return finish(step, { error: "interaction_required" });
  }
}

/** Takes the person's answer about what the app learns. */
export async function postInteraction(oidc: Oidc, context: Context, form: Form): Promise<Answer> {
  const { rules, views, client } = context;
  const step = await findStep(oidc, context);
  if (step === undefined) return views.error(context, 400, "signInExpired");
  const visitor = await oidc.findVisitor(context.request);
  if (visitor === undefined) return askToSignIn(context);
  const missing = await answerMissing(context, step, visitor);
  if (missing !== undefined) return missing;
  if (form("answer") !== "yes") {
    return finish(step, { error: "access_denied", error_description: "the person has cancelled" });
  }
  const { app } = step;
  const { user } = visitor;
  const known = await rules.store.consents.find(app.id, user.id);
  const scopes = new Set([...(known?.scopes.split(" ") ?? []), ...readScopes(step)]);
  await rules.store.consents.set({
    id: toConsentId(app.id, user.id),
    userId: user.id,
    appId: app.id,
    scopes: [...scopes].join(" "),
    createdAt: new Date(rules.clock.now()),
  });
  await rules.record(createAuditEvent("app_consent", { user, name: app.id, client }));
  return finish(step, { login: toLogin(visitor), consent: {} });
}

const readScopes = ({ interaction }: Step): readonly string[] =>
  String(interaction.params.scope ?? "openid")
    .split(" ")
    .filter((scope) => scope !== "");

const toLogin = ({ user, signedInAt, factors }: Visitor): InteractionResults["login"] => ({
  accountId: user.id,
  ts: Math.floor(signedInAt / 1_000),
  acr: toAcr(factors),
  amr: toAmr(factors),
});

/** Gives the provider the result of a step. The browser continues at the provider. */
async function finish({ interaction }: Step, result: InteractionResults): Promise<Answer> {
  // Signing in again starts another session. Cookies with the path of the step identify the browser,
  // and the provider compares the account.
  const { session }: { readonly session?: { uid?: string } | undefined } = interaction;
  delete session?.uid;
  interaction.result = { ...interaction.lastSubmission, ...result };
  await interaction.persist();
  return redirect(interaction.returnTo);
}

/** Redirects to the sign-in page, which returns to this step. */
async function askToSignIn(context: Context, query = ""): Promise<Answer> {
  const { rules, request, paths } = context;
  if (query !== "") return redirect(addReturnTo(paths.login + query, request.path));
  const admission = await rules.authenticate(request.header("cookie"));
  const isAdmitted = admission.kind === "admitted" || admission.kind === "guest";
  const path = isAdmitted ? paths.login : findSignInPath(context, admission, request);
  return redirect(addReturnTo(path, request.path));
}

/** Asks for what the app requires of this sign-in, or refuses. Returns `undefined` if all is there. */
async function answerMissing(
  context: Context,
  step: Step,
  visitor: Visitor,
): Promise<Answer | undefined> {
  const { interaction, app } = step;
  const { rules, views, client } = context;
  const { user, factors } = visitor;
  switch (judgeUser(app, user, factors)) {
    case "excluded":
      rules.appUses.noteRefusal(app.id, user.id);
      await rules.record(createAuditEvent("app_refused", { user, name: app.id, client }));
      return views.excluded({ request: context.request, user }, { host: app.name });
    case "factor-unproven":
      return askToSignIn(context, ASKING_FACTOR);
    case "admitted":
      break;
  }
  // The person must sign in after the app has asked for it, to the second.
  const isNew = Math.floor(visitor.signedInAt / 1_000) >= (interaction.iat ?? 0);
  const expected = readExpected(step);
  if (expected.subjects.some((subject) => subject !== user.id)) {
    if (!isNew) return askToSignIn(context);
    const description = "another person has signed in";
    return finish(step, { error: "login_required", error_description: description });
  }
  if (interaction.prompt.name !== "login") return undefined;
  const { reasons } = interaction.prompt;
  const asksAgain = ["login_prompt", "max_age"].some((reason) => reasons.includes(reason));
  if (asksAgain && !isNew) return askToSignIn(context, `?${AGAIN}=${interaction.iat}`);
  const isMet = expected.admitsAcr(toAcr(factors));
  const asksFactor = isMet
    ? reasons.includes(REASONS.acr) && !isNew
    : expected.admitsAcr(TWO_FACTORS);
  if (asksFactor && factors < 2 && (await hasSecondFactor(context, visitor))) {
    return askToSignIn(context, ASKING_FACTOR);
  }
  if (!isMet) {
    return finish(step, {
      error: "unmet_authentication_requirements",
      error_description: "none of the requested ACRs can be obtained",
    });
  }
  // The same question again would be an endless loop of redirects.
  return interaction.lastSubmission?.login === undefined
    ? undefined
    : finish(step, { error: "login_required", error_description: "the sign-in does not suffice" });
}

/** Contains what the request requires of the person, beside what the app requires. */
interface Expected {
  /** Each of them must be the ID of the user. */
  readonly subjects: readonly unknown[];
  /** Returns whether the user may have signed in like this. */
  readonly admitsAcr: (acr: string) => boolean;
}

/**
 * Reads whom the app expects. The provider asks for the sign-in of another person, and then takes any:
 * it has verified the ID token of the hint, and no longer knows it when the person returns.
 */
function readExpected({ interaction: { params } }: Step): Expected {
  const [, hint = ""] = String(params.id_token_hint ?? "").split(".");
  const { sub: hinted } = parseJsonObject(Buffer.from(hint, "base64url").toString()) ?? {};
  const claims = parseJsonObject(String(params.claims ?? ""))?.id_token;
  const { sub, acr } = isObject(claims) ? claims : {};
  const subjects = [hinted, isObject(sub) ? sub.value : undefined];
  const { essential, value, values } = isObject(acr) ? acr : {};
  return {
    subjects: subjects.filter((subject) => subject !== undefined),
    admitsAcr: (actual) =>
      essential !== true ||
      ((!Array.isArray(values) || values.includes(actual)) && (!value || value === actual)),
  };
}

async function hasSecondFactor({ rules }: Context, { user }: Visitor): Promise<boolean> {
  const [codes, passkeys] = await Promise.all([
    rules.store.codes.find(user.id),
    rules.store.passkeys.listOf(user.id),
  ]);
  return codes !== undefined || passkeys.length > 0;
}

/** Returns whether the person must see what the app learns. */
async function asksForConsent({ rules }: Context, step: Step, visitor: Visitor): Promise<boolean> {
  const { app, interaction } = step;
  if (interaction.prompt.reasons.includes("public_client")) return true;
  if (app.consent === undefined) return false;
  if (interaction.prompt.reasons.includes("consent_prompt")) return true;
  const known = await rules.store.consents.find(app.id, visitor.user.id);
  const agreed = new Set(known?.scopes.split(" "));
  return readScopes(step).some((scope) => !agreed.has(scope));
}

async function showConsent(context: Context, step: Step, { user }: Visitor): Promise<Answer> {
  const { rules, views, paths, request } = context;
  const scopes = readScopes(step);
  const { preferred_username: username, name, email, groups } = toClaims(user);
  const apps = await rules.appDirectory.read();
  const { redirect_uri: uri } = step.interaction.params;
  const data: PageData["consent"] = {
    app: toShownApp(step.app, apps, paths.base),
    host: typeof uri === "string" ? new URL(uri).host || new URL(uri).protocol : step.app.name,
    shares: [
      { kind: "name", value: name === username ? username : `${name}, ${username}` } as const,
      ...(scopes.includes("email") && email !== undefined
        ? [{ kind: "email", value: email } as const]
        : []),
      ...(scopes.includes("groups") && groups.length > 0
        ? [{ kind: "groups", value: formatList(views.locale(request), groups) } as const]
        : []),
    ],
    // Anybody's app can use the address of a public client on a device, so it asks each time.
    isKept: !step.interaction.prompt.reasons.includes("public_client"),
    staysSignedIn: scopes.includes("offline_access"),
    formPath: request.path,
  };
  return views.page({ request, user }, "consent", data, { returning: listReturning(step) });
}
