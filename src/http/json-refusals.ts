import type { NotAdmitted } from "../identity/authenticate-session.ts";
import { Unavailable } from "../lib/fault.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { WrongTypes } from "./json-body.ts";
import { logFault } from "./log-fault.ts";
import type { Paths } from "./paths.ts";
import { COOKIE_CHALLENGE, noteForgedToken } from "./refusals.ts";
import type { RequestIds } from "./request-id.ts";
import { type Answer, type Headers, respondJson } from "./responses.ts";
import type { Viewer, Views } from "./views.ts";
import type { WarningServices } from "./warnings.ts";
import type { WebRequest } from "./web-request.ts";

/** Names what is wrong with a request, by the message that a page shows. */
type RefusalName =
  | "noSuchPage"
  | "formsOnly"
  | "methodNotAllowed"
  | "crossSite"
  | "formUnreadable"
  | "notAForm";

/** Answers requests that no route answers. */
export interface Refusals extends Pick<Views, "fault" | "misdirected"> {
  error(viewer: Viewer, status: number, name: RefusalName, headers?: Headers): MaybePromise<Answer>;
}

const CODES: Readonly<Record<RefusalName, string>> = {
  noSuchPage: "not_found",
  formsOnly: "method_not_allowed",
  methodNotAllowed: "method_not_allowed",
  crossSite: "cross_site",
  formUnreadable: "body_unreadable",
  notAForm: "not_json",
};

/** Creates the refusals for clients that read JSON. They never say what failed inside. */
export const createJsonRefusals = (services: {
  readonly requests: RequestIds;
  readonly paths: Paths;
}): Refusals => ({
  error: (_viewer, status, name, headers) => respondJson({ error: CODES[name] }, status, headers),
  misdirected: async () => respondJson({ error: "wrong_host" }, 421),
  async fault({ request }, thrown) {
    const error = logFault(services, request, thrown);
    return error instanceof Unavailable
      ? respondJson({ error: "unavailable" }, 503, {
          "Retry-After": String(error.retryAfterSeconds),
        })
      : respondJson({ error: "failed" }, 500);
  },
});

/** Answers a request that needs an account while there is none. */
export const refuseWithoutAccount = (): Answer => respondJson({ error: "needs_setup" }, 409);

/** Answers a request whose fields have the wrong types. */
export const refuseWrongTypes = ({ fields }: WrongTypes): Answer =>
  respondJson({ error: "wrong_type", fields }, 422);

/** Answers a request of a guest for what only users have. */
export const refuseGuest = (): Answer => respondJson({ error: "no_access" }, 403);

/** Answers a request whose user is not signed in. A forged session token is logged. */
export function refuseNotAdmitted(
  services: WarningServices,
  admission: NotAdmitted,
  request: WebRequest,
): Answer {
  switch (admission.kind) {
    case "needs-setup":
      return refuseWithoutAccount();
    case "factor-missing":
    case "factor-unproven":
      return respondJson({ error: "second_factor_needed" }, 403);
    case "needs-sign-in":
    case "bound":
    case "forged-token":
      noteForgedToken(services, admission, request);
      return respondJson({ error: "sign_in_required" }, 401, COOKIE_CHALLENGE);
  }
}
