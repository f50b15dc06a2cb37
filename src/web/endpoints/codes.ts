import type { BegunCodes } from "../../core/codes/turn-on-codes.ts";
import type { User } from "../../core/records.ts";
import { homeLocation } from "../answers/location.ts";
import { redirect } from "../answers/responses.ts";
import type { CodesField, CodesSection } from "../pages/page-data.ts";
import { MAX_QR_BYTES, qrCode } from "../pages/qr-code.ts";
import type { MessageName } from "../pages/words/en.ts";
import type { CodeRules, OwnFormEndpoint, WebPorts } from "../ports.ts";
import { clientOf } from "../request/remote-address.ts";
import { noteRefusal } from "../request/warnings.ts";
import { answerCodes, answerProblem, type HomeFormProblem } from "./home.ts";

const REJECTED = "change of one-time codes rejected";

const problem = (message: MessageName, field: CodesField): HomeFormProblem => ({
  form: "codes",
  message,
  fields: [field],
});

const WRONG_PASSWORD = problem("currentPasswordIncorrect", "codes_password");
const WRONG_CODE = problem("codeIncorrect", "code");

export const postBeginCodes =
  (codes: CodeRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const { user } = request;
    const client = clientOf(request, ports.proxies);
    const outcome = await codes.begin(user.id, form("codes_password"), client);
    switch (outcome.kind) {
      case "no-user":
        return redirect(ports.paths.login);
      case "already-on":
        return redirect(homeLocation(ports, user));
      case "current-password-incorrect":
        noteRefusal(ports, request, REJECTED);
        return answerProblem(ports, request, WRONG_PASSWORD);
      case "begun":
        return answerCodes(ports, request, begunSection(ports, user, outcome.begun));
    }
  };

export const postConfirmCodes =
  (codes: CodeRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const { user } = request;
    const entered = { sealed: form("sealed"), code: form("code") };
    const outcome = await codes.confirm(user.id, entered, clientOf(request, ports.proxies));
    switch (outcome.kind) {
      case "no-user":
        return redirect(ports.paths.login);
      case "already-on":
        return redirect(homeLocation(ports, user));
      case "not-begun":
        return answerProblem(ports, request, problem("codesNotBegun", "codes_password"));
      case "code-incorrect": {
        const section = begunSection(ports, user, outcome.begun);
        return answerProblem(ports, request, WRONG_CODE, section);
      }
      case "on": {
        const { recoveryCodes } = outcome;
        return answerCodes(ports, request, { kind: "turned-on", recoveryCodes });
      }
    }
  };

export const postTurnOffCodes =
  (codes: CodeRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const { user } = request;
    const entered = { currentPassword: form("codes_password"), code: form("code") };
    switch (await codes.turnOff(user.id, entered, clientOf(request, ports.proxies))) {
      case "no-user":
        return redirect(ports.paths.login);
      case "current-password-incorrect":
        noteRefusal(ports, request, REJECTED);
        return answerProblem(ports, request, WRONG_PASSWORD);
      case "code-incorrect":
        noteRefusal(ports, request, REJECTED);
        return answerProblem(ports, request, WRONG_CODE);
      case "already-off":
      case "off":
        return redirect(homeLocation(ports, user));
    }
  };

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
