import type { Headers } from "./ask.ts";
import { type Attack, forEach } from "./attack.ts";
import { ownHost, send } from "./target.ts";

const sites = [undefined, "cross-site", "same-site", "same-origin", "none", "Cross-Site", "x"];
const origins = [
  undefined,
  "https://elsewhere.example",
  "null",
  "",
  "http://{own}.elsewhere.example",
  "http://{own}@elsewhere.example",
  "http://x.{own}",
  "http://x{own}",
  "ftp://{own}",
  "{own}",
  "http://{own}",
];
const referers = [undefined, "https://elsewhere.example/", "http://{own}/login"];

const routes = ["/login", "/setup", "/logout", "/account/password"];

/** What a browser says of a form that another site sent. */
function foreignHeaders(own: string): readonly Headers[] {
  const put = (text: string | undefined): string | undefined => text?.replace("{own}", own);
  return sites.flatMap((site) =>
    origins
      .filter((origin) => isForeign(site, origin))
      .flatMap((origin) =>
        referers.map((referer) => ({
          "Sec-Fetch-Site": site,
          Origin: put(origin),
          Referer: put(referer),
        })),
      ),
  );
}

/** `Sec-Fetch-Site` decides; where it is absent, an `Origin` that is not the own one. */
function isForeign(site: string | undefined, origin: string | undefined): boolean {
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && origin !== "http://{own}";
}

export const crossSite: Attack = {
  name: "cross-site-forms",
  about: "forms that another site sends in your browser: sign-in, setup, sign-out, password",
  meaning:
    "A page you visit can sign you in as somebody else, sign you out or change your password.",
  noun: "forms",
  verb: "taken",
  needs: [],

  async run(target, tally) {
    const all = foreignHeaders(ownHost(target));
    await forEach(routes, routes.length, async (path) => {
      for (const headers of all) {
        tally.tried();
        const session = target.account?.token;
        const { status } = await send(target, { path, form: {}, headers, session });
        if (status === 403) continue;
        tally.gotThrough(`POST ${path} with ${shown(headers)} is answered with ${status}`);
        // One is enough, and at the sign-in each would be an attempt.
        return;
      }
    });
  },
};

const shown = (headers: Headers): string =>
  Object.entries(headers)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${String(value)}`]))
    .join(", ");
