import type { Answer } from "./answers.ts";
import type { Asking } from "./ask.ts";
import { type Attack, FEW, forEach, LeftOut } from "./attack.ts";
import { isSignedIn, send, type Target } from "./target.ts";

/** The setup under every name that a proxy, a router or a file system might take for it. */
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

/** Where the passwords differ, a setup that is still open answers with its form, and makes nothing. */
const harmless = { username: "latchkey-attack", password: "one of two", confirm: "two of two" };
const inEarnest = { ...harmless, confirm: harmless.password };

export const setupAgain: Attack = {
  name: "setup-again",
  about: "a second setup after the first, under other names and by other methods",
  meaning: "Whoever does it makes an account of their own, and has everything behind the door.",
  noun: "setups",
  verb: "taken",
  needs: [],

  async run(target, tally) {
    if (target.state === "unconfigured" && target.account === undefined) {
      throw new LeftOut("there is no account yet: whoever comes first makes it");
    }
    const form = target.fresh ? inEarnest : harmless;
    await forEach(askings(form), FEW, async (asking) => {
      tally.tried();
      const answer = await send(target, asking);
      if (await isTaken(target, answer)) {
        tally.gotThrough(`${asking.method ?? "POST"} ${asking.path}: ${answer.status}`);
      }
    });
  },
};

function askings(form: Readonly<Record<string, string>>): readonly Asking[] {
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

/** A session that opens the door, or the setup's own form. */
async function isTaken(target: Target, { session, status, body }: Answer): Promise<boolean> {
  if (session !== undefined && (await isSignedIn(target, `session=${session}`))) return true;
  return status < 500 && /<input[^>]*name="confirm"/.test(body);
}
