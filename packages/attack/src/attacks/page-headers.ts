import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import type { HttpRequest } from "../http/request.ts";
import { type HttpResponse, headerOf, valuesOf } from "../http/response.ts";
import { send, type Target } from "../target.ts";

export const pageHeaders: Attack = {
  name: "page-headers",
  about: "response headers against framing, caching, content sniffing and foreign scripts",
  meaning: "Another site can frame your pages, or a shared cache can serve them to other users.",
  noun: "rules",
  verb: "broken",
  needs: [],

  async run(target, tally) {
    await forEach(pages(target), CONCURRENCY, async ([what, request]) => {
      const response = await send(target, request);
      for (const [rule, holds] of rules) {
        tally.tried();
        if (!holds(response)) tally.gotThrough(`${what}: ${rule}`);
      }
    });
  },
};

type Page = readonly [what: string, request: HttpRequest];

/** Every page in each of its states, and one rejection of each kind. */
function pages({ account }: Target): readonly Page[] {
  const session = account?.token;
  const crossSite = { "Sec-Fetch-Site": "cross-site" };
  return [
    ["the sign-in", { path: "/login" }],
    ["the sign-in after an error", { path: "/login?error=1" }],
    ["the sign-in while signed in", { path: "/login", session }],
    ["the setup", { path: "/setup" }],
    ["a wrong method", { path: "/logout" }],
    ["a form from another site", { path: "/logout", form: {}, headers: crossSite }],
    ["a form that is not UTF-8", { path: "/setup", body: "username=%ff" }],
    ["the sign-out", { path: "/logout", form: {} }],
    ["the password form, signed out", { path: "/account/password", form: {} }],
    ["the password form", { path: "/account/password", form: {}, session }],
  ];
}

const policyOf = (response: HttpResponse): string =>
  headerOf(response, "content-security-policy") ?? "";
const isHtml = (response: HttpResponse): boolean =>
  headerOf(response, "content-type")?.startsWith("text/html") === true;

const directive = (response: HttpResponse, name: string): string | undefined =>
  policyOf(response)
    .split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name} `));

/** Names each source, or the domain of sources such as `*.example.org`. */
const isStrict = (sources: string | undefined): boolean =>
  sources !== undefined && !/unsafe-|data:|blob:|[ ]\*(?!\.)|[ ]https?:(?= |$)/.test(sources);

type Rule = readonly [rule: string, holds: (response: HttpResponse) => boolean];

const rules: readonly Rule[] = [
  [
    "Cache-Control must contain no-store",
    (response) => /no-store/.test(headerOf(response, "cache-control") ?? ""),
  ],
  [
    "other sites must not frame it",
    (response) =>
      !isHtml(response) ||
      directive(response, "frame-ancestors") === "frame-ancestors 'none'" ||
      headerOf(response, "x-frame-options")?.toUpperCase() === "DENY",
  ],
  [
    "only its own scripts may run",
    (response) =>
      !isHtml(response) ||
      isStrict(directive(response, "script-src") ?? directive(response, "default-src")),
  ],
  [
    "the policy must forbid a base URL",
    (response) => !isHtml(response) || /base-uri 'none'/.test(policyOf(response)),
  ],
  [
    "the policy must restrict form targets",
    (response) => !isHtml(response) || isStrict(directive(response, "form-action")),
  ],
  [
    "X-Content-Type-Options must be nosniff",
    (response) => headerOf(response, "x-content-type-options") === "nosniff",
  ],
  [
    "the content type must name the charset",
    (response) =>
      !isHtml(response) || /charset=utf-8/i.test(headerOf(response, "content-type") ?? ""),
  ],
  [
    "its URL must not leak to other sites",
    (response) =>
      /^(no-referrer|same-origin|strict-origin(-when-cross-origin)?)$/.test(
        headerOf(response, "referrer-policy") ?? "",
      ),
  ],
  [
    "other sites must not read it",
    (response) => valuesOf(response, "access-control-allow-origin").length === 0,
  ],
];
