import type { Context } from "hono";
import type { BegunCodes } from "../core/codes/turn-on-codes.ts";
import type { Refusal } from "../core/refusal-log.ts";
import type { User } from "../core/store.ts";
import type { SignedIn } from "./guards.ts";
import { homeWithCodes, homeWithProblem } from "./home.ts";
import type { CodesSection } from "./pages/page-data.ts";
import { MAX_QR_BYTES, QR_WIDTH, qrPath } from "./pages/qr-code.ts";
import { homePathsOf } from "./paths.ts";
import type { CodeRules, WebPorts } from "./ports.ts";
import type { Form } from "./request/form.ts";
import { clientOf } from "./request/remote-address.ts";
import { noteRefusal } from "./request/warnings.ts";
import { redirect } from "./responses.ts";

type Handler = (ports: WebPorts, c: Context<SignedIn>, form: Form) => Promise<Response>;

/** The endpoints of one-time codes. There are none without a home page, which shows the forms. */
export function codeRoutes({ rules, paths }: WebPorts): readonly (readonly [string, Handler])[] {
  if (rules.codes === undefined || paths.home === null) return [];
  const handlers = Object.entries(handlersOf(rules.codes));
  return handlers.map(([name, handler]) => [`${paths.codes}${name}`, handler] as const);
}

const handlersOf = (rules: CodeRules): Readonly<Record<string, Handler>> => ({
  async begin(ports, c, form) {
    const client = clientOf(c, ports.proxies);
    const outcome = await rules.begin(c.var.user.id, form("codes_password"), client);
    switch (outcome.kind) {
      case "no-user":
        return redirect(ports.paths.login);
      case "already-on":
        return toHome(ports);
      case "current-password-incorrect":
        noteRefusal(ports, c, REJECTED);
        return homeWithProblem(ports, c, "codes", "currentPasswordIncorrect", ["codes_password"]);
      case "begun":
        return homeWithCodes(ports, c, begunSection(ports, c.var.user, outcome.begun));
    }
  },

  async confirm(ports, c, form) {
    const outcome = await rules.confirm(c.var.user.id, form("sealed"), form("code"));
    switch (outcome.kind) {
      case "no-user":
        return redirect(ports.paths.login);
      case "already-on":
        return toHome(ports);
      case "not-begun":
        return homeWithProblem(ports, c, "codes", "codesNotBegun", ["codes_password"]);
      case "code-incorrect": {
        const section = begunSection(ports, c.var.user, outcome.begun);
        return homeWithProblem(ports, c, "codes", "codeIncorrect", ["code"], section);
      }
      case "on":
        return homeWithCodes(ports, c, {
          kind: "turned-on",
          recoveryCodes: outcome.recoveryCodes,
        });
    }
  },

  async off(ports, c, form) {
    const entered = { currentPassword: form("codes_password"), code: form("code") };
    const client = clientOf(c, ports.proxies);
    const outcome = await rules.turnOff(c.var.user.id, entered, client);
    switch (outcome) {
      case "no-user":
        return redirect(ports.paths.login);
      case "current-password-incorrect":
        noteRefusal(ports, c, REJECTED);
        return homeWithProblem(ports, c, "codes", "currentPasswordIncorrect", ["codes_password"]);
      case "code-incorrect":
        noteRefusal(ports, c, REJECTED);
        return homeWithProblem(ports, c, "codes", "codeIncorrect", ["code"]);
      case "already-off":
      case "off":
        return toHome(ports);
    }
  },
});

const REJECTED: Refusal = "change of one-time codes rejected";

const toHome = ({ paths, options }: WebPorts): Response =>
  redirect(homePathsOf(paths, options).at(-1) ?? paths.login);

function begunSection({ options }: WebPorts, user: User, begun: BegunCodes): CodesSection {
  const { secret, sealed } = begun;
  const uri = keyUri(options.appName, user.username, secret);
  const grouped = (secret.match(/.{1,4}/g) ?? []).join(" ");
  const qr = { width: QR_WIDTH, path: qrPath(uri) };
  return { kind: "begun", secret: grouped, uri, qr, sealed };
}

/** Enough for most names; the issuer is in the address twice. */
const MAX_ISSUER_BYTES = 24;

/** What authenticator apps read. Names are cut so that the address fits into the QR code. */
export function keyUri(appName: string, username: string, secret: string): string {
  const issuer = encodedWithin(appName, MAX_ISSUER_BYTES);
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
