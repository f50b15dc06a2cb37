import { type Answer, headerOf, valuesOf } from "./answers.ts";
import type { Asking } from "./ask.ts";
import { type Attack, FEW, forEach } from "./attack.ts";
import { send, type Target } from "./target.ts";

export const pageHeaders: Attack = {
  name: "page-headers",
  about: "pages that can be framed, kept by caches, guessed at or made to run scripts",
  meaning:
    "Another site can put your pages into its own, or others see what a cache has kept of them.",
  noun: "rules",
  verb: "broken",
  needs: [],

  async run(target, tally) {
    await forEach(pages(target), FEW, async ([what, asking]) => {
      const answer = await send(target, asking);
      for (const [rule, holds] of rules) {
        tally.tried();
        if (!holds(answer)) tally.gotThrough(`${what}: ${rule}`);
      }
    });
  },
};

type Page = readonly [what: string, asking: Asking];

/** Latchkey's own, each in the states that it has, and one refusal of each kind. */
function pages({ account }: Target): readonly Page[] {
  const session = account?.token;
  const crossSite = { "Sec-Fetch-Site": "cross-site" };
  return [
    ["the sign-in", { path: "/login" }],
    ["the sign-in after an error", { path: "/login?error=1" }],
    ["the sign-in for somebody signed in", { path: "/login", session }],
    ["the setup", { path: "/setup" }],
    ["a wrong method", { path: "/logout" }],
    ["a form from another site", { path: "/logout", form: {}, headers: crossSite }],
    ["a form that is no UTF-8", { path: "/setup", body: "username=%ff" }],
    ["the sign-out", { path: "/logout", form: {} }],
    ["the password form, signed out", { path: "/account/password", form: {} }],
    ["the password form", { path: "/account/password", form: {}, session }],
  ];
}

const policyOf = (answer: Answer): string => headerOf(answer, "content-security-policy") ?? "";
const isHtml = (answer: Answer): boolean =>
  headerOf(answer, "content-type")?.startsWith("text/html") === true;

const directive = (answer: Answer, name: string): string | undefined =>
  policyOf(answer)
    .split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name} `));

const notLoose = (sources: string | undefined): boolean =>
  sources !== undefined && !/unsafe-|data:|blob:|[ ]\*|[ ]https?:(?= |$)/.test(sources);

type Rule = readonly [rule: string, holds: (answer: Answer) => boolean];

const rules: readonly Rule[] = [
  ["no cache may keep it", (answer) => /no-store/.test(headerOf(answer, "cache-control") ?? "")],
  [
    "no other site may frame it",
    (answer) =>
      !isHtml(answer) ||
      directive(answer, "frame-ancestors") === "frame-ancestors 'none'" ||
      headerOf(answer, "x-frame-options")?.toUpperCase() === "DENY",
  ],
  [
    "only scripts of its own may run",
    (answer) =>
      !isHtml(answer) ||
      notLoose(directive(answer, "script-src") ?? directive(answer, "default-src")),
  ],
  [
    "no other base address",
    (answer) => !isHtml(answer) || /base-uri 'none'/.test(policyOf(answer)),
  ],
  [
    "its forms go nowhere unknown",
    (answer) => !isHtml(answer) || notLoose(directive(answer, "form-action")),
  ],
  [
    "nobody may guess its type",
    (answer) => headerOf(answer, "x-content-type-options") === "nosniff",
  ],
  [
    "its type names the encoding",
    (answer) => !isHtml(answer) || /charset=utf-8/i.test(headerOf(answer, "content-type") ?? ""),
  ],
  [
    "its address is not told to other sites",
    (answer) =>
      /^(no-referrer|same-origin|strict-origin(-when-cross-origin)?)$/.test(
        headerOf(answer, "referrer-policy") ?? "",
      ),
  ],
  [
    "no other site may read it",
    (answer) => valuesOf(answer, "access-control-allow-origin").length === 0,
  ],
];
