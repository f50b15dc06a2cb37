import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import tls from "node:tls";
import { flattenedVerify } from "jose";
import { makeCertificate } from "../../../support/certificates.ts";
import { listenOn } from "../../../support/listen.ts";
import { type Answers, type Asked, startAuthority } from "./authority.ts";
import { KEY, requestsTo } from "./ordering.ts";

const badNonce = { type: "urn:ietf:params:acme:error:badNonce", detail: "not mine" };

const newOrder = async (t: TestContext, answers: Answers) => {
  const authority = await startAuthority(t, answers);
  const requests = await requestsTo(authority);
  return { authority, asking: requests.postOrder({ identifiers: [] }) };
};

const counted = (asked: readonly string[], one: string): number =>
  asked.filter((other) => other === one).length;

test("gives up after 12 refused nonces", async (t) => {
  const { authority, asking } = await newOrder(t, {
    "/orders": () => ({ status: 400, body: badNonce }),
  });
  await assert.rejects(asking, { code: "acme_refused", problem: "badNonce", message: /not mine$/ });
  assert.equal(counted(authority.asked, "POST /orders"), 12);
});

test("replaces a refused nonce by the one in the refusal", async (t) => {
  const nonces: unknown[] = [];
  const { authority, asking } = await newOrder(t, {
    "/orders": ({ header, count }: Asked) => {
      nonces.push(header.nonce);
      if (count === 3) return { status: 201, body: {} };
      return { status: 400, headers: { "Replay-Nonce": `after-${count}` }, body: badNonce };
    },
  });
  assert.equal((await asking).status, 201);
  assert.deepEqual(nonces.slice(1), ["after-1", "after-2"]);
  assert.equal(counted(authority.asked, "HEAD /nonce"), 1, "for the account alone");
});

test("does not retry after another refusal, and passes on its Retry-After", async (t) => {
  const { authority, asking } = await newOrder(t, {
    "/orders": () => ({
      status: 429,
      headers: { "Retry-After": "7200" },
      body: { type: "urn:ietf:params:acme:error:rateLimited", detail: "too many orders" },
    }),
  });
  await assert.rejects(asking, {
    problem: "rateLimited",
    retryAfterMs: 7_200_000,
    message: /too many orders$/,
  });
  assert.equal(counted(authority.asked, "POST /orders"), 1);
});

test("signs each request for its URL, first with the key, then with the account", async (t) => {
  const bodies: Asked["body"][] = [];
  const remember = ({ body, url }: Asked) => {
    bodies.push(body);
    return { status: 201, headers: { Location: `${url}/account/1` }, body: {} };
  };
  const remembered = { "/account": remember, "/orders": remember, "/order": remember };
  const authority = await startAuthority(t, remembered);
  const requests = await requestsTo(authority);
  const url = new URL(authority.directoryUrl).origin;
  await requests.postOrder({ name: "ä" });
  await requests.post(`${url}/order`, undefined);
  // By another implementation.
  const verifying = bodies.map((body) => flattenedVerify(body, createPublicKey(KEY)));
  const read = (await Promise.all(verifying)).map(({ protectedHeader, payload }) => [
    protectedHeader,
    Buffer.from(payload).toString(),
  ]);
  const { publicJwk: jwk } = requests.key;
  const [alg, kid] = ["ES256", `${url}/account/1`];
  assert.deepEqual(read, [
    [{ alg, jwk, nonce: "nonce-2", url: `${url}/account` }, '{"termsOfServiceAgreed":true}'],
    [{ alg, kid, nonce: "nonce-3", url: `${url}/orders` }, '{"name":"ä"}'],
    [{ alg, kid, nonce: "nonce-4", url: `${url}/order` }, ""],
  ]);
  assert.equal(JSON.stringify(read).includes('"d"'), false, "the private half stays here");
});

const directory = (body: object | string, status = 200): Answers => ({
  "/directory": () => ({ status, body }),
});
const addresses = {
  newNonce: "https://localhost/nonce",
  newAccount: "https://localhost/account",
  newOrder: "https://localhost/order",
};
const unusable = (message: RegExp) => ({ code: "acme_answer_unusable", message });

const noAuthority: Readonly<Record<string, readonly [Answers, { message: RegExp }]>> = {
  "an HTML page": [directory("<!doctype html>"), unusable(/not a JSON object$/)],
  "a directory without newOrder": [
    directory({ ...addresses, newOrder: undefined }),
    unusable(/no text "newOrder"$/),
  ],
  "a response that is too long": [
    directory("x".repeat(300 * 1024)),
    unusable(/answered with too much text$/),
  ],
  "status 404": [directory("gone", 404), { message: /refused \(unknown\): status 404$/ }],
  "no nonce": [
    { "/nonce": () => ({ headers: { "Replay-Nonce": undefined } }) },
    { message: /no nonce$/ },
  ],
  "an account without a URL": [
    { "/account": () => ({ status: 201, body: {} }) },
    unusable(/no URL for the account$/),
  ],
  "new terms to agree to": [
    {
      "/account": () => ({
        status: 403,
        body: { type: "urn:ietf:params:acme:error:userActionRequired", detail: "new terms" },
      }),
    },
    { message: /\(userActionRequired\): new terms$/ },
  ],
};

for (const [what, [answers, fault]] of Object.entries(noAuthority)) {
  test(`throws a clear fault when the authority answers with ${what}`, async (t) => {
    const authority = await startAuthority(t, answers);
    await assert.rejects(requestsTo(authority), fault);
    assert.ok(authority.asked.length <= 3, authority.asked.join());
  });
}

test("sends nothing to an untrusted authority", async (t) => {
  const authority = await startAuthority(t);
  const { host } = new URL(authority.directoryUrl);
  const message = new RegExp(`^cannot reach ${host}: self-signed certificate`);
  for (const ca of [[], [makeCertificate({ kind: "authority" }).cert]]) {
    await assert.rejects(requestsTo(authority, { ca }), { code: "acme_unreachable", message });
  }
  assert.deepEqual(authority.asked, []);
});

test("reads the certificates that it trusts once, not for each request", async (t) => {
  const authority = await startAuthority(t);
  const made = t.mock.method(tls, "createSecureContext");
  const requests = await requestsTo(authority);
  await requests.postOrder({ identifiers: [] });
  assert.ok(authority.asked.length > 3);
  assert.ok(made.mock.callCount() <= 1, `${made.mock.callCount()} times`);
});

test("rejects a URL without TLS before sending anything", async (t) => {
  const asked: unknown[] = [];
  const server = createServer((socket) => socket.destroy(new Error(`${asked.push(socket)}`)));
  const port = await listenOn(t, server, "localhost");
  const texts = [`http://localhost:${port}/`, "ftp://localhost/", "localhost", "", "//localhost/"];
  for (const directoryUrl of texts) {
    await assert.rejects(requestsTo({ directoryUrl }), unusable(/a URL without https$/));
  }
  assert.deepEqual(asked, []);
});

test("a stopping gate does not wait for the authority", async (t) => {
  const stopping = new AbortController();
  const server = createServer(() => stopping.abort());
  const directoryUrl = `https://localhost:${await listenOn(t, server, "localhost")}/`;
  const opening = requestsTo({ directoryUrl }, { stop: stopping.signal });
  await assert.rejects(opening, { name: "AbortError" });
});
