import type { LogEntry } from "../../db/records.ts";
import { takeNotice } from "../../http/notice.ts";
import type { Answer } from "../../http/responses.ts";
import { readReturnTarget } from "../../http/return-to.ts";
import { isAdmin } from "../../identity/groups.ts";
import { parseDeviceName } from "../../lib/device-name.ts";
import type { CodesSection, PageData } from "../../pages/page-data.ts";
import { formatDevice, formatTime, type Locale } from "../../pages/words.ts";
import type { AccountFormResult } from "../account-form.ts";
import { formatActivity } from "../activity/format-activity-pages.ts";
import type { UserContext } from "../context.ts";
import { MAX_PASSKEY_NAME } from "../passkeys/manage-passkeys.ts";
import { getRelyingParty } from "../relying-party.ts";
import { readSessionSection } from "../sessions/sessions-pages.ts";

export async function getHome(context: UserContext): Promise<Answer> {
  const { views, request } = context;
  const { notice, cookies } = takeNotice(request);
  const data = { ...(await readHomeData(context)), notice };
  return views.page(context, "home", data, { cookies });
}

/**
 * Renders the account page in response to one of its forms. If the app has its own page instead,
 * the error page shows a problem.
 */
export async function answerAccountForm(
  context: UserContext,
  result: AccountFormResult,
): Promise<Answer> {
  const { paths, views, request } = context;
  switch (result.kind) {
    case "answered":
      return result.answer;
    case "problem": {
      const { problem: found, codes } = result;
      if (paths.home === undefined) return views.error(context, 422, found.message);
      const problem = { ...found, message: views.message(request, found.message) };
      const data = { ...(await readHomeData(context, { codes })), problem };
      return views.page(context, "home", data, { status: 422 });
    }
    case "step": {
      const { codes, madeKey, notice, cookies = [] } = result;
      const data = { ...(await readHomeData(context, { codes, madeKey })), notice };
      return views.page(context, "home", data, { cookies });
    }
  }
}

/**
 * Contains what only the response to a form may show: a step of turning on codes, or a new API key.
 */
interface Step {
  readonly codes?: CodesSection | undefined;
  readonly madeKey?: string | undefined;
}

const NONE = { kind: "none" } as const;

/** Reads the usual data of the home page, except for the given parts. */
async function readHomeData(context: UserContext, extra: Step = {}): Promise<PageData["home"]> {
  const { options, paths, views, request, user } = context;
  const locale = views.locale(request);
  const returnTo = readReturnTarget(context);
  const step = { activity: NONE, sessions: NONE, lacksFactor: context.lacksFactor, returnTo };
  // Recovery codes and API keys are shown once, so no query that could fail runs here.
  if (extra.codes !== undefined || extra.madeKey !== undefined) {
    return { ...step, codes: extra.codes ?? NONE, madeKey: extra.madeKey };
  }
  const [passkeys, codesNow] = await Promise.all([
    readPasskeySection(context, locale),
    readCodesSection(context),
  ]);
  if (step.lacksFactor) return { ...step, codes: codesNow, passkeys };
  const [recent, sessions, keys, access] = await Promise.all([
    readRecentEntries(context),
    readSessionSection(context, locale, codesNow.kind),
    readKeySection(context),
    readAccess(context, locale),
  ]);
  const entries = recent.map((entry) => formatActivity(locale, entry));
  const activity = { kind: "entries", entries } as const;
  const ofAdmin =
    options.people && isAdmin(user) ? { peoplePath: paths.people, appsPath: paths.apps } : {};
  return { activity, sessions, codes: codesNow, passkeys, keys, access, ...ofAdmin, returnTo };
}

/** Reads which apps know the person. Runs no query while no app uses OpenID Connect. */
async function readAccess(
  context: UserContext,
  locale: Locale,
): Promise<PageData["home"]["access"]> {
  if (context.oidc === undefined) return undefined;
  const apps = await context.rules.appDirectory.read();
  if (!apps.all.some(({ clientType }) => clientType !== undefined)) return undefined;
  const { readAccessSection } = await import("../apps/consents-pages.ts");
  return readAccessSection(context, apps, locale);
}

/** Reads the codes from the store, because another instance may have changed them just now. */
async function readCodesSection({ options, rules, user }: UserContext): Promise<CodesSection> {
  if (!options.signIn.codes) return NONE;
  const codes = await rules.store.codes.find(user.id);
  if (codes === undefined) return { kind: "off" };
  return { kind: "on", recoveryCodesLeft: codes.recovery.length };
}

async function readPasskeySection(
  context: UserContext,
  locale: Locale,
): Promise<PageData["home"]["passkeys"]> {
  const { options, rules, request, user } = context;
  if (!options.signIn.passkeys) return undefined;
  const passkeys = await rules.store.passkeys.listOf(user.id);
  const list = passkeys.map(({ id, name, addedAt, usedAt }) => ({
    ...{ id, name, added: formatTime(locale, addedAt) },
    used: usedAt && formatTime(locale, usedAt),
  }));
  const canAdd = getRelyingParty(context) !== undefined;
  if (list.length === 0 && !canAdd) return undefined;
  const newName = formatDevice(locale, parseDeviceName(request.header("user-agent")));
  return { list, canAdd, newName, maxName: MAX_PASSKEY_NAME };
}

async function readKeySection({
  options,
  rules,
  views,
  request,
  user,
}: UserContext): Promise<PageData["home"]["keys"]> {
  if (!options.guards.keys) return undefined;
  const formatAt = (at: Date) => formatTime(views.locale(request), at);
  const keys = await rules.store.keys.listOf(user.id);
  const list = keys.map(({ id, name, hosts = [], createdAt, expiresAt, usedAt }) => ({
    ...{ id, name, hosts: hosts.join(", "), isUsed: usedAt !== undefined },
    ...formatAt(usedAt ?? createdAt),
    expiresAt: expiresAt && formatAt(expiresAt).utc,
  }));
  return { list };
}

const RECENT_ENTRIES = 10;

/**
 * Reads the user's own entries. Users never see entries of other users, or entries without an
 * account, such as denied sign-ins.
 */
async function readRecentEntries({ rules, user }: UserContext): Promise<readonly LogEntry[]> {
  await rules.events.flush();
  return rules.store.log.newest({ userId: user.id, limit: RECENT_ENTRIES });
}
