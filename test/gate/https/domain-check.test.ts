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

const desk = createChallengeResponder();
const check = (port: number, withinMs?: number, name = "localhost") =>
  checkDomain(name, desk, new AbortController().signal, port, withinMs);

test("a name that leads to this gate passes, and the gate is asked under that name", async (t) => {
  const asked: unknown[] = [];
  const port = await start(t, (incoming, outgoing) => {
    asked.push(incoming.headers.host, incoming.url);
    desk.answer(incoming, outgoing);
  });
  await check(port);
  const [host, path] = asked;
  assert.deepEqual([host, asked.length], ["localhost", 2]);
  assert.match(String(path), /^\/\.well-known\/acme-challenge\/[\w-]+$/);
});

test("after the check, its answer is no longer there", async (t) => {
  const paths: string[] = [];
  const port = await start(t, (incoming, outgoing) => {
    paths.push(incoming.url ?? "");
    if (!desk.answer(incoming, outgoing)) outgoing.writeHead(404).end();
  });
  await check(port);
  const again = await fetch(`http://localhost:${port}${paths[0]}`);
  assert.equal(again.status, 404);
});

/** Whom a name leads to instead. */
const others: Readonly<Record<string, RequestListener>> = {
  "a server with an application": (_, outgoing) => outgoing.writeHead(404).end("Not found"),
  "a server that says nothing": (_, outgoing) => outgoing.end(),
  "a server that repeats what it is asked": (incoming, outgoing) => outgoing.end(incoming.url),
  "another gate": otherGate(),
  "a server without end": (_, outgoing) => {
    const goOn = (): void => {
      while (!outgoing.destroyed && outgoing.write("x".repeat(16_384)));
      outgoing.once("drain", goOn);
    };
    goOn();
  },
};

function otherGate(): RequestListener {
  const other = createChallengeResponder();
  return (incoming, outgoing) => {
    if (!other.answer(incoming, outgoing)) outgoing.writeHead(303, { Location: "/login" }).end();
  };
}

for (const [who, answer] of Object.entries(others)) {
  test(`a name that leads to ${who} is refused, with its address`, async (t) => {
    const port = await start(t, answer);
    const fault = new RegExp(
      `^localhost does not lead to this gate: another server answers at \\S+, port ${port}$`,
    );
    await assert.rejects(check(port), notHere(fault));
  });
}

test("a redirect to the right answer is not followed", async (t) => {
  const right = await start(t, (incoming, outgoing) => void desk.answer(incoming, outgoing));
  const asked: unknown[] = [];
  const port = await start(t, (incoming, outgoing) => {
    asked.push(incoming.url);
    outgoing.writeHead(302, { Location: `http://localhost:${right}${incoming.url}` }).end();
  });
  await assert.rejects(check(port), notHere(/another server answers at/));
  assert.equal(asked.length, 1);
});

test("a name at which nobody listens is told with the address, the port and the reason", async (t) => {
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

test("a name that leads nowhere is told apart from a server that does not answer", async () => {
  const fault = notHere(
    /^door\.invalid does not .*: the name does not resolve \((unknown host name|the name server .*)\)$/,
  );
  await assert.rejects(check(1, undefined, "door.invalid"), fault);
});

for (const [what, answer] of [
  ["never answers", () => {}],
  ["stops in the middle of its answer", (_, outgoing) => void outgoing.write("a")],
] as readonly (readonly [string, RequestListener])[]) {
  test(`a server that ${what} is given up`, async (t) => {
    const port = await start(t, answer);
    await assert.rejects(
      check(port, SOON_MS),
      notHere(/does not answer \(no response within 0.05 seconds\)$/),
    );
  });

  test(`a gate that stops does not wait for a server that ${what}`, async (t) => {
    const stopping = new AbortController();
    const port = await start(t, (incoming, outgoing) => {
      answer(incoming, outgoing);
      stopping.abort();
    });
    const checking = checkDomain("localhost", desk, stopping.signal, port);
    await assert.rejects(checking, { name: "AbortError" });
  });
}

/** Says the same to everybody, and keeps the connection. */
async function startSaying(t: TestContext, words: string): Promise<number> {
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
  test(`something that ${what} is a server that does not answer`, async (t) => {
    const port = await startSaying(t, words);
    await assert.rejects(check(port), notHere(reason));
  });
}
