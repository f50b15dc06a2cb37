import assert from "node:assert/strict";
import { test } from "node:test";
import { accountKey } from "../../../../src/gate/https/acme/account-key.ts";
import { type Answers, type Asked, CHAIN, startAuthority } from "./authority.ts";
import { KEY, NAME, order } from "./ordering.ts";

test("an order goes from pending by way of ready to the chain, and its challenge is taken back", async (t) => {
  const identifiers: unknown[] = [];
  const authority = await startAuthority(t, {
    "/orders": ({ payload, url }) => {
      identifiers.push(payload);
      return { status: 201, headers: { Location: `${url}/order` }, body: {} };
    },
  });
  const { chain, pauses, published } = order(t, authority);
  assert.equal(await chain, CHAIN);
  assert.deepEqual(identifiers, [{ identifiers: [{ type: "dns", value: NAME }] }]);
  const { thumbprint } = await accountKey(KEY);
  assert.deepEqual(published, [`a-token: a-token.${thumbprint}`, "a-token is gone"]);
  assert.deepEqual(pauses, [], "nothing to wait for");
});

const challenges = (offered: unknown): Answers => ({
  "/authorization": () => ({ body: { status: "pending", challenges: offered } }),
});
const orderThat = (fields: object): Answers => ({ "/order": () => ({ body: fields }) });
const refusal = { type: "urn:ietf:params:acme:error:dns", detail: "no such name" };
const authorizationThat = (later: object): Answers => ({
  "/authorization": ({ url, count }) => ({
    body: {
      status: "pending",
      challenges: [{ type: "http-01", url: `${url}/challenge`, token: "a-token" }],
      ...(count === 1 ? {} : later),
    },
  }),
});

const unusable = (message: RegExp) => ({ code: "acme_answer_unusable", message });
const refused = (message: RegExp) => ({ code: "acme_refused", message });

/** What the authority answers, and what comes of it. */
const ends: Readonly<Record<string, readonly [Answers, { code: string; message: RegExp }]>> = {
  "an invalid order with a problem": [
    orderThat({ status: "invalid", error: refusal }),
    refused(/refused \(dns\): no such name$/),
  ],
  "an invalid order without a problem": [
    orderThat({ status: "invalid" }),
    refused(/without saying why$/),
  ],
  "an order in a state that there is not": [
    orderThat({ status: "dreaming" }),
    refused(/without saying why$/),
  ],
  "an authorization that fails with a problem": [
    authorizationThat({
      status: "invalid",
      challenges: [{ type: "dns-01" }, { type: "http-01", error: refusal }],
    }),
    refused(/refused \(dns\): no such name$/),
  ],
  "an authorization that fails without a problem": [
    authorizationThat({ status: "invalid", challenges: [{ type: "http-01" }] }),
    refused(/without saying why$/),
  ],
  "an authority that checks names over DNS alone": [
    challenges([{ type: "dns-01", url: "https://localhost/x", token: "t" }]),
    { code: "acme_no_http", message: /does not check names over HTTP/ },
  ],
  "an authorization without challenges": [
    challenges([]),
    { code: "acme_no_http", message: /over HTTP/ },
  ],
  "an authorization with challenges that are no list": [
    challenges("all of them"),
    unusable(/nothing under challenges$/),
  ],
  "challenges that are null and numbers": [
    challenges([null, 5, "http-01"]),
    { code: "acme_no_http", message: /over HTTP/ },
  ],
  "a challenge without a token": [
    challenges([{ type: "http-01", url: "https://localhost/x" }]),
    unusable(/nothing under token$/),
  ],
  "a challenge without an address": [
    challenges([{ type: "http-01", token: "t" }]),
    unusable(/nothing under url$/),
  ],
  "a challenge with an address without TLS": [
    challenges([{ type: "http-01", token: "t", url: "http://localhost/x" }]),
    unusable(/a URL without https$/),
  ],
  "an order that is a list": [orderThat([]), unusable(/nothing under status$/)],
  "an order without a certificate": [
    orderThat({ status: "valid" }),
    unusable(/nothing under certificate$/),
  ],
  "an order without authorizations": [
    orderThat({ status: "pending" }),
    unusable(/nothing under authorizations$/),
  ],
  "an order with a list of authorizations without end": [
    orderThat({ status: "pending", authorizations: Array(5_000).fill("https://localhost/x") }),
    unusable(/too much under authorizations$/),
  ],
  "an order with a file as its certificate": [
    orderThat({ status: "valid", certificate: "file:///etc/passwd" }),
    unusable(/a URL without https$/),
  ],
  "an order that is no JSON": [
    { "/order": () => ({ body: "<html></html>" }) },
    unusable(/something that is not JSON$/),
  ],
  "an order that is null": [{ "/order": () => ({ body: "null" }) }, unusable(/not JSON$/)],
  "an order without an address": [
    { "/orders": () => ({ status: 201, body: {} }) },
    unusable(/no address for the order$/),
  ],
};

