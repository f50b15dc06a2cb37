import type { Paths } from "./paths.ts";
import { readCookie } from "./session-cookie.ts";
import type { WebRequest } from "./web-request.ts";

const OPENED = "latchkey-link";

/** The Set-Cookie line of the page of a one-time link. */
export const linkPageCookie = ({ link }: Paths): string =>
  `${OPENED}=1; Path=${link}; HttpOnly; SameSite=Strict`;

/**
 * Whether the page of a one-time link sent this form. A page without a referrer posts `Origin: null`,
 * and over plain HTTP browsers say no more. They send the cookie of the page, which is
 * `SameSite=Strict`, with no form of another site.
 */
export const isSentByLinkPage = (request: WebRequest): boolean =>
  request.header("sec-fetch-site") === undefined &&
  request.header("origin") === "null" &&
  readCookie(request.header("cookie"), OPENED) !== undefined;
