import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAccountKey } from "../../../../src/gate/https/acme/keys.ts";
import { finishOrder, placeOrder } from "../../../../src/gate/https/acme/order.ts";
import { CertificateFolder } from "../../../../src/gate/https/certificate-folder.ts";
import { eventually } from "../../../support/eventually.ts";
import { startGate } from "../../../support/gate.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import {
  type Answers,
  type Asked,
  AUTHORITY_CA,
  type Authority,
  CHAIN,
  startAuthority,
} from "./authority.ts";
import { KEY, NAME, requestsTo } from "./ordering.ts";

/** Orders, and records its pauses, which are skipped, and what challenges it publishes and withdraws. */
function order(authority: Authority) {
  const pauses: number[] = [];
  const published: string[] = [];
  const go = async (): Promise<string> => {
    const ports = {
      requests: await requestsTo(authority),
      challenges: {
        publish(token: string, answer: string) {
          published.push(`${token}: ${answer}`);
          return { [Symbol.dispose]: () => void published.push(`${token} is gone`) };
        },
      },
      pause: async (ms: number) => void pauses.push(ms),
    };
    return finishOrder(ports, await placeOrder(ports, NAME, KEY));
  };
  return { chain: go(), pauses, published };
}

test("completes an order from pending to the chain, and cleans up", async (t) => {
  const identifiers: unknown[] = [];
  const authority = await startAuthority(t, {
    "/orders": ({ payload, url }) => {
      identifiers.push(payload);
      return { status: 201, headers: { Location: `${url}/order` }, body: {} };
    },
  });
  const { chain, pauses, published } = order(authority);
  assert.equal(await chain, CHAIN);
  assert.deepEqual(identifiers, [{ identifiers: [{ type: "dns", value: NAME }] }]);
  const { thumbprint } = parseAccountKey(KEY);
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

/** Responses of the authority, and the resulting fault. */
const ends: Readonly<Record<string, readonly [Answers, { code: string; message: RegExp }]>> = {
  "an invalid order with a problem": [
    orderThat({ status: "invalid", error: refusal }),
    refused(/refused \(dns\): no such name$/),
  ],
  "an order in an unknown state": [orderThat({ status: "dreaming" }), refused(/no reason given$/)],
  "an authorization that fails with a problem": [
    authorizationThat({
      status: "invalid",
      challenges: [{ type: "dns-01" }, { type: "http-01", error: refusal }],
    }),
    refused(/refused \(dns\): no such name$/),
  ],
  "an authority that checks names only over DNS": [
    challenges([{ type: "dns-01", url: "https://localhost/x", token: "t" }]),
    { code: "acme_no_http", message: /does not check names over HTTP/ },
  ],
  "an authorization whose challenges are not a list": [
    challenges("all of them"),
    unusable(/no list "challenges"$/),
  ],
  "an order without a URL": [
    { "/orders": () => ({ status: 201, body: {} }) },
    unusable(/no URL for the order$/),
  ],
};

for (const [what, [answers, fault]] of Object.entries(ends)) {
  test(`${what} ends the attempt with a clear fault, and cleans up`, async (t) => {
    const authority = await startAuthority(t, answers);
    const { chain, published } = order(authority);
    await assert.rejects(chain, fault);
    const withdrawn = published.filter((line) => line.endsWith(" is gone")).length;
    assert.equal(published.length, withdrawn * 2);
    assert.ok(authority.asked.length < 20, `${authority.asked.length} requests`);
  });
}

test("publishes no token that is not one", async (t) => {
  for (const token of ["", "../../etc/passwd", "a?b", "a b", "a\r\nb", "ä", "t".repeat(129)]) {
    const answers = challenges([{ type: "http-01", url: "https://localhost/x", token }]);
    const { chain, published } = order(await startAuthority(t, answers));
    await assert.rejects(chain, unusable(/an invalid token$/));
    assert.deepEqual(published, [], token);
  }
});

/** Orders and authorizations that never complete, and the repeated request. */
const endless: Readonly<Record<string, readonly [Answers, asked: string]>> = {
  order: [orderThat({ status: "processing" }), "POST /order"],
  authorization: [authorizationThat({}), "POST /authorization"],
};

for (const [what, [answers, path]] of Object.entries(endless)) {
  test(`gives up an ${what} that never completes, with a pause before each poll`, async (t) => {
    const authority = await startAuthority(t, answers);
    const { chain, pauses } = order(authority);
    await assert.rejects(chain, { code: "acme_stuck", message: /not done after 150 requests$/ });
    const polled = authority.asked.filter((one) => one === path).length;
    assert.ok(polled >= 140, `${polled} polls`);
    assert.equal(authority.asked.length, 150);
    assert.ok(pauses.length >= polled - 1, `${pauses.length} pauses`);
    assert.deepEqual([...new Set(pauses)], [1_000]);
  });
}

for (const [retryAfter, pause] of [
  ["3", 3_000],
  ["3600", 10_000],
] as const) {
  test(`polls an order with Retry-After: ${retryAfter} again after ${pause} ms`, async (t) => {
    const { chain, pauses } = order(
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

test("completes an order whose challenge the authority has checked in the meantime", async (t) => {
  const notPending = { type: "urn:ietf:params:acme:error:malformed", detail: "it is valid" };
  const authority = await startAuthority(t, {
    "/challenge": () => ({ status: 400, body: notPending }),
  });
  assert.equal(await order(authority).chain, CHAIN);
});

test("completes an order that is ready at once, or processing in between", async (t) => {
  const notReady = { type: "urn:ietf:params:acme:error:orderNotReady", detail: "processing" };
  const authority = await startAuthority(t, {
    // Servers of an authority may show a change at different times.
    "/order": ({ url, count }) => ({
      body: {
        status: ["ready", "ready", "processing"][count - 1] ?? "valid",
        finalize: `${url}/finalize`,
        certificate: `${url}/certificate`,
      },
    }),
    "/finalize": ({ count }) => (count === 1 ? { body: {} } : { status: 403, body: notReady }),
  });
  const { chain, pauses } = order(authority);
  assert.equal(await chain, CHAIN);
  assert.deepEqual(pauses, [1_000]);
  assert.equal(authority.asked.filter((one) => one === "POST /finalize").length, 2);
});

for (const [what, status, authorizations] of [
  ["has an answer that cannot be used", ["pending"], undefined],
  // Two states in turn, between which there is no pause.
  ["never completes", ["pending", "processing"], []],
] as const) {
  test(`gives up an interrupted order that ${what}, for a new one`, async (t) => {
    const { directoryUrl: authority, asked } = await startAuthority(t, {
      "/old": ({ count }) => ({ body: { status: status[count % status.length], authorizations } }),
    });
    const [dataDir, url] = [await tempDir(t), new URL("/old", authority).href];
    const folder = new CertificateFolder(dataDir);
    await folder.request(NAME);
    await folder.write(NAME, "order.json", { name: NAME, url, keyPem: KEY, authority });
    const kept = async () => (await folder.read(NAME, "order.json"))?.url === url;
    const given = { httpsPort: 0, acmeDirectoryUrl: authority, acmeCa: AUTHORITY_CA };
    await startGate(t, { ...given, dataDir });
    await eventually(async () => !(await kept()) || undefined);
    await folder.request(NAME);
    await eventually(() => asked.includes("POST /orders") || undefined);
  });
}