for (const [what, [answers, fault]] of Object.entries(ends)) {
  test(`${what} ends the attempt with a clear fault, and no challenge stays published`, async (t) => {
    const authority = await startAuthority(t, answers);
    const { chain, published } = order(t, authority);
    await assert.rejects(chain, fault);
    const gone = published.filter((line) => line.endsWith(" is gone")).length;
    assert.equal(published.length, gone * 2);
    assert.ok(authority.asked.length < 20, `${authority.asked.length} requests`);
  });
}

for (const token of ["", "../../etc/passwd", "a/b", "a?b", "a b", "a\r\nb", "ä", "t".repeat(129)]) {
  test(`a token ${JSON.stringify(token.slice(0, 20))} is none, and is not published`, async (t) => {
    const answers = challenges([{ type: "http-01", url: "https://localhost/x", token }]);
    const { chain, published } = order(t, await startAuthority(t, answers));
    await assert.rejects(chain, unusable(/a token that is none$/));
    assert.deepEqual(published, []);
  });
}

/** What never comes to an end, and what is asked for again and again. */
const endless: Readonly<Record<string, readonly [Answers, asked: string, what: RegExp]>> = {
  order: [orderThat({ status: "processing" }), "POST /order", /with the order$/],
  authorization: [authorizationThat({}), "POST /authorization", /with the check of the name$/],
};

for (const [what, [answers, path, message]] of Object.entries(endless)) {
  test(`an ${what} that never comes to an end is given up, with a pause before each look`, async (t) => {
    const authority = await startAuthority(t, answers);
    const { chain, pauses } = order(t, authority);
    await assert.rejects(chain, { code: "acme_stuck", message });
    const looks = authority.asked.filter((one) => one === path).length;
    assert.ok(looks >= 50 && looks <= 61, `${looks} looks`);
    assert.ok(pauses.length >= looks - 1, `${pauses.length} pauses`);
    assert.deepEqual([...new Set(pauses)], [1_000]);
  });
}

for (const [retryAfter, pause] of [
  ["3", 3_000],
  ["3600", 10_000],
  ["soon", 1_000],
] as const) {
  test(`an order that asks for Retry-After: ${retryAfter} is looked at again after ${pause} ms`, async (t) => {
    const { chain, pauses } = order(
      t,
      await startAuthority(t, {
        "/order": ({ url, count }: Asked) => ({
          headers: { "Retry-After": retryAfter },
          body: { status: count < 3 ? "processing" : "valid", certificate: `${url}/certificate` },
        }),
      }),
    );
    assert.equal(await chain, CHAIN);
    assert.deepEqual(pauses, [pause]);
  });
}

test("an order that is not ready when it is finalized twice goes on to its end", async (t) => {
  const notReady = { type: "urn:ietf:params:acme:error:orderNotReady", detail: "processing" };
  const authority = await startAuthority(t, {
    "/finalize": () => ({ status: 403, body: notReady }),
  });
  assert.equal(await order(t, authority).chain, CHAIN);
});
