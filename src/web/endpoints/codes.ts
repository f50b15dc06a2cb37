import {
  type BegunCodes,
  beginCodes,
  confirmCodes,
  renewRecoveryCodes,
  turnOffCodes,
} from "../../core/codes/own-codes.ts";
import { keyUri } from "../../core/codes/totp.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import type { CodesSection } from "../pages/page-data.ts";
import { qrCode } from "../pages/qr-code.ts";
import { shownTime } from "../pages/words.ts";
import type { Form } from "../request/form.ts";
import { hostOf } from "../request/web-request.ts";
import type { UserContext } from "../services.ts";
import type { AccountFormProblem, AccountFormResult } from "./account-form.ts";
import { backTo } from "./redirects.ts";
import { provenSession } from "./sessions.ts";

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
      return { kind: "answered", answer: backTo("codes", context) };
    case "begun":
      return { kind: "step", codes: begunSection(context, outcome.begun) };
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
      return { kind: "answered", answer: backTo("codes", context) };
    case "not-begun":
      return { kind: "problem", problem: NOT_BEGUN };
    case "code-incorrect": {
      const codes = begunSection(context, outcome.begun);
      return { kind: "problem", problem: WRONG_CODE, codes };
    }
    case "on": {
      const codes = recoverySection(context, outcome.recoveryCodes);
      const cookies = provenSession(context);
      return { kind: "step", codes, notice: "codesAreOn", cookies };
    }
  }
}

export async function postRenewCodes(context: UserContext): Promise<AccountFormResult> {
  const renewed = await renewRecoveryCodes(context.rules, context.user, context.client);
  if (renewed === undefined) return { kind: "answered", answer: backTo("codes", context) };
  const codes = recoverySection(context, renewed);
  return { kind: "step", codes, notice: "recoveryCodesAreNew" };
}

export async function postTurnOffCodes(context: UserContext): Promise<Answer> {
  switch (await turnOffCodes(context.rules, context.user, context.client)) {
    case "already-off":
      return backTo("codes", context);
    case "off":
      return backTo("codes", context, { notice: "codesAreOff" });
  }
}

function recoverySection(
  { views, request, user }: UserContext,
  recoveryCodes: readonly string[],
): CodesSection {
  const made = shownTime(views.locale(request), new Date());
  const of = `${hostOf(request)}, ${user.username}, ${made.utc}`;
  return { kind: "turned-on", recoveryCodes, of };
}

function begunSection(
  { options, user }: UserContext,
  { secret, sealed }: BegunCodes,
): CodesSection {
  const uri = keyUri(options.pages.appName, user.username, secret);
  const grouped = (secret.match(/.{1,4}/g) ?? []).join(" ");
  return { kind: "begun", secret: grouped, uri, qr: qrCode(uri), sealed };
}
