import type { Context } from "hono";
import { getCookie } from "hono/cookie";

const NAME = "latchkey-notice";
const PASSWORD_CHANGED = "password-changed";

/** Long enough for the page to be loaded again, not so long that it tells old news. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that has the page at this path say that the password was changed. */
export const passwordChangedNotice = (path: string): string =>
  `${NAME}=${PASSWORD_CHANGED}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${SHOWN_WITHIN_SECONDS}`;

export const clearedNotice = (path: string): string =>
  `${NAME}=; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=-1`;

export const noticeIn = (c: Context): "password-changed" | undefined =>
  getCookie(c, NAME) === PASSWORD_CHANGED ? PASSWORD_CHANGED : undefined;
