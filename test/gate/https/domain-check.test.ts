import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createChallengeResponder } from "../../../src/gate/https/challenges.ts";
import { checkDomain } from "../../../src/gate/https/domain-check.ts";

const SOON_MS = 50;
const notHere = (message: RegExp) => ({ code: "domain_not_here", message });

async function start(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  server.listen(0, "localhost");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const responder = createChallengeResponder();
const check = (port: number, withinMs?: number, name = "localhost") =>
  checkDomain(name, responder, new AbortController().signal, port, withinMs);

test("accepts a name that points to this gate, and sends the name as Host", async (t) => {
  const asked: unknown[] = [];
  const port = await start(t, (incoming, outgoing) => {
    asked.push(incoming.headers.host, incoming.url);
    responder.answer(incoming, outgoing);
  });
  await check(port);
  const [host, path] = asked;
  assert.deepEqual([host, asked.length], ["localhost", 2]);
  assert.match(String(path), /^\/\.well-known\/acme-challenge\/[\w-]+$/);
});

test("removes its answer after the check", async (t) => {
  const paths: string[] = [];
  const port = await start(t, (incoming, outgoing) => {
    paths.push(incoming.url ?? "");
    if (!responder.answer(incoming, outgoing)) outgoing.writeHead(404).end();
  });
  await check(port);
  const again = await fetch(`http://localhost:${port}${paths[0]}`);
  assert.equal(again.status, 404);
});

/** Servers other than this gate. */
const others: Readonly<Record<string, RequestListener>> = {
  "a server with an application": (_, outgoing) => outgoing.writeHead(404).end("Not found"),
  "a server with empty responses": (_, outgoing) => outgoing.end(),
  "a server that echoes the path": (incoming, outgoing) => outgoing.end(incoming.url),
  "another gate": otherGate(),
  "a server with an endless response": (_, outgoing) => {
    const sendMore = (): void => {
      while (!outgoing.destroyed && outgoing.write("x".repeat(16_384)));
      outgoing.once("drain", sendMore);
    };
    sendMore();
  },
};

function otherGate(): RequestListener {
  const other = createChallengeResponder();
  return (incoming, outgoing) => {
    if (!other.answer(incoming, outgoing)) outgoing.writeHead(303, { Location: "/login" }).end();
  };
}

for (const [who, answer] of Object.entries(others)) {
  test(`rejects a name that points to ${who}, with its address`, async (t) => {
    const port = await start(t, answer);
    const fault = new RegExp(
      `^localhost does not point to this gate: another server answers at \\S+, port ${port}$`,
    );
    await assert.rejects(check(port), notHere(fault));
  });
}

test("does not follow a redirect to the right answer", async (t) => {
  const right = await start(t, (incoming, outgoing) => void responder.answer(incoming, outgoing));
  const asked: unknown[] = [];
  const port = await start(t, (incoming, outgoing) => {
    asked.push(incoming.url);
    outgoing.writeHead(302, { Location: `http://localhost:${right}${incoming.url}` }).end();
  });
  await assert.rejects(check(port), notHere(/another server answers at/));
  assert.equal(asked.length, 1);
});

test("reports address, port and reason when the connection is refused", async (t) => {
  const server = createTcpServer();
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  t.after(() => server.close());
  const fault = new RegExp(`port ${port} of \\S+ does not answer \\(connection refused\\)$`);
  await assert.rejects(check(port), notHere(fault));
});

test("distinguishes an unknown name from a server that does not answer", async () => {
  const fault = notHere(
    /^auth\.invalid does not .*: the name does not resolve \((unknown host name|the name server .*)\)$/,
  );
  await assert.rejects(check(1, undefined, "auth.invalid"), fault);
});

for (const [what, answer] of [
  ["never answers", () => {}],
  ["stops in the middle of its response", (_, outgoing) => void outgoing.write("a")],
] as readonly (readonly [string, RequestListener])[]) {
  test(`times out on a server that ${what}`, async (t) => {
    const port = await start(t, answer);
    await assert.rejects(
      check(port, SOON_MS),
      notHere(/does not answer \(no response within 0.05 seconds\)$/),
    );
  });

  test(`a stopping gate does not wait for a server that ${what}`, async (t) => {
    const stopping = new AbortController();
    const port = await start(t, (incoming, outgoing) => {
      answer(incoming, outgoing);
      stopping.abort();
    });
    const checking = checkDomain("localhost", responder, stopping.signal, port);
    await assert.rejects(checking, { name: "AbortError" });
  });
}

/** Sends the same bytes on each connection, and keeps it open. */
async function startSending(t: TestContext, words: string): Promise<number> {
  const server = createTcpServer((socket) => {
    t.after(() => socket.destroy());
    socket.on("error", () => {}).once("data", () => socket.write(words));
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

for (const [what, words, reason] of [
  ["speaks another protocol", "SSH-2.0-OpenSSH_9.6\r\n", /does not answer \(Parse Error: .*\)$/],
  [
    "switches to another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    /does not answer \(.* without an HTTP response\)$/,
  ],
] as const) {
  test(`reports a server that ${what} as not answering`, async (t) => {
    const port = await startSending(t, words);
    await assert.rejects(check(port), notHere(reason));
  });
}
