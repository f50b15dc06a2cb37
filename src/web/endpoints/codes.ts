import {
  type BegunCodes,
  beginCodes,
  confirmCodes,
  renewRecoveryCodes,
  turnOffCodes,
} from "../../core/codes/own-codes.ts";
import { keyUri } from "../../core/codes/totp.ts";
import { redirect } from "../answers/responses.ts";
import type { CodesSection } from "../pages/page-data.ts";
import { qrCode } from "../pages/qr-code.ts";
import { shownTime } from "../pages/words.ts";
import type { OwnVisit, PartEndpoint } from "../ports.ts";
import { hostOf } from "../request/web-request.ts";
import { answerForm, type HomeFormProblem } from "./home.ts";
import { backTo } from "./redirects.ts";
import { provenSession } from "./sessions.ts";

type CodesEndpoint = PartEndpoint<"codes">;

const WRONG_CODE: HomeFormProblem = { form: "codes", message: "codeIncorrect", fields: ["code"] };
const NOT_BEGUN: HomeFormProblem = { form: "codes", message: "codesNotBegun", fields: [] };

export const postBeginCodes: CodesEndpoint = (ports) => async (visit) => {
  const { user } = visit.request;
  const outcome = await beginCodes(ports, user.id);
  switch (outcome.kind) {
    case "no-user":
      return redirect(visit.paths.login);
    case "already-on":
      return backTo("codes", visit);
    case "begun":
      return answerForm(visit, { codes: begunSection(visit, outcome.begun) });
  }
};

export const postConfirmCodes: CodesEndpoint = (ports) => async (visit, form) => {
  const { user } = visit.request;
  const entered = { sealed: form("sealed"), code: form("code") };
  const outcome = await confirmCodes(ports, user.id, entered, visit.client);
  switch (outcome.kind) {
    case "no-user":
      return redirect(visit.paths.login);
    case "already-on":
      return backTo("codes", visit);
    case "not-begun":
      return answerForm(visit, { problem: NOT_BEGUN });
    case "code-incorrect": {
      const section = begunSection(visit, outcome.begun);
      return answerForm(visit, { problem: WRONG_CODE, codes: section });
    }
    case "on": {
      const codes = recoverySection(visit, outcome.recoveryCodes);
      const cookies = provenSession(visit);
      return answerForm(visit, { codes, notice: "codesAreOn", cookies });
    }
  }
};

export const postRenewCodes: CodesEndpoint = (ports) => async (visit) => {
  const renewed = await renewRecoveryCodes(ports, visit.request.user, visit.client);
  if (renewed === undefined) return backTo("codes", visit);
  const codes = recoverySection(visit, renewed);
  return answerForm(visit, { codes, notice: "recoveryCodesAreNew" });
};

export const postTurnOffCodes: CodesEndpoint = (ports) => async (visit) => {
  switch (await turnOffCodes(ports, visit.request.user, visit.client)) {
    case "already-off":
      return backTo("codes", visit);
    case "off":
      return backTo("codes", visit, { notice: "codesAreOff" });
  }
};

function recoverySection(
  { views, request }: OwnVisit,
  recoveryCodes: readonly string[],
): CodesSection {
  const made = shownTime(views.locale(request), new Date());
  const of = `${hostOf(request)}, ${request.user.username}, ${made.utc}`;
  return { kind: "turned-on", recoveryCodes, of };
}

function begunSection(
  { options, request }: OwnVisit,
  { secret, sealed }: BegunCodes,
): CodesSection {
  const uri = keyUri(options.pages.appName, request.user.username, secret);
  const grouped = (secret.match(/.{1,4}/g) ?? []).join(" ");
  return { kind: "begun", secret: grouped, uri, qr: qrCode(uri), sealed };
}
