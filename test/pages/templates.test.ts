import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsUnder } from "../../src/http/paths.ts";
import { openSite } from "../../src/http/site.ts";
import type { PageData, PageName } from "../../src/pages/page-data.ts";
import { getWords, type Locale, locales } from "../../src/pages/words.ts";
import { elements, fieldNamed } from "../support/markup.ts";
import { samples } from "../support/page-samples.ts";
import { NOBODY, PLAIN, plain, signedIn, site, to } from "../support/pages.ts";

const failed = (message: string): PageData["error"] => ({ status: 500, message });

/** A sample has the helpers and the data of its page. */
const renderSamples = (locale: Locale) =>
  Object.entries(samples).flatMap(([name, states]) =>
    states.map((state) =>
      site().pages.render(name as PageName, to(state, locale), state as PageData[PageName]),
    ),
  );

test("renders every page in each of its states and every language as a complete document", async () => {
  for (const locale of locales) {
    const { direction } = getWords(locale);
    for (const html of await Promise.all(renderSamples(locale))) {
      assert.ok(
        html.startsWith(`<!doctype html>\n<html lang="${locale}" dir="${direction}">`),
        html,
      );
      assert.match(html, /<\/html>\s*$/);
      // A form that is shown again says in the title that there is a problem.
      const [, heading = ""] = /<h1>(?:<bdi>)?([^<]+)</.exec(html) ?? [];
      assert.ok(heading !== "" && /<title>([^<]+)</.exec(html)?.[1]?.includes(heading), html);
      assert.doesNotMatch(html, /\b(undefined|null)\b|\[object|=>/, "every text is there");
    }
  }
});

test("codes, addresses and fields have a direction of their own", async () => {
  for (const html of await Promise.all(renderSamples("ar"))) {
    for (const { dir } of elements(html, "code")) assert.equal(dir, "ltr", html);
    for (const { type = "", inputmode, hidden, dir } of elements(html, "input")) {
      const isShown = hidden === undefined;
      if (!isShown || !["text", "search", "email", "password"].includes(type)) continue;
      const isLatin = type === "email" || inputmode !== undefined;
      assert.match(String(dir), isLatin ? /^ltr$/ : /^(auto|ltr)$/, html);
    }
  }
});

test("adds no space to the one of a full-width mark, except before a link", async () => {
  for (const locale of ["ja", "zh-Hans", "zh-Hant"] as const) {
    const pages = await Promise.all(renderSamples(locale));
    assert.ok(pages.some((html) => /[。：]./.test(html)));
    for (const html of pages) assert.doesNotMatch(html, /[、。：？] (?!<a )/, locale);
  }
});

const HOSTILE = `"><script>alert("1" & '2')</script>`;

test("escapes all text from users, clients, settings and errors", async () => {
  const { render } = site().pages;
  const at = { at: HOSTILE, utc: HOSTILE };
  const owner = to(signedIn("owner"));
  const methods = (data: Partial<PageData["signInMethods"]>): Promise<string> =>
    render("signInMethods", owner, { ...plain.signInMethods, ...data });
  const devices = (data: Partial<PageData["devices"]>): Promise<string> =>
    render("devices", owner, { ...plain.devices, ...data });
  const app = { name: HOSTILE, iconUrl: undefined, darkIconUrl: undefined };
  const tile = { ...app, url: "https://a.test/", host: "a.test", needsFactor: true, isFound: true };
  const entry = { text: "text", details: [], isAlarming: false, count: 1, ...at };
  const key = { id: "1", name: "key", hosts: [], isUsed: true, expires: undefined, ...at };
  const passkey = { id: "1", name: HOSTILE, added: at, used: at };
  const naming = { newName: HOSTILE, maxName: 60 };
  const session = { id: "1", device: "", address: "", isCurrent: true, ...at };
  const setup = (data: Partial<PageData["setup"]>): Promise<string> => {
    const asking = { ...plain.setup, tokenExpected: true, offersDomain: true };
    return render("setup", to(), { ...asking, ...data });
  };
  const rendered = [
    render("profile", to(signedIn(HOSTILE)), plain.profile),
    render("profile", owner, { ...plain.profile, groups: [HOSTILE] }),
    render("profile", owner, { ...plain.profile, end: at }),
    ...[{ name: HOSTILE }, { email: HOSTILE }, { version: HOSTILE }].map((one) =>
      render("profile", owner, { ...plain.profile, form: { ...plain.profile.form, ...one } }),
    ),
    ...[{ text: HOSTILE }, { details: [HOSTILE] }].map((one) =>
      render("history", owner, { ...plain.history, entries: [{ ...entry, ...one }] }),
    ),
    ...[{ device: HOSTILE }, { address: HOSTILE }, { host: HOSTILE }].map((one) =>
      devices({ sessions: [{ ...session, ...one }] }),
    ),
    devices({ devices: [{ ...session, device: HOSTILE }] }),
    methods({ passkeys: { list: [passkey], canAdd: false, ...naming } }),
    methods({ passkeys: { list: [], canAdd: true, ...naming } }),
    methods({ codes: { kind: "turned-on", recoveryCodes: ["1"], of: HOSTILE } }),
    ...[{ name: HOSTILE }, { hosts: [HOSTILE] }, { expires: at }].map((one) =>
      render("keys", owner, { kind: "list", list: [{ ...key, ...one }] }),
    ),
    render("launcher", owner, { ...plain.launcher, sections: [{ name: HOSTILE, apps: [tile] }] }),
    ...[{ name: HOSTILE }, { url: HOSTILE }, { host: HOSTILE }].map((one) =>
      render("launcher", owner, {
        ...plain.launcher,
        sections: [{ name: "", apps: [{ ...tile, name: "Photos", ...one }] }],
      }),
    ),
    render("access", owner, {
      ...plain.access,
      apps: [{ ...app, id: "photos", since: session, isSignIn: true, staysSignedIn: true }],
    }),
    render("error", to(), failed(HOSTILE)),
    render("login", to(), { ...plain.login, returnTo: HOSTILE }),
    setup({ token: HOSTILE }),
    setup({ username: HOSTILE }),
    setup({ domain: HOSTILE }),
    setup({ returnTo: HOSTILE }),
    setup({ problem: { message: HOSTILE, fields: ["token"] } }),
  ];
  for (const html of await Promise.all(rendered)) {
    assert.doesNotMatch(html, /<script(?! src="[^"&<]*" )/, "only scripts of the page");
    assert.match(html, /&quot;&gt;&lt;script&gt;alert\(&quot;1&quot; &amp; &#39;2/);
  }
});

test("escapes the name of the installation beside a name that is marked up", async () => {
  const { pages } = site({ appName: HOSTILE });
  const data = { ...failed("x"), offersSignOut: true, host: HOSTILE };
  const html = await pages.render("error", to(signedIn(HOSTILE)), data);
  assert.doesNotMatch(html, /<script(?! src="[^"&<]*" )/, "only scripts of the page");
  assert.match(html, /Ask the person who runs &quot;&gt;&lt;script&gt;/);
});

test("the setup page asks for a token and a domain only if they are configured", async () => {
  const { render } = site().pages;
  const all = { ...plain.setup, tokenExpected: true, token: "given", offersDomain: true };
  const asking = await render("setup", to(), all);
  assert.equal(fieldNamed(asking, "token").value, "given");
  assert.equal(fieldNamed(asking, "domain").required, undefined);
  const none = await render("setup", to(), { ...plain.setup, token: "x" });
  assert.doesNotMatch(none, /name="token"|name="domain"/);
});

test("keeps a page only if it shows no user and no text", async () => {
  const { render } = site().pages;
  const login = (helpers: object, data: object = {}, locale: Locale = "en", origin?: string) =>
    render(
      "login",
      { ...to({ ...NOBODY, ...helpers }, locale), origin },
      { ...plain.login, ...data },
    );
  const states = () =>
    Promise.all([
      login({}),
      login({ HasError: true }),
      login({ NeedsSetup: true }),
      login({}, { asksCode: true }),
      login({}, { offersPasskeys: true }),
      login({}, {}, "de"),
    ]);
  const first = await states();
  assert.equal(new Set(first).size, first.length, "each state has its own page");
  // What differs is rendered between, and must not be kept in place of another.
  for (const [shown, html] of [
    ["first", await login(signedIn("first"))],
    ["second", await login(signedIn("second"))],
    ["/a", await login({}, { returnTo: "/a" })],
    ["/b", await login({}, { returnTo: "/b" })],
    ["https://auth.example/", await login({}, {}, "en", "https://auth.example")],
    ["418", await render("error", to(), { status: 418, message: "418" })],
    ["419", await render("error", to(), { status: 418, message: "419" })],
  ] as const) {
    assert.ok(html.includes(shown), shown);
  }
  assert.deepEqual(await states(), first);
});

for (const [home, back] of [
  ["/home", "https://gate.example/home"],
  [null, "/"],
] as const) {
  test(`on another host, addresses lead to the gate with the home path ${home}`, async () => {
    const { pages } = openSite(pathsUnder("/auth", home), PLAIN);
    const reader = { ...to(signedIn("owner")), origin: "https://gate.example" };
    const html = await pages.render("error", reader, failed("x"));
    const addresses = [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, to]) => to);
    const others = addresses.filter((to) => !to?.startsWith("https://gate.example/auth/"));
    assert.deepEqual([addresses.length > 3, others], [true, [back]]);
  });
}
