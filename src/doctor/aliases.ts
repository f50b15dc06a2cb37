import { STRICT_CSP } from "../http/responses.ts";
import { type Check, createCheck, hint, ok } from "./check.ts";
import { findSignInUrl, request } from "./visit-site.ts";

/** Lists headers that many apps cannot distinguish from `Remote-User`. */
const ALIASES = ["Remote.User", "Remote~User", "Remote_User"];
/** Proxies pass on this header. If it does not arrive, the check has no result. */
const CONTROL = "X-Latchkey-Doctor";

/**
 * Checks which aliases of `Remote-User` a proxy passes on from a client to the gate before an app.
 * Apps do not show their headers, but the gate refuses more than 16 KiB of headers. If it refuses a
 * very long alias, that alias has arrived.
 */
export const checkAliases: Check = createCheck("aliases", [], async ({ visitSite: site }) => {
  const visit = await site();
  if (visit === undefined || findSignInUrl(visit) === undefined) return undefined;
  const { url } = visit;

  async function arrives(name: string): Promise<boolean> {
    const headers = { Accept: "text/html", [name]: TOO_LONG };
    const response = await request(new URL("/", url), { headers });
    return response.status === 431 && response.headers["content-security-policy"] === STRICT_CSP;
  }

  const [control, ...arrived] = await Promise.all([CONTROL, ...ALIASES].map(arrives));
  if (control !== true) return undefined;
  const passed = ALIASES.filter((_, index) => arrived[index]);
  if (passed.length === 0) {
    return ok(`the proxy at ${url.origin} passes on none of ${ALIASES.join(", ")}`);
  }
  return hint(
    `the proxy at ${url.origin} passes on ${passed.join(", ")}: an app that cannot tell this from Remote-User takes a signed-in client for any user that it names`,
    "have the proxy remove these headers (Traefik: aliasHeadersStrategy: delete; Caddy: request_header -Remote*; see docs/proxies)",
  );
});

/** Proxies accept three lines of 6 KB, and together these lines exceed the limit of the gate. */
const TOO_LONG = Array.from({ length: 3 }, () => "x".repeat(6_000));
