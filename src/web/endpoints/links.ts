import { andThen } from "../../core/base/maybe-promise.ts";
import type { OpenLink } from "../../core/links/find-link.ts";
import { locationFor } from "../answers/location.ts";
import { noticeCookie } from "../answers/notice.ts";
import { type Answer, redirect, withHeader } from "../answers/responses.ts";
import { acceptedTarget, RETURN_TO } from "../answers/return-to.ts";
import { cookieIn, isOverTls, sessionCookies } from "../answers/session-cookie.ts";
import type { Endpoint } from "../endpoint.ts";
import type { LinkField, PageData } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words/en.ts";
import type { FormEndpoint, LinkRules, WebPorts } from "../ports.ts";
import { type Form, missingFields } from "../request/form.ts";
import { noteRefusal } from "../request/warnings.ts";
import { parameterOf, type WebRequest } from "../request/web-request.ts";
import { limitedClient } from "./login.ts";

const tokenIn = ({ paths }: WebPorts, { path }: WebRequest): string =>
  path.slice(paths.link.length);

/** Shows what the link is for and uses nothing up: mail scanners open links too. */
export const getLink =
  (ports: WebPorts, links: LinkRules): Endpoint =>
  async (request) => {
    const open = await links.find(tokenIn(ports, request), await limitedClient(ports, request));
    if (open === undefined) return gone(ports, request);
    const { link } = ports.paths;
    const cookies = isOriginHidden(request) ? [openedCookie(request, link)] : [];
    return ports.views.page(request, "link", linkData(open, ""), { cookies });
  };

const linkData = (
  { link: { purpose }, username }: OpenLink,
  entered: string,
): PageData["link"] => ({
  purpose: purpose === "reset-codes-off" ? "reset" : purpose,
  username: username ?? entered,
  isUsernameSet: username !== undefined,
});

/** One answer for all links that cannot be used, and for too many attempts. */
function gone(ports: WebPorts, request: WebRequest): Promise<Answer> {
  noteRefusal(ports, request, "one-time link refused");
  return ports.views.error(request, 404, "linkGone");
}

export const postLink =
  (links: LinkRules): FormEndpoint =>
  async (ports, request, form) => {
    const { views, paths, options } = ports;
    const entered = {
      username: form("username"),
      password: form("password"),
      confirm: form("confirm"),
    };
    const client = await limitedClient(ports, request);
    const outcome = await links.use(tokenIn(ports, request), entered, client);

    const again = (
      open: OpenLink,
      name: MessageName,
      ...fields: readonly [LinkField, ...LinkField[]]
    ): Promise<Answer> => {
      const problem = { message: views.message(request, name), fields };
      const data = { ...linkData(open, entered.username), problem };
      return views.page(request, "link", data, { status: 422 });
    };

    switch (outcome.kind) {
      case "gone":
        return gone(ports, request);
      case "username-or-password-missing": {
        const { username = form("username") } = outcome.open;
        const filled: Form = (field) => (field === "username" ? username : form(field));
        const missing = missingFields(filled, "username", "password");
        return again(outcome.open, "usernameOrPasswordMissing", ...missing);
      }
      case "passwords-differ":
        return again(outcome.open, "passwordsDiffer", "password", "confirm");
      case "password-too-short":
        return again(outcome.open, "newPasswordTooShort", "password");
      case "username-taken":
        return again(outcome.open, "usernameTaken", "username");
      case "password-reset":
        return redirect(paths.login, [noticeCookie(request, paths.login, "password-changed")]);
      case "entered": {
        const target = acceptedTarget(options, request, parameterOf(request, RETURN_TO));
        return redirect(
          target ?? locationFor(options.postLoginLocation, outcome.user),
          sessionCookies(request, outcome.token, options.hosts.cookieDomain),
        );
      }
    }
  };

/** The path contains the token, which an app on the same host would get as the referrer. */
export const withoutReferrer =
  (endpoint: Endpoint): Endpoint =>
  (request) =>
    andThen(endpoint(request), (answer) => withHeader(answer, "Referrer-Policy", "no-referrer"));

const OPENED = "latchkey-link";
/** Long enough to choose a password. */
const OPENED_SECONDS = 3_600;

/** A page without a referrer posts `Origin: null`. Only over TLS and on loopback, browsers say more. */
const isOriginHidden = (request: WebRequest): boolean =>
  request.header("sec-fetch-site") === undefined;

/** Browsers do not send it with a form of another site. */
function openedCookie(request: WebRequest, path: string): string {
  const secure = isOverTls(request) ? "; Secure" : "";
  return `${OPENED}=1; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${OPENED_SECONDS}${secure}`;
}

/** Whether the form is from the page of a link, although its origin is hidden. */
export const isOpenedHere = (request: WebRequest): boolean =>
  isOriginHidden(request) &&
  request.header("origin") === "null" &&
  cookieIn(request.header("cookie"), OPENED) !== undefined;
