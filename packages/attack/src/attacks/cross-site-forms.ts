import { type Attack, forEach } from "../attack.ts";
import type { Headers } from "../http/request.ts";
import { ownHost, send } from "../target.ts";

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

/** The headers that a browser sends with a form from another site. */
function foreignHeaders(own: string): readonly Headers[] {
  const fill = (text: string | undefined): string | undefined => text?.replace("{own}", own);
  return sites.flatMap((site) =>
    origins
      .filter((origin) => isForeign(site, origin))
      .flatMap((origin) =>
        referers.map((referer) => ({
          "Sec-Fetch-Site": site,
          Origin: fill(origin),
          Referer: fill(referer),
        })),
      ),
  );
}

/** `Sec-Fetch-Site` decides; without it, an `Origin` other than the server's. */
function isForeign(site: string | undefined, origin: string | undefined): boolean {
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && origin !== "http://{own}";
}

export const crossSite: Attack = {
  name: "cross-site-forms",
  about: "forms that another site submits from your browser: sign-in, setup, sign-out, password",
  meaning:
    "A page you visit can sign you in as another user, sign you out or change your password.",
  noun: "forms",
  verb: "accepted",
  needs: [],

  async run(target, tally) {
    const all = foreignHeaders(ownHost(target));
    await forEach(routes, routes.length, async (path) => {
      for (const headers of all) {
        tally.tried();
        const session = target.account?.token;
        const { status } = await send(target, { path, form: {}, headers, session });
        if (status === 403) continue;
        tally.gotThrough(`POST ${path} with ${shown(headers)} got status ${status}`);
        // One is enough, and each form that /login accepts uses a sign-in attempt.
        return;
      }
    });
  },
};

const shown = (headers: Headers): string =>
  Object.entries(headers)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${String(value)}`]))
    .join(", ");
