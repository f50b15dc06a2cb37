import assert from "node:assert/strict";
import { createServer as createPlainServer, type RequestListener } from "node:http";
import { createServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createExchange, type Exchange } from "../../../../src/gate/https/acme/exchange.ts";
import { makeCertificate } from "../../../support/certificates.ts";
import { listenOn } from "../../../support/listen.ts";
import { AUTHORITY_CA, SERVER_OPTIONS } from "./authority.ts";

const SOON_MS = 50;
const never = (): AbortSignal => new AbortController().signal;

function exchange(t: TestContext, open: () => Exchange): Exchange {
  const opened = open();
  t.after(() => opened[Symbol.dispose]());
  return opened;
}

async function start(t: TestContext, answer: RequestListener, options = SERVER_OPTIONS) {
  return `https://localhost:${await listenOn(t, createServer(options, answer), "localhost")}`;
}

const get = (asking: Exchange, url: string) => asking.send("GET", url);
const unreachable = (message: RegExp) => ({ code: "acme_unreachable", message });

test("returns status, body and headers of a response", async (t) => {
  const url = await start(t, (incoming, outgoing) => {
    outgoing.writeHead(201, { "Replay-Nonce": "n" });
    outgoing.end(`${incoming.method} ${incoming.url} ${incoming.headers["content-type"]} ä`);
  });
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  const reply = await asking.send("POST", `${url}/a?b`, "{}");
  assert.equal(reply.body, "POST /a?b application/jose+json ä");
  assert.deepEqual([reply.status, reply.headers["replay-nonce"]], [201, "n"]);
});

test("sends nothing to an untrusted authority", async (t) => {
  const asked: unknown[] = [];
  const url = await start(t, (incoming, outgoing) => {
    asked.push(incoming.url);
    outgoing.end();
  });
  const otherAuthority = makeCertificate({ kind: "authority" });
  for (const trusted of [[], [otherAuthority.cert]]) {
    const asking = exchange(t, () => createExchange(trusted, never()));
    const { host } = new URL(url);
    const fault = unreachable(new RegExp(`^cannot reach ${host}: self-signed certificate`));
    await assert.rejects(asking.send("POST", url, "{}"), fault);
  }
  assert.deepEqual(asked, []);
});

test("rejects a URL without TLS before sending anything", async (t) => {
  const asked: unknown[] = [];
  const server = createPlainServer((incoming, outgoing) => {
    asked.push(incoming.url);
    outgoing.end();
  });
  const port = await listenOn(t, server, "localhost");
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  const texts = [`http://localhost:${port}/`, "ftp://localhost/", "localhost", "", "//localhost/"];
  for (const text of texts) {
    await assert.rejects(get(asking, text), {
      code: "acme_answer_unusable",
      message: /a URL without https$/,
    });
  }
  assert.deepEqual(asked, []);
});

test("rejects a response that is too long", async (t) => {
  const url = await start(t, (_, outgoing) => outgoing.end("x".repeat(300 * 1024)));
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  await assert.rejects(get(asking, url), {
    code: "acme_answer_unusable",
    message: /answered with too much text$/,
  });
});

test("a stopping gate does not wait for the authority", async (t) => {
  const stopping = new AbortController();
  const url = await start(t, () => stopping.abort());
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], stopping.signal));
  await assert.rejects(get(asking, url), { name: "AbortError" });
});

test("times out on a server that accepts the connection and never starts TLS", async (t) => {
  const host = `localhost:${await listenOn(t, createTcpServer(), "localhost")}`;
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never(), SOON_MS));
  const reason = new RegExp(`^cannot reach ${host}: no response within 0.05 seconds$`);
  await assert.rejects(get(asking, `https://${host}`), unreachable(reason));
});

test("sends no more than 500 requests in one attempt, wherever the responses link to", async (t) => {
  const url = await start(t, (_, outgoing) => outgoing.end());
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  for (let sent = 1; sent <= 500; sent += 1) await get(asking, url);
  await assert.rejects(get(asking, url), { code: "acme_answer_unusable", message: /500 requests/ });
});
