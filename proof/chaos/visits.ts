import type { Answer, Sending } from "../../test/support/client.ts";
import { OWNER } from "../../test/support/gate.ts";

/** What requests are sent to. */
export interface Site {
  send(path: string, sending?: Sending): Promise<Answer>;
}

/** Another client each time, or the limit of five a minute would be what is met. */
export function* addresses(perAddress: number, first = 1): Generator<string, never> {
  for (let number = first; ; number += 1) {
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    for (let times = 0; times < perAddress; times += 1) yield address;
  }
}

export const fromAddress = (address: string): Readonly<Record<string, string>> => ({
  "X-Forwarded-For": address,
});

/** Makes the owner, and answers with the session. */
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

/** Where there is no page to reload, it leads to where a sign-in leads. */
export const isChanged = ({ status, location }: Answer): boolean =>
  status === 303 && location === "/";

export const guarded = (site: Site, session: string): Promise<Answer> =>
  site.send("/forward-auth", { session });

/** A failure that passes by itself, and says so. */
export const isSoft = ({ status, headers }: Answer): boolean =>
  status === 503 && Number(headers["retry-after"]) > 0;

/** What an error page has to be, and no page of another kind may be. */
export const isErrorPage = ({ status, headers, session }: Answer): boolean =>
  status >= 500 &&
  session === undefined &&
  headers["content-type"]?.startsWith("text/html") === true;
