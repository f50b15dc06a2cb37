import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { GiveUp } from "../../src/mail/give-up.ts";
import { readNotifyTarget } from "../../src/mail/notify-target.ts";
import type { OperatorNotice } from "../../src/mail/operator-notices.ts";
import { type Attempt, sendNotice } from "../../src/mail/webhook.ts";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";
import { startNoticeServer, verifyNotice } from "../support/notice-server.ts";

const SECRET = `whsec_${Buffer.from("a secret of 24 bytes or more").toString("base64")}`;
const NOW = Date.UTC(2030, 0, 1);

/** Text that could end a header, a line or a signature, or that only looks like another one. */
const HOSTILE = 'a"b\\c\r\nX-Evil: 1\n\u202eби😀 \0.\ud800 {{x}} </script>';

const NOTICE: OperatorNotice = {
  type: "user_add",
  timestamp: "2029-12-31T23:59:59.000Z",
  data: { summary: `Added account ${HOSTILE}`, author: "admin ada", subject: HOSTILE },
};

function send(
  url: string,
  {
    secret,
    notice = NOTICE,
    ...attempt
  }: Partial<Attempt> & {
    readonly secret?: string | undefined;
    readonly notice?: OperatorNotice;
  } = { secret: SECRET },
): Promise<void> {
  const reading = readNotifyTarget(url, secret);
  assert.ok(reading.kind === "target");
  const stop = new AbortController().signal;
  return sendNotice(reading.target, "Home", notice, { id: "id-1", now: NOW, stop, ...attempt });
}

test("a webhook is signed, with the time of the attempt", async (t) => {
  const { port, received } = await startNoticeServer(t);
  await send(`http://127.0.0.1:${port}/hook?a=b`);
  await send(`http://127.0.0.1:${port}/hook?a=b`, { secret: SECRET, now: NOW + 10_999 });
  const [first, second] = received;
  assert.ok(first && second);
  assert.deepEqual([first.method, first.path], ["POST", "/hook?a=b"]);
  assert.equal(first.headers["content-type"], "application/json");
  assert.equal(first.headers.authorization, undefined);
  assert.deepEqual(
    [first, second].map(({ headers }) => [headers["webhook-id"], headers["webhook-timestamp"]]),
    [
      ["id-1", "1893456000"],
      ["id-1", "1893456010"],
    ],
  );
  assert.equal(first.body, second.body);
  const content = JSON.parse(JSON.stringify(NOTICE));
  assert.deepEqual(await verifyNotice(first, SECRET), content);
  assert.deepEqual(await verifyNotice(second, SECRET), content);
});

test("a signature is wrong for another body, time, ID or secret", async (t) => {
  const { port, received } = await startNoticeServer(t);
  await send(`http://127.0.0.1:${port}/`);
  const [notice] = received;
  assert.ok(notice);
  for (const forged of [
    { ...notice, body: `${notice.body} ` },
    { ...notice, headers: { ...notice.headers, "webhook-timestamp": "1893456001" } },
    { ...notice, headers: { ...notice.headers, "webhook-id": "id-2" } },
  ])
    await assert.rejects(verifyNotice(forged, SECRET), /no signature is right/);
  await assert.rejects(verifyNotice(notice, "another secret of 24 bytes"), /no signature/);
});

test("a secret that is not in base64 is taken as bytes", async (t) => {
  const { port, received } = await startNoticeServer(t);
  const secret = "ein Geheimnis über 24 Bytes";
  await send(`http://127.0.0.1:${port}/`, { secret });
  assert.ok(received[0]);
  await verifyNotice(received[0], secret);
});

test("nothing that a person has chosen is in a header", async (t) => {
  const { port, received } = await startNoticeServer(t);
  await send(`http://127.0.0.1:${port}/`);
  await send(`ntfy://127.0.0.1:${port}/home`, {});
  for (const { headers } of received) {
    assert.equal(headers["x-evil"], undefined);
    assert.doesNotMatch(JSON.stringify(headers), /Evil|account/);
  }
  assert.equal(received.length, 2);
});

test("ntfy gets a message in JSON, at the root of the server", async (t) => {
  const { port, received } = await startNoticeServer(t);
  const [address, topic, title, tags] = ["192.0.2.1", "home", "Home", ["key"]];
  const refused = `Rate limited login from ${address}`;
  for (const [type, data] of [
    ["user_add", { summary: "Added account bob", author: "admin ada", address }],
    ["user_add", { summary: "Added account eve", author: "cli" }],
    ["signin_rate_limited", { summary: refused, author: "system", address }],
  ] as const)
    await send(`ntfy://127.0.0.1:${port}/home`, { notice: { ...NOTICE, type, data } });
  assert.deepEqual(
    received.map(({ body }) => JSON.parse(body)),
    [
      { topic, title, message: `Added account bob\nby admin ada\nfrom ${address}`, tags },
      { topic, title, message: "Added account eve\nat the command line", tags },
      { topic, title, message: refused, tags: ["warning"], priority: 4 },
    ],
  );
  for (const { method, path, headers } of received)
    assert.deepEqual([method, path, headers["content-type"]], ["POST", "/", "application/json"]);
});

