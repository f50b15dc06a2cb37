import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Skipped } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { isSignedIn, send, type Target } from "../target.ts";

/** Spellings that a proxy, a router or a file system might treat as /setup. */
const spellings: readonly string[] = [
  "/setup",
  "/setup/",
  "//setup",
  "/./setup",
  "/x/../setup",
  "/Setup",
  "/SETUP",
  "/setup.",
  "/setup;a=1",
  "/setup/..;/setup",
  "/%73etup",
  "/%53etup",
  "/setu%70",
  "/setup%20",
  "/setup%00",
  "/setup%2f",
  "/%2e/setup",
  "/%2fsetup",
  "/setup?x=1",
  "/setup?token=",
  "/setup#x",
  "/setup.json",
  "/setup/index.html",
  "/login/../setup",
  "/%25%37%33etup",
];

const override = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"];

/** The passwords differ, so a setup that is still open shows its form and creates no account. */
const harmless = { username: "latchkey-attack", password: "one of two", confirm: "two of two" };
const valid = { ...harmless, confirm: harmless.password };

export const setupAgain: Attack = {
  name: "setup-again",
  about: "a second setup after the first, under other names and by other methods",
  meaning: "An attacker can create an account and reach everything behind the sign-in.",
  noun: "setups",
  verb: "accepted",
  needs: [],

  async run(target, tally) {
    if (target.state === "unconfigured" && target.account === undefined) {
      throw new Skipped("no account exists yet, so the setup is open by design");
    }
    const form = target.fresh ? valid : harmless;
    await forEach(requests(form), CONCURRENCY, async (request) => {
      tally.tried();
      const response = await send(target, request);
      if (await isAccepted(target, response)) {
        tally.gotThrough(`${request.method ?? "POST"} ${request.path}: ${response.status}`);
      }
    });
  },
};

function requests(form: Readonly<Record<string, string>>): readonly HttpRequest[] {
  const query = new URLSearchParams(form).toString();
  const json = JSON.stringify(form);
  return [
    ...spellings.map((path) => ({ path, form })),
    ...["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "post", "POST ", "SETUP"].map(
      (method) => ({ path: "/setup", form, method }),
    ),
    ...override.map((name) => ({ path: `/setup?${query}`, headers: { [name]: "POST" } })),
    { path: `/setup?_method=POST&${query}` },
    { path: "/setup", body: json, headers: { "Content-Type": "application/json" } },
    { path: "/setup", body: query, headers: { "Content-Type": "text/plain" } },
    { path: "/setup", form, version: "1.0" as const },
    { path: "/setup", form, headers: { "X-Original-URL": "/setup", "X-Rewrite-URL": "/setup" } },
    { path: "/logout", form, headers: { "X-Original-URL": "/setup", "X-Rewrite-URL": "/setup" } },
    { path: "/setup", form, headers: { "Sec-Fetch-Site": "same-origin" } },
  ];
}

/** Whether the response carries a valid session or the form of an open setup. */
async function isAccepted(
  target: Target,
  { session, status, body }: HttpResponse,
): Promise<boolean> {
  if (session !== undefined && (await isSignedIn(target, `session=${session}`))) return true;
  return status < 500 && /<input[^>]*name="confirm"/.test(body);
}
