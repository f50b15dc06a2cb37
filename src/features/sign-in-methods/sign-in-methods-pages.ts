import { UNSET_PASSWORD } from "../../db/records.ts";
import type { Answer } from "../../http/responses.ts";
import { readReturnTarget } from "../../http/return-to.ts";
import { findProvider } from "../../identity/providers.ts";
import { parseDeviceName } from "../../lib/device-name.ts";
import type { CodesSection, PageData } from "../../pages/page-data.ts";
import { formatDevice, formatTime, type Locale } from "../../pages/words.ts";
import type { AccountFormResult } from "../account-form.ts";
import type { UserContext } from "../context.ts";
import { findBrand, findFailedProvider } from "../list-providers.ts";
import { MAX_PASSKEY_NAME } from "../passkeys/manage-passkeys.ts";
import { getRelyingParty } from "../relying-party.ts";
import { showPage } from "../show-page.ts";

/** Shows how the user signs in: password, passkeys and one-time codes. */
export async function getSignInMethods(context: UserContext): Promise<Answer> {
  return showPage(context, "signInMethods", await readData(context));
}

/**
 * Renders the page in response to one of its forms. If the app has its own pages instead, the error
 * page shows a problem.
 */
export async function answerSignInMethodForm(
  context: UserContext,
  result: AccountFormResult,
): Promise<Answer> {
  const { paths, views, request } = context;
  switch (result.kind) {
    case "answered":
      return result.answer;
    case "problem": {
      const { problem: found, codes } = result;
      if (paths.account === undefined) return views.error(context, 422, found.message);
      const problem = { ...found, message: views.message(request, found.message) };
      const data = { ...(await readData(context, codes)), problem };
      return views.page(context, "signInMethods", data, { status: 422 });
    }
    case "step": {
      const { codes, notice, cookies = [] } = result;
      const data = { ...(await readData(context, codes)), notice };
      return views.page(context, "signInMethods", data, { cookies });
    }
  }
}

/**
 * Reads the data of the page. A step of turning on codes replaces everything else.
 *
 * @param step is what only the response to a form may show.
 */
async function readData(
  context: UserContext,
  step?: CodesSection,
): Promise<PageData["signInMethods"]> {
  const { options, lacksFactor, views, request } = context;
  const returnTo = readReturnTarget(context);
  const listsSessions = options.sessions.list;
  const known = { lacksFactor, returnTo, listsSessions };
  // Recovery codes are shown once, so no query that could fail runs here.
  if (step !== undefined) return { ...known, codes: step, passkeys: undefined };
  const locale = views.locale(request);
  const [passkeys, codes, identities, stored] = await Promise.all([
    readPasskeySection(context, locale),
    readCodesSection(context),
    readIdentitySection(context, locale),
    context.rules.store.users.find(context.user.id),
  ]);
  const password = stored?.passwordHash === UNSET_PASSWORD ? "none" : "set";
  return { ...known, codes, passkeys, identities, password };
}

/** A provider that is not offered any more is shown by its name, and can be unlinked. */
async function readIdentitySection(
  context: UserContext,
  locale: Locale,
): Promise<PageData["signInMethods"]["identities"]> {
  const { options, rules, user } = context;
  const offered = options.signIn.with;
  if (offered.length === 0) return undefined;
  const identities = await rules.store.identities.listOf(user.id);
  return {
    list: identities.map(({ id, provider: name, label, addedAt, usedAt }) => {
      const provider = findProvider(offered, name);
      return {
        id,
        provider: provider?.label ?? name,
        brand: provider === undefined ? "other" : findBrand(provider),
        label: label ?? "",
        added: formatTime(locale, addedAt),
        used: usedAt && formatTime(locale, usedAt),
      };
    }),
    others: offered.map((provider) => ({
      name: provider.name,
      label: provider.label,
      brand: findBrand(provider),
    })),
    failedWith: findFailedProvider(context),
  };
}

/** Reads the codes from the store, because another instance may have changed them just now. */
async function readCodesSection({ options, rules, user }: UserContext): Promise<CodesSection> {
  if (!options.signIn.codes) return { kind: "none" };
  const codes = await rules.store.codes.find(user.id);
  if (codes === undefined) return { kind: "off" };
  return { kind: "on", recoveryCodesLeft: codes.recovery.length };
}

async function readPasskeySection(
  context: UserContext,
  locale: Locale,
): Promise<PageData["signInMethods"]["passkeys"]> {
  const { options, rules, request, user } = context;
  if (!options.signIn.passkeys) return undefined;
  const passkeys = await rules.store.passkeys.listOf(user.id);
  const list = passkeys.map(({ id, name, addedAt, usedAt }) => ({
    id,
    name,
    added: formatTime(locale, addedAt),
    used: usedAt && formatTime(locale, usedAt),
  }));
  const canAdd = getRelyingParty(context) !== undefined;
  if (list.length === 0 && !canAdd) return undefined;
  const newName = formatDevice(locale, parseDeviceName(request.header("user-agent")));
  return { list, canAdd, newName, maxName: MAX_PASSKEY_NAME };
}
