import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../support/add-user.ts";
import { startApp, startConfiguredApp } from "../support/app.ts";
import type { Answer, Sending } from "../support/client.ts";
import { SETUP_FORM, startConfigured, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { elements } from "../support/markup.ts";
import { BROWSER } from "./forward-auth-asking.ts";

const OIDC = { publicUrl: "http://localhost" };
const PAGES = ["profile", "sign-in", "devices", "access", "keys", "history"].map(
  (name) => `/account/${name}`,
);
/** The page for a user who lacks a required second factor. */
const ENROLMENT = "/account/sign-in";

const summary = ({ status, location }: Answer): readonly unknown[] => [status, location];

/** The links of a navigation, by the beginning of its element. */
const linksOf = (body: string, nav: string): readonly (string | undefined)[] => {
  const [, list = ""] = body.split(nav);
  return elements(list.split("</nav>")[0] ?? "", "a").map(({ href }) => href);
};

test("the home paths of a gate lead on: to the apps, and to the profile", async (t) => {
  const { gate, session } = await startConfigured(t);
  assert.deepEqual(summary(await gate.send("/", { session })), [303, "/apps"]);
  assert.deepEqual(summary(await gate.send("/account/", { session })), [303, "/account/profile"]);
  for (const path of ["/", "/account/"]) {
    assert.deepEqual(summary(await gate.send(path)), [303, "/login"], path);
    const posted = await gate.send(path, { session, form: {} });
    assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"], path);
    const head = await gate.send(path, { session, method: "HEAD" });
    assert.equal(head.status, 303, path);
  }
  const empty = await startGate(t);
  for (const path of ["/", "/account/", "/apps", ...PAGES.slice(0, 3)])
    assert.deepEqual(summary(await empty.send(path)), [303, "/setup"], path);
});

for (const [options, home, base] of [
  [{}, "/", ""],
  [{ basePath: "/auth" }, "/auth", "/auth"],
  [{ homePath: "/me" }, "/me", ""],
  [{ basePath: "/auth", homePath: "/me" }, "/me", "/auth"],
] as const) {
  test(`the home path of an app leads to the profile, with ${JSON.stringify(options)}`, async (t) => {
    const app = await startApp(t, options);
    const { session } = await app.send(`${base}/setup`, { form: SETUP_FORM });
    const open = (path: string) => app.send(path, { session });
    const profile = `${base}/account/profile`;
    assert.deepEqual(summary(await open(home)), [303, profile]);
    assert.equal((await open(profile)).status, 200);
    for (const path of [`${base}/apps`, `${base}/account/`])
      assert.equal((await open(path)).status, 404, "only a gate has it");
  });
}

test("an app without homePath has none of the pages", async (t) => {
  const { app, session } = await startConfiguredApp(t, { homePath: null });
  for (const path of ["/", "/apps", "/account/", ...PAGES])
    assert.equal((await app.send(path, { session })).status, 404, path);
});

test("each page is reached from each, and says which one it is", async (t) => {
  const { gate, session } = await startConfigured(t, OIDC);
  for (const path of PAGES) {
    const { status, body } = await gate.send(path, { session });
    assert.equal(status, 200, path);
    assert.deepEqual(linksOf(body, '<nav class="side"'), PAGES, path);
    const current = elements(body, "a").filter((link) => "aria-current" in link);
    assert.deepEqual(
      current.map(({ href }) => href),
      ["/account/profile", path],
      "the area and the page",
    );
  }
});

test("an app has only the pages that its options call for", async (t) => {
  const { app, session } = await startConfiguredApp(t, { sessions: { list: false } });
  const left = ["/account/profile", ENROLMENT, "/account/history"];
  for (const path of PAGES) {
    const { status } = await app.send(path, { session });
    assert.equal(status, left.includes(path) ? 200 : 404, path);
  }
  const { body } = await app.send("/account/profile", { session });
  assert.deepEqual(linksOf(body, '<nav class="side"'), left);
});

test("no page opens for strangers, guests, other hosts and other methods", async (t) => {
  const { gate, session } = await startConfigured(t, {
    ...OIDC,
    allowedHosts: ["127.0.0.1", "localhost"],
  });
  const link = await linkPath(gate, "guest", "plumber", "--groups", "photos");
  const { session: guest } = await gate.send(link, { form: {} });
  const attempts: readonly (readonly [Sending, readonly unknown[]])[] = [
    [{}, [303, "/login"]],
    [{ session: "" }, [303, "/login"]],
    [{ session: "a.b.c" }, [303, "/login"]],
    [{ session: guest }, [403, undefined]],
    [{ session, headers: { Host: "attacker.example" } }, [421, undefined]],
    [{ session, method: "DELETE" }, [405, undefined]],
  ];
  for (const path of PAGES) {
    // The profile has a form.
    if (path !== "/account/profile")
      assert.equal((await gate.send(path, { session, form: {} })).status, 405);
    for (const [sending, expected] of attempts) {
      const answer = await gate.send(path, sending);
      assert.deepEqual(summary(answer), expected, `${path} ${JSON.stringify(sending)}`);
      assert.ok(!answer.body.includes("<nav"), "it shows no page of the account");
    }
    const opened = await gate.send(path, { session });
    assert.equal(opened.headers["cache-control"], "no-store");
    assert.equal(opened.headers["x-frame-options"], "DENY");
  }
});

test("the pages show each user their own account only", async (t) => {
  const { gate } = await startConfigured(t, OIDC);
  const session = addUser(gate, "member");
  for (const path of PAGES) {
    const { status, body } = await gate.send(path, { session });
    assert.equal(status, 200, path);
    assert.ok(body.includes("member") && !body.includes("owner"), path);
  }
});

test("who lacks a required second factor is led from every page to the one that adds it", async (t) => {
  const { app, session } = await startConfiguredApp(t, {
    ...{ requireSecondFactor: ["all"], people: true },
    guards: { returnTo: true, keys: true },
  });
  assert.equal((await app.send(ENROLMENT, { session, headers: BROWSER })).status, 200);
  const others = PAGES.filter((path) => path !== ENROLMENT && path !== "/account/access");
  for (const path of ["/", ...others, "/account/people", "/account/activity"]) {
    const place = `${path}?a=b`;
    const led = await app.send(place, { session, headers: BROWSER });
    const location = `${ENROLMENT}?return_to=${encodeURIComponent(place)}`;
    assert.deepEqual(summary(led), [303, location], path);
    const page = await app.send(location, { session, headers: BROWSER });
    assert.equal(page.status, 200);
    const begin = `/account/codes/begin?return_to=${encodeURIComponent(place)}`;
    assert.ok(page.body.includes(`action="${begin}"`), path);
  }
});
