import type { Paths } from "./paths.ts";
import { readCookie } from "./session-cookie.ts";
import type { WebRequest } from "./web-request.ts";

const OPENED = "latchkey-link";

/** Returns the Set-Cookie line for the page of a one-time link. */
export const linkPageCookie = ({ link }: Paths): string =>
  `${OPENED}=1; Path=${link}; HttpOnly; SameSite=Strict`;

/**
 * Returns whether the page of a one-time link sent this form. A page without a referrer posts
 * `Origin: null`, and over plain HTTP browsers send no other hint. The page's cookie is
 * `SameSite=Strict`, so browsers do not send it with forms of other sites.
 */
export const isSentByLinkPage = (request: WebRequest): boolean =>
  request.header("sec-fetch-site") === undefined &&
  request.header("origin") === "null" &&
  readCookie(request.header("cookie"), OPENED) !== undefined;
