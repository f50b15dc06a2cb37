import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createPlainServer, type RequestListener } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createExchange, type Exchange } from "../../../../src/gate/https/acme/exchange.ts";
import { makeCertificate } from "../../../support/certificates.ts";
import { AUTHORITY_CA, SERVER_OPTIONS, urlOf } from "./authority.ts";

const SOON_MS = 50;
const never = (): AbortSignal => new AbortController().signal;

function exchange(t: TestContext, open: () => Exchange): Exchange {
  const opened = open();
  t.after(() => opened[Symbol.dispose]());
  return opened;
}

async function start(t: TestContext, answer: RequestListener, options = SERVER_OPTIONS) {
  const server = createServer(options, answer);
  server.listen(0, "localhost");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return urlOf(server);
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

for (const [what, wanted, message] of [
  ["for another name", { names: ["other.example.org"] }, /not in the cert's altnames|altnames/],
  ["that has expired", { names: ["localhost"], until: new Date("2021-01-01") }, /expired/],
] as const) {
  test(`rejects an authority with a certificate ${what}`, async (t) => {
    const { cert, key } = makeCertificate(wanted);
    const url = await start(t, (_, outgoing) => outgoing.end(), { cert, key });
    const asking = exchange(t, () => createExchange([cert], never()));
    await assert.rejects(get(asking, url), unreachable(message));
  });
}

test("rejects a URL without TLS before sending anything", async (t) => {
  const asked: unknown[] = [];
  const server = createPlainServer((incoming, outgoing) => {
    asked.push(incoming.url);
    outgoing.end();
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  t.after(() => server.close());
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  const { port } = server.address() as AddressInfo;
  const texts = [`http://localhost:${port}/`, "ftp://localhost/", "localhost", "", "//localhost/"];
  for (const text of texts) {
    await assert.rejects(get(asking, text), {
      code: "acme_answer_unusable",
      message: /a URL without https$/,
    });
  }
  assert.deepEqual(asked, []);
});

for (const [what, send] of [
  ["in one piece", 300 * 1024],
  ["without end", Number.POSITIVE_INFINITY],
] as const) {
  test(`does not read a response that is too long, ${what}, to its end`, async (t) => {
    const chunk = Buffer.alloc(16 * 1024, "x");
    const url = await start(t, (_, outgoing) => {
      let sent = 0;
      const sendMore = (): void => {
        while (sent < send && !outgoing.destroyed) {
          sent += chunk.length;
          if (!outgoing.write(chunk)) return void outgoing.once("drain", sendMore);
        }
        outgoing.end();
      };
      sendMore();
    });
    const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
    await assert.rejects(get(asking, url), {
      code: "acme_answer_unusable",
      message: /answered with too much text$/,
    });
  });
}

for (const [what, answer] of [
  ["that never answers", () => {}],
  ["that stops in the middle of its response", (_, outgoing) => void outgoing.write("{")],
] as readonly (readonly [string, RequestListener])[]) {
  test(`times out on an authority ${what}, with a clear fault`, async (t) => {
    const url = await start(t, answer);
    const asking = exchange(t, () => createExchange([AUTHORITY_CA], never(), SOON_MS));
    const { host } = new URL(url);
    const fault = unreachable(
      new RegExp(`^cannot reach ${host}: no response within 0.05 seconds$`),
    );
    await assert.rejects(get(asking, url), fault);
  });

  test(`a stopping gate does not wait for an authority ${what}`, async (t) => {
    const stopping = new AbortController();
    const url = await start(t, (incoming, outgoing) => {
      answer(incoming, outgoing);
      stopping.abort();
    });
    const asking = exchange(t, () => createExchange([AUTHORITY_CA], stopping.signal));
    await assert.rejects(get(asking, url), { name: "AbortError" });
  });
}

test("times out on a server that accepts the connection and never starts TLS", async (t) => {
  const silent = createTcpServer((socket) => void t.after(() => socket.destroy()));
  silent.listen(0, "localhost");
  await once(silent, "listening");
  t.after(() => silent.close());
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never(), SOON_MS));
  await assert.rejects(get(asking, urlOf(silent)), unreachable(/no response within 0.05 seconds$/));
});

test("names host and reason when the connection is refused", async (t) => {
  const server = createTcpServer();
  server.listen(0, "localhost");
  await once(server, "listening");
  const url = urlOf(server);
  server.close();
  await once(server, "close");
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  const { host } = new URL(url);
  const fault = unreachable(new RegExp(`^cannot reach ${host}: connection refused`));
  await assert.rejects(get(asking, url), fault);
});

test("names the host that does not resolve", async (t) => {
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  const fault = unreachable(
    /^cannot reach acme\.invalid: (unknown host name|the name server does not answer)$/,
  );
  await assert.rejects(get(asking, "https://acme.invalid/directory"), fault);
});

test("throws a fault when the connection breaks in the middle of a response", async (t) => {
  const url = await start(t, (_, outgoing) => {
    outgoing.writeHead(200, { "Content-Length": "100" });
    outgoing.write("half", () => outgoing.destroy());
  });
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  await assert.rejects(get(asking, url), unreachable(/^cannot reach localhost:\d+: \S+/));
});

test("rejects an authority that switches to another protocol at once", async (t) => {
  const server = createServer(SERVER_OPTIONS);
  server.on("connection", (socket) => void t.after(() => socket.destroy()));
  server.on("request", (_, outgoing) => {
    outgoing.writeHead(101, { Connection: "Upgrade", Upgrade: "x" }).end();
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  t.after(() => server.close());
  const asking = exchange(t, () => createExchange([AUTHORITY_CA], never()));
  await assert.rejects(get(asking, urlOf(server)), unreachable(/: .* without an HTTP response$/));
});