test("a name cannot add a line to a message of ntfy, or make it too long", async (t) => {
  const { port, received } = await startNoticeServer(t);
  await send(`ntfy://127.0.0.1:${port}/home`, {});
  const data = { ...NOTICE.data, summary: "€".repeat(2_000) };
  await send(`ntfy://127.0.0.1:${port}/home`, { notice: { ...NOTICE, data } });
  const [hostile, long] = received.map(({ body }) => String(JSON.parse(body).message));
  assert.deepEqual(hostile?.split("\n").length, 2);
  assert.match(hostile ?? "", /\\u\{a\}X-Evil|\\u\{d\}\\u\{a\}X-Evil/);
  assert.doesNotMatch(hostile ?? "", /\u202e|\r/);
  assert.ok(Buffer.byteLength(long ?? "") <= 4_096);
});

for (const [what, url, secret, expected] of [
  ["a user of ntfy", "ntfy://ada:p%40ss@", undefined, `Basic ${btoa("ada:p@ss")}`],
  ["a token of ntfy", "ntfy://", "tk_secret", "Bearer tk_secret"],
  ["a user of a webhook", "http://ada:p%40ss@", SECRET, `Basic ${btoa("ada:p@ss")}`],
] as const) {
  test(`sends ${what} in a header`, async (t) => {
    const { port, received } = await startNoticeServer(t);
    await send(`${url}127.0.0.1:${port}/home`, { secret });
    assert.deepEqual(
      received.map(({ headers }) => headers.authorization),
      [expected],
    );
  });
}

const answering = async (t: TestContext, status: number, headers = {}) => {
  const server = await startNoticeServer(t, (response) =>
    response.writeHead(status, headers).end("a secret that the answer repeats"),
  );
  return { ...server, url: `http://127.0.0.1:${server.port}/secret-path` };
};

for (const status of [200, 202, 204]) {
  test(`${status} takes the notice`, async (t) => {
    const { url, received } = await answering(t, status);
    await send(url);
    assert.equal(received.length, 1);
  });
}

for (const status of [400, 401, 404, 429, 500, 503]) {
  test(`${status} fails, and another attempt may follow`, async (t) => {
    const { url, port } = await answering(t, status);
    await assert.rejects(send(url), (error: Error) => {
      assert.ok(!(error instanceof GiveUp));
      assert.equal(error.message, `127.0.0.1:${port} answered ${status}`);
      return true;
    });
  });
}

test("410 gives up", async (t) => {
  const { url, port } = await answering(t, 410);
  await assert.rejects(send(url), new GiveUp(`127.0.0.1:${port} answered 410`));
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`does not follow a redirect with ${status}`, async (t) => {
    const elsewhere = await startNoticeServer(t);
    const location = `http://127.0.0.1:${elsewhere.port}/`;
    const { url, port, received } = await answering(t, status, { location });
    await assert.rejects(send(url), (error: Error) => {
      const expected = `127.0.0.1:${port} answered ${status}, and redirects are not followed`;
      assert.equal(error.message, expected);
      return !(error instanceof GiveUp);
    });
    assert.deepEqual([received.length, elsewhere.received.length], [1, 0]);
  });
}

test("an answer that does not end takes the notice: its content is not read", async (t) => {
  const { port } = await startNoticeServer(t, (response) => {
    response.writeHead(200).write("more follows");
  });
  await send(`http://127.0.0.1:${port}/`);
});

/** What is thrown names the host and no part of the URL, the user or the secret. */
async function assertFails(sending: Promise<void>, port: number, pattern: RegExp): Promise<void> {
  await assert.rejects(sending, (error: Error) => {
    assert.ok(error.message.startsWith(`127.0.0.1:${port} cannot be reached: `), error.message);
    assert.match(error.message, pattern);
    assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /hidden|whsec/);
    return !(error instanceof GiveUp);
  });
}

test("an answer that does not begin in time fails", async (t) => {
  // The server never answers, so the outcome does not depend on the speed of the machine.
  const { port } = await startNoticeServer(t, () => {});
  const url = `http://hidden-user:hidden@127.0.0.1:${port}/hidden?hidden`;
  await assertFails(send(url, { secret: SECRET, withinMs: 20 }), port, /timeout/);
});

test("a dropped connection, a closed port and an answer in no HTTP fail", async (t) => {
  const dropping = await startNoticeServer(t, (response) => void response.destroy());
  const closed = await freePort();
  const other = await listenOn(
    t,
    createServer((socket) => socket.on("error", () => {}).end("220 mail hidden\r\n")),
  );
  for (const [port, pattern] of [
    [dropping.port, /./],
    [closed, /ECONNREFUSED/],
    [other, /HTTP/],
  ] as const) {
    const url = `http://hidden-user:hidden@127.0.0.1:${port}/hidden?hidden`;
    await assertFails(send(url), port, pattern);
  }
});

test("a stop ends the attempt", async (t) => {
  const stopping = new AbortController();
  const { port } = await startNoticeServer(t, () => stopping.abort());
  const url = `http://127.0.0.1:${port}/`;
  await assertFails(send(url, { secret: SECRET, stop: stopping.signal }), port, /abort/);
});
