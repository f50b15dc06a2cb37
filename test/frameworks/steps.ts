import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { run } from "../package/installed.ts";
import { hiddenFields } from "../proxies/browser.ts";
import type { Answer, Sending } from "../support/client.ts";
import { inDatabase } from "../support/database.ts";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import type { RunningApp } from "./running-app.ts";

/** A browser at a running app. */
export interface Visit extends RunningApp {
  /** The value of the session cookie. */
  session?: string | undefined;
  password: string;
  /** The prefix of the app's paths. */
  readonly base?: string;
  /** How many sign-ins succeeded. */
  signIns: number;
}

/** A part of what happens to every app. Each step continues after the one before. */
export interface Step {
  readonly title: string;
  run(visit: Visit, t: TestContext): Promise<void>;
}

const PAGE = { Accept: "text/html,application/xhtml+xml" };
const SCRIPT = { Accept: "application/json" };
const DEEP_LINK = "/notes/7?sort=new&q=a+b";
const NEW_PASSWORD = "another horse";
const RESET_PASSWORD = "a third horse";
/** Addresses of other clients, each with its own five attempts. */
const BEHIND_PROXY = "127.0.0.2";
const GUESSING = "127.0.0.3";
const INNOCENT = "127.0.0.4";
const OPERATOR = "127.0.0.5";
const SECOND_DEVICE = "127.0.0.6";
const LEFT = /^.*Error: aborted\n(.*\n)*? +code: 'ECONNRESET'.*\n\}?/gm;

const summary = ({ status, location }: Answer): readonly unknown[] => [status, location];

/** Posts the sign-in form, with the hidden fields of its page if there is one. */
export async function signIn(visit: Visit, sending: Sending = {}): Promise<Answer> {
  const form = { ...OWNER, password: visit.password, ...sending.form };
  const answer = await visit.send("/auth/login", { ...sending, form });
  if (answer.session) visit.signIns += 1;
  return answer;
}

/** Until a user is signed in, with `visit.session`. */
export const entering: readonly Step[] = [
  {
    title: "redirects to the setup while no account exists, and serves the page with its style",
    async run(visit) {
      const { status, location = "" } = await visit.send("/", { headers: PAGE });
      assert.equal(status, 303);
      assert.match(location, /^\/auth\/setup(\?|$)/);
      const page = await visit.send(location, { headers: PAGE });
      assert.match(page.body, /<form[^>]* action="\/auth\/setup"/);
      const [, style = ""] = /href="(\/auth\/latchkey\.css[^"]*)"/.exec(page.body) ?? [];
      assert.equal((await visit.send(style)).status, 200);
    },
  },
  {
    title: "refuses the setup for a host that is not loopback, and from another site",
    async run(visit) {
      const form = SETUP_FORM;
      const hosts = { Host: "evil.example", Origin: "http://evil.example" };
      const rebound = await visit.send("/auth/setup", { form, headers: hosts });
      assert.ok([403, 421].includes(rebound.status), String(rebound.status));
      const headers = { Origin: "http://evil.example" };
      assert.equal((await visit.send("/auth/setup", { form, headers })).status, 403);
    },
  },
  {
    title: "creates the account and shows the guarded page and API to it",
    async run(visit) {
      const form = SETUP_FORM;
      const answer = await visit.send("/auth/setup", { form });
      assert.deepEqual(summary(answer), [303, "/"]);
      visit.session = answer.session;
      const { home = "/" } = visit.app;
      const page = await visit.send(home, { session: answer.session, headers: PAGE });
      assert.equal(page.status, 200);
      // React separates two texts by a comment.
      assert.match(page.body, /Hello, (<!-- -->)?owner/);
      const api = await visit.send("/api/me", { session: answer.session, headers: SCRIPT });
      assert.equal(JSON.parse(api.body).username, OWNER.username);
    },
  },
  {
    title: "answers a stranger's script with 401 and JSON",
    async run(visit) {
      const { status, headers, body } = await visit.send("/api/me", { headers: SCRIPT });
      assert.equal(status, 401);
      assert.match(headers["content-type"] ?? "", /^application\/json/);
      assert.doesNotMatch(body, /owner/);
    },
  },
  {
    title: "returns a stranger to the deep link after the sign-in",
    async run(visit) {
      const { status, location = "" } = await visit.send(DEEP_LINK, { headers: PAGE });
      assert.equal(status, 303);
      assert.match(location, /^\/auth\/login\?/);
      const { body } = await visit.send(location, { headers: PAGE });
      const answer = await signIn(visit, { form: hiddenFields(body), from: SECOND_DEVICE });
      assert.equal(answer.status, 303);
      assert.equal(new URL(answer.location ?? "", visit.url).href, `${visit.url}${DEEP_LINK}`);
      const beginsAlike = await visit.send(`/authors`, { headers: PAGE });
      assert.match(beginsAlike.location ?? "", /^\/auth\/login\?/);
    },
  },
];

