import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { createAuthenticator, ORIGIN } from "../support/authenticator.ts";
import type { Answer } from "../support/client.ts";
import { type RunningGate, startConfigured } from "../support/gate.ts";
import { inThePast } from "../support/mint.ts";
import { begunIn, codeShown } from "../support/one-time-codes.ts";
import { BROWSER } from "./forward-auth-asking.ts";

const en = getWords("en");
const APP = "photos.example.org";
const TARGET = `https://${APP}/album?of=us&too`;
const PAGE = {
  ...BROWSER,
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Host": APP,
  "X-Forwarded-Uri": "/album?of=us&too",
};
const AT_GATE = { Host: new URL(ORIGIN).host };

/** A gate of an app at another host, with a session that has to turn on a second factor first. */
const scene = (t: TestContext) =>
  startConfigured(t, {
    requireSecondFactor: ["all"],
    publicUrl: ORIGIN,
    cookieDomain: "example.org",
    trustedProxies: ["127.0.0.1"],
  });

/** The only address of a form, a button or a link that contains the text. */
function addressIn({ body }: Answer, text: string): string {
  const all = [...body.matchAll(/(?:action|href|data-begin)="([^"]*)"/g)].map(
    ([, one]) => one ?? "",
  );
  const found = all.filter((one) => one.includes(text));
  assert.equal(found.length, 1, `${text} in ${all.join(" ")}`);
  return found.join("").replaceAll("&amp;", "&");
}

/** Follows the redirect of the app's proxy to the page that turns on a factor. */
async function led(gate: RunningGate, session: string, to?: string) {
  const { location } = await gate.send("/forward-auth", { session, headers: PAGE });
  const page = `/account/sign-in?return_to=${encodeURIComponent(TARGET)}`;
  assert.equal(location, ORIGIN + page);
  return gate.send(to ?? page, { session });
}

const isOpen = async (gate: RunningGate, session: string | undefined) =>
  (await gate.send("/forward-auth", { session, headers: PAGE })).status === 200;

test("codes that were turned on first lead to where the person wanted to go", async (t) => {
  const { gate, session } = await scene(t);
  const page = await led(gate, session);
  const begun = await gate.send(addressIn(page, "codes/begin"), { session, form: {} });
  const { key, sealed } = begunIn(begun.body);
  const confirm = (code: string) =>
    gate.send(addressIn(begun, "codes/confirm"), { session, form: { sealed, code } });
  const wrong = await confirm("abc");
  assert.equal(addressIn(wrong, "codes/confirm"), addressIn(begun, "codes/confirm"));
  const on = await confirm(codeShown(key));
  assert.ok(on.body.includes(`href="${TARGET.replace("&", "&amp;")}">${en.codesKept}`));
  assert.ok(await isOpen(gate, on.session));
});

test("a passkey that was added first leads to where the person wanted to go", async (t) => {
  const { gate, session } = await scene(t);
  const page = await led(gate, session);
  const send = (address: string, form: Readonly<Record<string, string>>) =>
    gate.send(addressIn(page, address), { session, form, headers: AT_GATE });
  const { challenge } = JSON.parse((await send("passkeys/begin", {})).body);
  const { name, clientData, attestation } = createAuthenticator().create(challenge);
  const added = await send("passkeys/add", { name, client_data: clientData, attestation });
  assert.deepEqual([added.status, added.location], [303, TARGET]);
  assert.ok(await isOpen(gate, added.session));
});

test("the target is kept by a sign-in that has to be recent", async (t) => {
  const { gate, session } = await scene(t);
  const old = inThePast(session);
  const begin = addressIn(await led(gate, old), "codes/begin");
  const headers = BROWSER;
  const { location = "" } = await gate.send(begin, { session: old, form: {}, headers });
  const signIn = new URL(location, ORIGIN);
  assert.deepEqual([signIn.pathname, signIn.searchParams.get("again")], ["/login", "1"]);
  const return_to = signIn.searchParams.get("return_to") ?? "";
  const signedIn = await gate.signIn({ return_to, again: "1" });
  assert.equal(signedIn.location, return_to);
  const page = await led(gate, signedIn.session ?? "", return_to);
  assert.equal(addressIn(page, "codes/begin"), begin);
});

test("a page at another domain is reached by way of its handoff", async (t) => {
  const returnDomains = ["other.test"];
  const { gate, session } = await startConfigured(t, {
    ...{ requireSecondFactor: ["all"], publicUrl: ORIGIN, returnDomains },
    trustedProxies: ["127.0.0.1"],
  });
  const headers = { ...PAGE, "X-Forwarded-Host": "app.other.test" };
  const asked = await gate.send("/forward-auth", { session, headers });
  const target = "https://app.other.test/album?of=us&too";
  const query = `return_to=${encodeURIComponent(target)}`;
  assert.equal(asked.location, `https://app.other.test/login/handoff?${query}`);
  const handoff = `/login/handoff?${query}&browser=${"a".repeat(43)}`;
  const { location = "" } = await gate.send(handoff, { session, headers: AT_GATE });
  assert.equal(location, `/account/sign-in?return_to=${encodeURIComponent(handoff)}`);
  const page = await gate.send(location, { session });
  const begin = new URL(addressIn(page, "codes/begin"), ORIGIN);
  assert.equal(begin.searchParams.get("return_to"), handoff);
});

test("leads to no target that a sign-in would not lead to", async (t) => {
  const { gate, session } = await scene(t);
  for (const evil of [
    "https://evil.test/",
    "//evil.test/",
    "javascript:alert(1)",
    "/\\evil.test",
  ]) {
    const query = `?return_to=${encodeURIComponent(evil)}`;
    const page = await gate.send(`/account/sign-in${query}`, { session });
    assert.equal(addressIn(page, "codes/begin"), "/account/codes/begin");
    const begun = await gate.send(`/account/codes/begin${query}`, { session, form: {} });
    assert.equal(addressIn(begun, "codes/confirm"), "/account/codes/confirm");
  }
  const begun = begunIn((await gate.send("/account/codes/begin", { session, form: {} })).body);
  const form = { sealed: begun.sealed, code: codeShown(begun.key) };
  const evil = "/account/codes/confirm?return_to=https%3A%2F%2Fevil.test%2F";
  const on = await gate.send(evil, { session, form });
  assert.ok(on.status === 200 && !on.body.includes("evil.test"));
});
