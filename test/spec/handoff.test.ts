import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { digestText } from "../../src/lib/random-text.ts";
import { getWords } from "../../src/pages/words.ts";
import { addUser } from "../support/add-user.ts";
import type { Answer } from "../support/client.ts";
import {
  changeForm,
  OWNER,
  type RunningGate,
  startConfigured,
  startGate,
} from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { mint, partsOf } from "../support/mint.ts";

const AUTH = "https://auth.example.test";
const PHOTOS = "https://photos.other.test";
const TARGET = `${PHOTOS}/album?x=1&y=a%20b`;
const PAGE = { Accept: "text/html", "X-Forwarded-Proto": "https" };
const BEGUN =
  /^__Host-latchkey-handoff=([\w-]{43}); Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600$/;

const DOMAINS = {
  publicUrl: AUTH,
  // With its own host among them, which must not send a browser to itself.
  returnDomains: ["auth.example.test", "other.test", "*.third.test"],
  trustedProxies: ["127.0.0.1"],
  allowedHosts: ["127.0.0.1"],
};

const handoffTo = (target: string): string =>
  `${new URL(target).origin}/login/handoff?return_to=${encodeURIComponent(target)}`;

/** One browser: what it keeps of each host, and the redirects that it follows. */
function browserOf(gate: RunningGate) {
  const jar = new Map<string, Map<string, string>>();
  async function open(url: string, form?: Readonly<Record<string, string>>): Promise<Answer> {
    const { host, pathname, search } = new URL(url);
    const cookies = jar.get(host) ?? new Map<string, string>();
    jar.set(host, cookies);
    const answer = await gate.send(`${pathname}${search}`, {
      ...(form && { form }),
      headers: {
        ...PAGE,
        Host: host,
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
    });
    for (const line of answer.cookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=-1/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
  /** What forward auth says of a page of an app. */
  const ask = (url: string, session = jar.get(new URL(url).host)?.get("session")) => {
    const { host, pathname, search } = new URL(url);
    const headers = { "X-Forwarded-Host": host, "X-Forwarded-Uri": `${pathname}${search}` };
    return gate.send("/forward-auth", { session, headers: { ...PAGE, ...headers } });
  };
  const follow = (answer: Answer, from: string) => open(new URL(answer.location ?? "", from).href);
  /** Up to the address with the code. */
  async function codeFor(target: string): Promise<string> {
    const begun = await open(handoffTo(target));
    return (await open(begun.location ?? "")).location ?? "";
  }
  return { jar, open, ask, follow, codeFor };
}

async function scene(t: TestContext) {
  const { gate, session } = await startConfigured(t, DOMAINS);
  const browser = browserOf(gate);
  browser.jar.set("auth.example.test", new Map([["session", session]]));
  return { gate, session, ...browser };
}

test("without an account, a visitor of another domain is led to the setup", async (t) => {
  const { status, location } = await browserOf(await startGate(t, DOMAINS)).ask(TARGET);
  assert.deepEqual([status, location], [303, `${AUTH}/setup`]);
});

test("brings a visitor of another domain to the sign-in and back", async (t) => {
  const { gate } = await startConfigured(t, DOMAINS);
  const { jar, open, ask, follow } = browserOf(gate);
  const refused = await ask(TARGET);
  assert.deepEqual([refused.status, refused.location], [303, handoffTo(TARGET)]);
  const begun = await follow(refused, TARGET);
  const [, cookie = ""] = BEGUN.exec(begun.cookies[0] ?? "") ?? [];
  const asked = new URL(begun.location ?? "");
  assert.equal(asked.origin + asked.pathname, `${AUTH}/login/handoff`);
  assert.equal(asked.searchParams.get("return_to"), TARGET);
  assert.equal(asked.searchParams.get("browser"), digestText(cookie));
  const toSignIn = await follow(begun, TARGET);
  const login = new URL(toSignIn.location ?? "", AUTH);
  assert.equal(login.pathname, "/login");
  const page = await open(login.href);
  assert.match(page.body, /to continue to .*photos\.other\.test/);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(
    policy,
    /form-action [^;]* https:\/\/other\.test https:\/\/\*\.other\.test https:\/\/third\.test https:\/\/\*\.third\.test;/,
  );
  const return_to = login.searchParams.get("return_to") ?? "";
  const signedIn = await open(login.href, { ...OWNER, return_to });
  const coded = await follow(signedIn, AUTH);
  const [, code = ""] =
    new RegExp(`^${PHOTOS}/login/handoff\\?code=([\\w-]{43})&return_to=`).exec(
      coded.location ?? "",
    ) ?? [];
  const back = await follow(coded, AUTH);
  assert.deepEqual([back.status, back.location], [303, TARGET]);
  const session = /^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/;
  assert.match(back.cookies.join(), session);
  for (const { headers } of [begun, coded, back]) {
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cache-control"], "no-store");
  }
  const admitted = await ask(TARGET);
  assert.deepEqual([admitted.status, admitted.headers["remote-user"]], [200, "owner"]);
  assert.ok(code !== "" && !JSON.stringify(gate.serverLog).includes(code));
  // The page of the sessions lists it with its host, and offers to sign out everywhere.
  const devices = await open(`${AUTH}/account/devices`);
  assert.match(devices.body, /<bdi>photos\.other\.test<\/bdi> · /);
  const [, forms = ""] = devices.body.split('action="/account/sessions/end"');
  assert.match(forms, /name="session" value="all"[^>]*>Sign out everywhere</);
  const profile = await open(`${AUTH}/account/profile`);
  assert.match(profile.body, /action="\/logout"><button[^>]*>Sign out</);
  const photos = jar.get("photos.other.test");
  await open(`${AUTH}/logout`, {});
  assert.equal((await ask(TARGET)).status, 200, "signed out at the sign-in only");
  await open(login.href, { ...OWNER });
  const out = await open(`${AUTH}/account/sessions/end`, { session: "all" });
  assert.deepEqual([out.status, out.location], [303, "/login"]);
  assert.equal(jar.get("auth.example.test")?.has("session"), false);
  assert.equal((await ask(TARGET, photos?.get("session"))).status, 303);
  assert.equal((await open(`${AUTH}/`)).status, 303);
});

test("a session of one host opens no other, and nothing at the sign-in", async (t) => {
  const { gate, ask, open, codeFor, follow, jar } = await scene(t);
  await follow({ location: await codeFor(TARGET) } as Answer, AUTH);
  const photos = jar.get("photos.other.test")?.get("session");
  assert.equal((await ask(TARGET, photos)).status, 200);
  for (const url of [
    `${PHOTOS}.test/`,
    "https://wiki.other.test/",
    "https://a.third.test/",
    `${AUTH}/`,
  ]) {
    assert.equal((await ask(url, photos)).status, 303, url);
  }
  for (const path of ["/", "/account/me", "/account/people", "/login"]) {
    const headers = { ...PAGE, Host: "auth.example.test" };
    const answer = await gate.send(path, { session: photos, headers });
    assert.doesNotMatch(answer.body, /owner/, path);
  }
  const form = changeForm(OWNER.password, "another password");
  const headers = { Host: "auth.example.test" };
  const refused = await gate.send("/account/password", { session: photos, form, headers });
  assert.deepEqual([refused.status, refused.location], [303, "/login"]);
  const host = "auth.example.test";
  jar.set(host, new Map([["session", photos ?? ""]]));
  const location = (await open(await begunAt(open, "https://wiki.other.test/"))).location ?? "";
  assert.match(location, /^\/login\?return_to=/, "it begets no other");
});

const begunAt = async (open: (url: string) => Promise<Answer>, target: string): Promise<string> =>
  (await open(handoffTo(target))).location ?? "";

test("gives nothing for a code from another browser or host", async (t) => {
  const { gate, session, codeFor, open } = await scene(t);
  const other = browserOf(gate);
  const [stolen, foreign] = [await codeFor(TARGET), await codeFor(TARGET)];
  const ofNone = new URLSearchParams({ return_to: TARGET, browser: digestText("") });
  const { location: made = "" } = await open(`${AUTH}/login/handoff?${ofNone}`);
  assert.match(made, /\?code=/, "anyone can name the hash of no cookie");
  // Without a cookie, and after it has begun by itself.
  for (const [browser, url] of [
    [other, stolen],
    [browserOf(gate), made],
    [browserOf(gate), foreign.replace("photos", "wiki")],
  ] as const) {
    const refused = await browser.open(url);
    const again = new URL(refused.location ?? "");
    assert.equal(again.origin + again.pathname, `${AUTH}/login`);
    assert.equal(refused.session, undefined);
    await begunAt(browser.open, TARGET);
    assert.equal((await browser.open(url)).session, undefined);
    assert.equal((await open(url)).session, undefined, "it was used up");
  }
  const refusals = gate.serverLog.filter(({ msg }) => msg === "handoff refused");
  assert.ok(refusals.length > 0 && !JSON.stringify(gate.serverLog).includes("code="));
  // The page to which it leads begins again, after a click.
  other.jar.set("auth.example.test", new Map([["session", session]]));
  const page = await other.open(
    `${AUTH}/login?handoff_failed=1&return_to=${encodeURIComponent(`/login/handoff?return_to=${encodeURIComponent(TARGET)}`)}`,
  );
  const link = /<a class="button" href="([^"]+)">/.exec(page.body)?.[1]?.replaceAll("&amp;", "&");
  assert.ok(page.body.includes(getWords("en").handoffFailed));
  assert.match(page.body, /Continue to <strong><bdi>photos\.[\w.]+<\/bdi><\/strong><\/a>/);
  const begins = await other.open(new URL(link ?? "", AUTH).href);
  assert.equal(begins.location, handoffTo(TARGET));
});

test("leads to no host outside the lists, and answers none", async (t) => {
  const { gate, session, open, ask } = await scene(t);
  const outside = [
    ...["https://evil.test/", "https://other.test.evil.test/", "https://evilother.test/"],
    ...["https://third.test/", "http://photos.other.test/", "https://photos.other.test:8443/"],
    ...["https://u@photos.other.test/", "//photos.other.test/", "javascript:alert(1)", "/", ""],
    ...["https:/photos.other.test/", "https://photos.other.test\\@evil.test/", `${AUTH}/`],
    "https://PHOTOS.other.test/",
  ];
  const browser = "x".repeat(43);
  for (const target of outside) {
    const query = new URLSearchParams({ return_to: target, browser });
    const given = await open(`${AUTH}/login/handoff?${query}`);
    assert.deepEqual([given.status, given.location], [404, undefined], target);
    // At its own host, it is replaced by the root of that.
    const begun = new URL((await open(`${PHOTOS}/login/handoff?${query}`)).location ?? "");
    assert.equal(begun.searchParams.get("return_to"), `${PHOTOS}/`, target);
  }
  const other = new URLSearchParams({ return_to: "https://wiki.other.test/" });
  const begun = await open(`${PHOTOS}/login/handoff?${other}`);
  assert.equal(new URL(begun.location ?? "").searchParams.get("return_to"), `${PHOTOS}/`);
  for (const host of ["evil.test", "third.test", "other.test.evil.test"]) {
    const headers = { ...PAGE, Host: host };
    const { status, cookies, location } = await gate.send("/login/handoff?code=x", {
      session,
      headers,
    });
    assert.deepEqual([status, cookies, location], [421, [], undefined], host);
    assert.equal((await ask(`https://${host}/`, "")).location, `${AUTH}/login`);
  }
  for (const host of ["photos%2eother.test", "photos\u00ad.other.test", "%70hotos.other.test"]) {
    const headers = { ...PAGE, "X-Forwarded-Host": host, "X-Forwarded-Uri": "/" };
    assert.equal((await gate.send("/forward-auth", { headers })).location, `${AUTH}/login`, host);
    const code = await gate.send("/login/handoff?code=x", { headers: { ...PAGE, Host: host } });
    assert.deepEqual([code.status, code.location], [421, undefined], host);
  }
  const long = `${PHOTOS}/?${"x".repeat(2_048)}`;
  for (const unusable of [long, "http://photos.other.test/"]) {
    assert.equal((await ask(unusable, "")).location, handoffTo(`${PHOTOS}/`));
  }
  const target = { "X-Forwarded-Host": "photos.other.test", "X-Forwarded-Uri": "/" };
  const headers = { ...PAGE, ...target, "X-Forwarded-Proto": "opaque:x" };
  const { location } = await gate.send("/forward-auth", { headers });
  assert.equal(location, `${AUTH}/login`, "a URL that has no root");
});

test("keeps the cookie of a browser that begins twice", async (t) => {
  const { open, jar, codeFor, follow } = await scene(t);
  const first = await codeFor(TARGET);
  const kept = jar.get("photos.other.test")?.get("__Host-latchkey-handoff");
  await codeFor(TARGET);
  assert.equal(jar.get("photos.other.test")?.get("__Host-latchkey-handoff"), kept);
  assert.ok((await follow({ location: first } as Answer, AUTH)).session);
  jar.get("photos.other.test")?.set("__Host-latchkey-handoff", "chosen by somebody");
  const begun = await begunAt(open, TARGET);
  assert.notEqual(new URL(begun).searchParams.get("browser"), digestText("chosen by somebody"));
});

test("signs out at the other host, and shows a user whom the app does not admit how", async (t) => {
  const { gate, open, jar, codeFor, follow } = await scene(t);
  const guest = addUser(gate, "guest");
  jar.set("auth.example.test", new Map([["session", guest]]));
  await follow({ location: await codeFor(TARGET) } as Answer, AUTH);
  const session = jar.get("photos.other.test")?.get("session");
  const headers = { ...PAGE, "X-Forwarded-Host": "photos.other.test", "X-Forwarded-Uri": "/" };
  const excluded = await gate.send("/forward-auth?users=owner", { session, headers });
  assert.equal(excluded.status, 403);
  assert.match(excluded.body, /<form method="post" action="\/login\/handoff">/);
  const policy = String(excluded.headers["content-security-policy"]);
  assert.match(policy, /form-action 'self' https:\/\/auth\.example\.test /);
  const cross = { ...PAGE, Host: "photos.other.test", "Sec-Fetch-Site": "cross-site" };
  const foreign = await gate.send("/login/handoff", { session, form: {}, headers: cross });
  assert.equal(foreign.status, 403);
  const out = await open(`${PHOTOS}/login/handoff`, {});
  assert.deepEqual([out.status, out.location], [303, `${AUTH}/login`]);
  assert.equal(jar.get("photos.other.test")?.has("session"), false);
  assert.equal((await gate.send("/forward-auth", { session, headers })).status, 303);
  assert.match((await open(`${AUTH}/login`)).body, /guest/, "the sign-in goes on");
});

test("asks for the second factor that the app asks for, and brings it along", async (t) => {
  const { gate, jar, session, open, follow } = await scene(t);
  const ask = () => {
    const headers = { ...PAGE, "X-Forwarded-Host": "photos.other.test", "X-Forwarded-Uri": "/" };
    const own = jar.get("photos.other.test")?.get("session");
    return gate.send("/forward-auth?factor=2", { headers, session: own });
  };
  const go = async () => follow(await follow(await ask(), PHOTOS), AUTH);
  await follow(await go(), AUTH);
  assert.match((await ask()).location ?? "", /\/login\/handoff\?factor=2&return_to=/);
  const asked = await go();
  const forFactor = /^\/login\?factor=2&return_to=%2Flogin%2Fhandoff%3F.*factor%3D2/;
  assert.match(asked.location ?? "", forFactor);
  const link = `${AUTH}${await linkPath(gate, "guest", "visitor", "--groups", "family")}`;
  await open(link, {});
  assert.match((await go()).location ?? "", /^\/login\?factor=2/, "a guest has no second factor");
  const { header, claims } = partsOf(session);
  const proven = mint(claims, { header: { ...header, factors: 2 } });
  jar.set("auth.example.test", new Map([["session", proven]]));
  await follow(await go(), AUTH);
  assert.equal((await ask()).status, 200);
});

test("without RETURN_DOMAINS there is no handoff", async (t) => {
  const { gate } = await startConfigured(t, { ...DOMAINS, returnDomains: [] });
  const { ask, open } = browserOf(gate);
  assert.equal((await ask(TARGET)).location, `${AUTH}/login`);
  assert.equal((await open(`${AUTH}/login/handoff`)).status, 404);
});

test("after 60 codes within a minute, a session gets a page that says to wait", async (t) => {
  const { open, codeFor } = await scene(t);
  const begun = await open(handoffTo(TARGET));
  while ((await open(begun.location ?? "")).status === 303);
  const refused = await open(begun.location ?? "");
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "60"]);
  assert.match(refused.body, /Too many apps were opened at once\. Wait a minute/);
  assert.equal(await codeFor(TARGET), "");
});