/** What follows after the app's own steps. */
export const leaving: readonly Step[] = [
  {
    title: "changes the password",
    async run(visit) {
      const { session } = visit;
      const home = await visit.send("/auth", { session, headers: PAGE });
      assert.deepEqual(summary(home), [303, "/auth/account/profile"]);
      const account = await visit.send("/auth/account/sign-in", { session, headers: PAGE });
      assert.match(account.body, /<form[^>]* action="\/auth\/account\/password"/);
      const form = changeForm(OWNER.password, NEW_PASSWORD);
      assert.equal((await visit.send("/auth/account/password", { session, form })).status, 303);
      const old = await signIn(visit, { from: SECOND_DEVICE });
      assert.deepEqual(summary(old), [303, "/auth/login?error=1"]);
      visit.password = NEW_PASSWORD;
      assert.deepEqual(summary(await signIn(visit, { from: SECOND_DEVICE })), [303, "/"]);
    },
  },
  {
    title: "signs out",
    async run(visit) {
      const { session } = visit;
      const answer = await visit.send("/auth/logout", { session, method: "POST" });
      assert.deepEqual(summary(answer), [303, "/auth/login"]);
      assert.equal(answer.session, "");
      const page = await visit.send("/", { headers: PAGE });
      assert.match(page.location ?? "", /^\/auth\/login/);
    },
  },
  {
    title: "takes a new password by the command of its page while the app runs",
    async run(visit) {
      const reset = "npx --no latchkey user password owner --database-url sqlite:accounts.db";
      const line = `printf '%s' '${RESET_PASSWORD}' | ${reset} --password-stdin`;
      await run(visit.folder, "sh", "-c", line);
      const old = await signIn(visit, { from: OPERATOR });
      assert.deepEqual(summary(old), [303, "/auth/login?error=1"]);
      visit.password = RESET_PASSWORD;
      assert.deepEqual(summary(await signIn(visit, { from: OPERATOR })), [303, "/"]);
    },
  },
  {
    title: "writes no warning and no error so far",
    async run({ running }) {
      // Next.js reports a browser that leaves a page before its answer has arrived.
      const output = `${running.stdout()}${running.stderr()}`.replace(LEFT, "");
      assert.doesNotMatch(output, /TRUSTED_PROXIES|AUTH_SECRET|warn|error/i);
    },
  },
  {
    title: "sets a secure cookie behind a proxy that ends TLS",
    async run(visit) {
      const hosts =
        visit.app.origin === "fixed"
          ? // The framework requires the origin of its build, which is plain HTTP here.
            { "Sec-Fetch-Site": "same-origin" }
          : { Host: "app.example.org", Origin: "https://app.example.org" };
      const headers = {
        ...{ ...hosts, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "app.example.org" },
        "X-Forwarded-For": "203.0.113.7",
      };
      const answer = await signIn(visit, { headers, from: BEHIND_PROXY });
      assert.equal(answer.status, 303);
      assert.match(answer.cookies.join(), /^session=.*; Secure/);
    },
  },
  {
    title: "limits the sign-ins of an address, and of no other",
    async run(visit) {
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const form = { password: "wrong" };
        const headers =
          visit.app.address === "header" ? {} : { "X-Forwarded-For": `203.0.113.${attempt}` };
        await signIn(visit, { form, from: GUESSING, headers });
      }
      const limited = await signIn(visit, { from: GUESSING });
      assert.deepEqual(summary(limited), [303, "/auth/login?error=1"]);
      assert.deepEqual(summary(await signIn(visit, { from: INNOCENT })), [303, "/"]);
    },
  },
  {
    title: "stops on SIGTERM after the audit log is written",
    async run({ running, folder, app, signIns }) {
      running.child.kill("SIGTERM");
      const { code, signal, stdout, stderr } = await running.ended;
      // 143 is 128 and the signal; NestJS ends by the signal itself.
      assert.ok(code === 0 || code === 143 || signal === "SIGTERM", `${code}\n${stdout}${stderr}`);
      if (app.stop === "at once") return;
      const logged = inDatabase(join(folder, "accounts.db"), (database) =>
        database.prepare("SELECT count(*) AS n FROM latchkey_log WHERE type = 'signin'").get(),
      );
      assert.equal(logged?.n, signIns);
    },
  },
];
