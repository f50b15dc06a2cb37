import { andThen } from "../../core/base/maybe-promise.ts";
import { findLink, type LinkProblem, type OpenLink, useLink } from "../../core/links/use-link.ts";
import { noticeCookie } from "../answers/notice.ts";
import { type Answer, redirect, withHeader } from "../answers/responses.ts";
import { acceptedTarget, RETURN_TO } from "../answers/return-to.ts";
import { cookieIn } from "../answers/session-cookie.ts";
import type { LinkField, PageData } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words.ts";
import type { Endpoint, PartEndpoint, PortsOf, Visit } from "../ports.ts";
import { noteRefusal } from "../request/warnings.ts";
import { parameterOf, type WebRequest } from "../request/web-request.ts";
import { limitedClient } from "./login.ts";
import { enter } from "./redirects.ts";

const tokenIn = ({ paths, request }: Visit): string => request.path.slice(paths.link.length);

/** Shows what the link is for and uses nothing up: mail scanners open links too. */
export async function getLink(ports: PortsOf<"links">, visit: Visit): Promise<Answer> {
  const open = await findLink(ports, tokenIn(visit));
  if (open === undefined) return gone(visit);
  const cookies = [`${OPENED}=1; Path=${visit.paths.link}; HttpOnly; SameSite=Strict`];
  return visit.views.page(visit.request, "link", linkData(open, ""), { cookies });
}

const linkData = ({ link, username }: OpenLink, entered: string): PageData["link"] => ({
  purpose: link.purpose === "reset-codes-off" ? "reset" : link.purpose,
  username: username ?? entered,
  isUsernameSet: username !== undefined,
});

/** One answer for all links that cannot be used, and for too many attempts to use one. */
function gone(visit: Visit): Promise<Answer> {
  noteRefusal(visit, visit.request, "one-time link refused");
  return visit.views.error(visit.request, 404, "linkGone");
}

const problems: Readonly<Record<LinkProblem, readonly [MessageName, LinkField]>> = {
  "username-missing": ["usernameOrPasswordMissing", "username"],
  "password-missing": ["usernameOrPasswordMissing", "password"],
  "passwords-differ": ["passwordsDiffer", "password"],
  "password-too-short": ["newPasswordTooShort", "password"],
  "username-invalid": ["usernameInvalid", "username"],
  "username-taken": ["usernameTaken", "username"],
};

export const postLink: PartEndpoint<"links", WebRequest> = (ports) => async (visit, form) => {
  const { views, paths, request } = visit;
  const [username, password, confirm] = [form("username"), form("password"), form("confirm")];
  const entered = { username, password, confirm };
  const outcome = await useLink(ports, tokenIn(visit), entered, await limitedClient(visit));
  switch (outcome.kind) {
    case "gone":
      return gone(visit);
    case "rejected": {
      const [name, field] = problems[outcome.problem];
      const problem = { message: views.message(request, name), fields: [field] as const };
      const data = { ...linkData(outcome.open, username), problem };
      return views.page(request, "link", data, { status: 422 });
    }
    case "password-reset":
      return redirect(paths.login, [noticeCookie(request, "passwordIsChanged")]);
    case "entered": {
      const target = acceptedTarget(visit.options, request, parameterOf(request, RETURN_TO));
      return enter(visit, outcome, target);
    }
  }
};

/** The path contains the token, which an app on the same host would get as the referrer. */
export const withoutReferrer =
  (endpoint: Endpoint): Endpoint =>
  (request) =>
    andThen(endpoint(request), (answer) => withHeader(answer, "Referrer-Policy", "no-referrer"));

const OPENED = "latchkey-link";

/**
 * A page without a referrer posts `Origin: null`, and over plain HTTP browsers say no more. They send
 * the cookie of the page, which is `SameSite=Strict`, with no form of another site.
 */
export const isOpenedHere = (request: WebRequest): boolean =>
  request.header("sec-fetch-site") === undefined &&
  request.header("origin") === "null" &&
  cookieIn(request.header("cookie"), OPENED) !== undefined;
