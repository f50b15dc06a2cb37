import type { Answer, Sending } from "../../test/support/client.ts";
import { OWNER } from "../../test/support/gate.ts";

export { addresses } from "../bench/load.ts";

/** A server that requests are sent to. */
export interface Site {
  send(path: string, sending?: Sending): Promise<Answer>;
}

export const fromAddress = (address: string): Readonly<Record<string, string>> => ({
  "X-Forwarded-For": address,
});

/** Creates the owner and returns the session. */
export async function setUp(
  site: Site,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const form = { ...OWNER, confirm: OWNER.password, ...fields };
  const { session, status, body } = await site.send("/setup", { form });
  if (session === undefined) throw new Error(`setup failed: ${status} ${body}`);
  return session;
}

export const signIn = (site: Site, password: string, address: string): Promise<Answer> =>
  site.send("/login", {
    form: { username: OWNER.username, password },
    headers: fromAddress(address),
  });

export const isSignedIn = ({ status, session }: Answer): boolean =>
  status === 303 && session !== undefined;

export const changePassword = (
  site: Site,
  session: string,
  from: string,
  to: string,
): Promise<Answer> =>
  site.send("/account/password", {
    session,
    form: { current_password: from, new_password: to, confirm_password: to },
  });

/** Without a page to refresh, the redirect goes to the post-login location. */
export const isChanged = ({ status, location }: Answer): boolean =>
  status === 303 && location === "/";

export const guarded = (site: Site, session: string): Promise<Answer> =>
  site.send("/forward-auth", { session });

/** A temporary failure with a Retry-After header. */
export const isSoft = ({ status, headers }: Answer): boolean =>
  status === 503 && Number(headers["retry-after"]) > 0;

/** Whether a response is an error page. */
export const isErrorPage = ({ status, headers, session }: Answer): boolean =>
  status >= 500 &&
  session === undefined &&
  headers["content-type"]?.startsWith("text/html") === true;
