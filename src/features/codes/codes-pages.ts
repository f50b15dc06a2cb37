import type { Form } from "../../http/form.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { getHost } from "../../http/web-request.ts";
import type { CodesSection } from "../../pages/page-data.ts";
import { createQrCode } from "../../pages/qr-code.ts";
import type { AccountFormProblem, AccountFormResult } from "../account-form.ts";
import type { UserContext } from "../context.ts";
import { redirectToAccount, renewSessionCookies } from "../redirects.ts";
import {
  type BegunCodes,
  beginCodes,
  confirmCodes,
  renewRecoveryCodes,
  turnOffCodes,
} from "./manage-codes.ts";
import { formatKeyUri } from "./totp.ts";

const WRONG_CODE: AccountFormProblem = {
  form: "codes",
  message: "codeIncorrect",
  fields: ["code"],
};
const NOT_BEGUN: AccountFormProblem = { form: "codes", message: "codesNotBegun", fields: [] };

export async function postBeginCodes(context: UserContext): Promise<AccountFormResult> {
  const { rules, user } = context;
  const outcome = await beginCodes(rules, user.id);
  switch (outcome.kind) {
    case "no-user":
      return { kind: "answered", answer: redirect(context.paths.login) };
    case "already-on":
      return { kind: "answered", answer: redirectToAccount("signInMethods", context) };
    case "begun":
      return { kind: "step", codes: createBegunSection(context, outcome.begun) };
  }
}

export async function postConfirmCodes(
  context: UserContext,
  form: Form,
): Promise<AccountFormResult> {
  const { rules, user } = context;
  const entered = { sealed: form("sealed"), code: form("code") };
  const outcome = await confirmCodes(rules, user.id, entered, context.client);
  switch (outcome.kind) {
    case "no-user":
      return { kind: "answered", answer: redirect(context.paths.login) };
    case "already-on":
      return { kind: "answered", answer: redirectToAccount("signInMethods", context) };
    case "not-begun":
      return { kind: "problem", problem: NOT_BEGUN };
    case "code-incorrect": {
      const codes = createBegunSection(context, outcome.begun);
      return { kind: "problem", problem: WRONG_CODE, codes };
    }
    case "on": {
      const codes = createRecoverySection(context, outcome.recoveryCodes);
      const cookies = renewSessionCookies(context);
      return { kind: "step", codes, notice: "codesAreOn", cookies };
    }
  }
}

export async function postRenewCodes(context: UserContext): Promise<AccountFormResult> {
  const renewed = await renewRecoveryCodes(context.rules, context.user, context.client);
  if (renewed === undefined)
    return { kind: "answered", answer: redirectToAccount("signInMethods", context) };
  const codes = createRecoverySection(context, renewed);
  return { kind: "step", codes, notice: "recoveryCodesAreNew" };
}

export async function postTurnOffCodes(context: UserContext): Promise<Answer> {
  switch (await turnOffCodes(context.rules, context.user, context.client)) {
    case "already-off":
      return redirectToAccount("signInMethods", context);
    case "off":
      return redirectToAccount("signInMethods", context, { notice: "codesAreOff" });
  }
}

function createRecoverySection(
  { request, user }: UserContext,
  recoveryCodes: readonly string[],
): CodesSection {
  // People keep the text, so it has no format of a language.
  const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
  // Digits after a name of another script would be shown before the name.
  const owner = `${getHost(request)}, ${made}, ${user.username}`;
  return { kind: "turned-on", recoveryCodes, of: owner };
}

function createBegunSection(
  { options, user }: UserContext,
  { secret, sealed }: BegunCodes,
): CodesSection {
  const uri = formatKeyUri(options.pages.appName, user.username, secret);
  const grouped = (secret.match(/.{1,4}/g) ?? []).join(" ");
  return { kind: "begun", secret: grouped, uri, qr: createQrCode(uri), sealed };
}
