import assert from "node:assert/strict";
import { getWords } from "../../../src/pages/words.ts";
import { fieldNamed } from "../../support/markup.ts";
import { headingOf, textOf } from "../browser.ts";
import {
  enterPassword,
  errorIn,
  isLoginPage,
  redeem,
  signIn,
  startSignIn,
  walk,
} from "../sign-in.ts";
import { advanceTime } from "../time.ts";
import { module, type Visit } from "./module.ts";

const en = getWords("en");

/** Signs in with these parameters, after two seconds, and returns both times of the sign-ins. */
async function signInAgain(visit: Visit, parameters: Readonly<Record<string, string>>) {
  const { browser, app, person } = visit;
  const before = await signIn(browser, app, person);
  advanceTime(2_000);
  const started = await startSignIn(app, parameters);
  const page = await browser.visit(started.url);
  return { before, started, page };
}

const AGAIN = [
  ["oidcc-prompt-login", "prompt=login", { prompt: "login" }],
  ["oidcc-max-age-1", "max_age=1 after two seconds", { max_age: "1" }],
  ["oidcc-prompt-login, oidcc-max-age-1", "both", { prompt: "login", max_age: "1" }],
  ["oidcc-max-age-1", "max_age=0", { max_age: "0" }],
] as const;

for (const [name, what, parameters] of AGAIN) {
  module(name, `${what} needs the password of a signed-in person`, async (visit) => {
    const { browser, app, person } = visit;
    const { before, started, page } = await signInAgain(visit, parameters);
    assert.ok(isLoginPage(page), `${headingOf(page)} at ${page.url}`);

    const wrong = await enterPassword(browser, page, { ...person, password: "wrong" });
    assert.ok(isLoginPage(wrong), "a wrong password does not continue");
    assert.deepEqual([headingOf(page), headingOf(wrong)], [en.confirm, en.confirm]);
    assert.ok(textOf(page).includes("to continue to App"), textOf(page));
    const returnTo = page.url.searchParams.get("return_to") ?? "";
    const skipped = await browser.visit(returnTo);
    assert.ok(isLoginPage(skipped), "nor does the page that follows the sign-in page");
    const id = returnTo.split("/").at(-1);
    const resumed = await browser.visit(`/oidc/authorize/${id}`);
    assert.ok(isLoginPage(resumed), "nor does the page that returns to the app");

    const { url } = await walk(browser, resumed, person);
    const { claims } = await redeem(app, url, started.checks);
    assert.equal(claims.sub, person.id);
    assert.ok(Number(claims.auth_time) > Number(before.claims.auth_time));
  });
}

module(
  "oidcc-prompt-login",
  "another person who signs in is the one the app gets",
  async (visit) => {
    const { provider, browser, app } = visit;
    const { started, page } = await signInAgain(visit, { prompt: "login" });
    const other = await provider.addPerson();
    const { url } = await walk(browser, page, other);
    assert.equal((await redeem(app, url, started.checks)).claims.sub, other.id);
  },
);

module("oidcc-prompt-none-not-logged-in", "returns login_required and the state", async (visit) => {
  const started = await startSignIn(visit.app, { prompt: "none", state: "s".repeat(128) });
  const page = await visit.browser.visit(started.url);
  assert.equal(errorIn(page, started), "login_required");
  assert.equal(page.trail.length, 1);
});

module("oidcc-prompt-none-logged-in", "signs in again without a page", async (visit) => {
  const { person, app } = visit;
  const { before, started, page } = await signInAgain(visit, { prompt: "none" });
  assert.equal(page.trail.length, 1);
  const { claims } = await redeem(app, page.url, started.checks);
  assert.deepEqual([claims.sub, claims.auth_time], [person.id, before.claims.auth_time]);

  const { browser } = visit;
  const old = await startSignIn(app, { prompt: "none", max_age: "1" });
  assert.equal(errorIn(await browser.visit(old.url), old), "login_required", "is too old for this");
});

module("oidcc-max-age-10000", "needs no new sign-in for a session of this age", async (visit) => {
  const { browser, app, person } = visit;
  const first = await signIn(browser, app, person, { max_age: "15000" });
  advanceTime(2_000);
  const second = await signIn(browser, app, person, { max_age: "10000" });
  assert.equal(second.first.trail.length, 1, "no page");
  assert.ok(Number.isInteger(first.claims.auth_time));
  assert.deepEqual(
    [second.claims.sub, second.claims.auth_time],
    [first.claims.sub, first.claims.auth_time],
  );
});

module(
  "oidcc-id-token-hint",
  "continues for the person of the hint, and for no other",
  async (visit) => {
    const { provider, browser, app, person } = visit;
    const before = await signIn(browser, app, person);
    const hint = { prompt: "none", id_token_hint: before.tokens.id_token };
    const same = await signIn(browser, app, person, hint);
    assert.equal(same.first.trail.length, 1);
    assert.deepEqual(
      [same.claims.sub, same.claims.auth_time],
      [person.id, before.claims.auth_time],
    );

    const other = provider.openBrowser();
    await signIn(other, app, await provider.addPerson());
    const sub = { value: person.id };
    const silent = await startSignIn(app, hint);
    assert.equal(errorIn(await other.visit(silent.url), silent), "login_required");
    advanceTime(2_000);
    for (const parameters of [
      { id_token_hint: before.tokens.id_token },
      { claims: JSON.stringify({ id_token: { sub } }) },
    ]) {
      const { url, checks } = await startSignIn(app, parameters);
      const page = await other.visit(url);
      assert.ok(isLoginPage(page), "offers to use another account");
      const { url: callback } = await enterPassword(other, page, person);
      assert.equal((await redeem(app, callback, checks)).claims.sub, person.id);
      other.forgetCookies();
      const started = await startSignIn(app, parameters);
      const login = await other.visit(started.url);
      const late = await walk(other, login, await provider.addPerson());
      assert.equal(errorIn(late, started), "login_required", "another person signs in");
      advanceTime(2_000);
    }

    const forged = await startSignIn(app, { id_token_hint: `${before.tokens.id_token}x` });
    assert.equal(errorIn(await browser.visit(forged.url), forged), "invalid_request");
  },
);

module("oidcc-login-hint", "fills in the username that the app expects", async (visit) => {
  const { browser, app, person, provider } = visit;
  const { first, claims } = await signIn(browser, app, person, { login_hint: person.username });
  assert.equal(fieldNamed(first.html, "username").value, person.username);
  assert.equal(claims.sub, person.id);

  const hostile = { login_hint: '"><b>buffy' };
  const other = await signIn(provider.openBrowser(), app, person, hostile);
  assert.ok(!other.first.html.includes("<b>buffy"));
  assert.equal(other.claims.sub, person.id, "a hint is no requirement");
  for (const login_hint of ["a\u0000b", "x".repeat(300), ""]) {
    const long = await signIn(provider.openBrowser(), app, person, { login_hint });
    assert.equal(fieldNamed(long.first.html, "username").value, undefined);
  }
});
