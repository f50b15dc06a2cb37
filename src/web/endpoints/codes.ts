import type { BegunCodes } from "../../core/codes/turn-on-codes.ts";
import type { User } from "../../core/records.ts";
import { backTo } from "../answers/notice.ts";
import { redirect } from "../answers/responses.ts";
import type { CodesSection } from "../pages/page-data.ts";
import { MAX_QR_BYTES, qrCode } from "../pages/qr-code.ts";
import { shownTime } from "../pages/utc-time.ts";
import type { CodeRules, PartEndpoint, WebPorts } from "../ports.ts";
import { type AdmittedRequest, hostOf } from "../request/web-request.ts";
import { answerProblem, answerStep, type HomeFormProblem } from "./home.ts";
import { provenSession } from "./sessions.ts";

type CodesEndpoint = PartEndpoint<CodeRules>;

const WRONG_CODE: HomeFormProblem = { form: "codes", message: "codeIncorrect", fields: ["code"] };
const NOT_BEGUN: HomeFormProblem = { form: "codes", message: "codesNotBegun", fields: [] };

export const postBegin: CodesEndpoint = async (codes, ports, request) => {
  const { user } = request;
  const outcome = await codes.begin(user.id);
  switch (outcome.kind) {
    case "no-user":
      return redirect(ports.paths.login);
    case "already-on":
      return backTo("codes", ports, request);
    case "begun":
      return answerStep(ports, request, { codes: begunSection(ports, user, outcome.begun) });
  }
};

export const postConfirm: CodesEndpoint = async (codes, ports, request, form) => {
  const { user } = request;
  const entered = { sealed: form("sealed"), code: form("code") };
  const outcome = await codes.confirm(user.id, entered, ports.proxies.clientOf(request));
  switch (outcome.kind) {
    case "no-user":
      return redirect(ports.paths.login);
    case "already-on":
      return backTo("codes", ports, request);
    case "not-begun":
      return answerProblem(ports, request, NOT_BEGUN);
    case "code-incorrect": {
      const section = begunSection(ports, user, outcome.begun);
      return answerProblem(ports, request, WRONG_CODE, section);
    }
    case "on": {
      const codes = recoverySection(ports, request, outcome.recoveryCodes);
      const cookies = provenSession(ports, request);
      return answerStep(ports, request, { codes, notice: "codesAreOn", cookies });
    }
  }
};

export const postRenew: CodesEndpoint = async (rules, ports, request) => {
  const renewed = await rules.renew(request.user, ports.proxies.clientOf(request));
  if (renewed === undefined) return backTo("codes", ports, request);
  const codes = recoverySection(ports, request, renewed);
  return answerStep(ports, request, { codes, notice: "recoveryCodesAreNew" });
};

export const postTurnOff: CodesEndpoint = async (codes, ports, request) => {
  switch (await codes.turnOff(request.user, ports.proxies.clientOf(request))) {
    case "already-off":
      return backTo("codes", ports, request);
    case "off":
      return backTo("codes", ports, request, { notice: "codesAreOff" });
  }
};

function recoverySection(
  { views }: WebPorts,
  request: AdmittedRequest,
  recoveryCodes: readonly string[],
): CodesSection {
  const made = shownTime(views.locale(request), new Date());
  const of = `${hostOf(request)}, ${request.user.username}, ${made.utc}`;
  return { kind: "turned-on", recoveryCodes, of };
}

function begunSection({ options }: WebPorts, user: User, begun: BegunCodes): CodesSection {
  const { secret, sealed } = begun;
  const uri = keyUri(options.pages.appName, user.username, secret);
  const grouped = (secret.match(/.{1,4}/g) ?? []).join(" ");
  return { kind: "begun", secret: grouped, uri, qr: qrCode(uri), sealed };
}

/** Enough for most names; the issuer is in the address twice. */
const MAX_ISSUER_BYTES = 24;

/** What authenticator apps read. Names are cut so that the address fits into the QR code. */
export function keyUri(appName: string, username: string, secret: string): string {
  // A colon ends the issuer, also in its encoded form.
  const issuer = encodedWithin(appName.replaceAll(":", ""), MAX_ISSUER_BYTES);
  const uriOf = (account: string): string =>
    `otpauth://totp/${issuer}:${account}?secret=${secret}&issuer=${issuer}`;
  return uriOf(encodedWithin(username, MAX_QR_BYTES - uriOf("").length));
}

/** The longest start of a text that is not longer than this once encoded. */
function encodedWithin(text: string, bytes: number): string {
  let encoded = "";
  for (const character of text.toWellFormed()) {
    const longer = encoded + encodeURIComponent(character);
    if (longer.length > bytes) break;
    encoded = longer;
  }
  return encoded;
}
