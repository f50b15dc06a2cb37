import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { LOCALHOST, startWithOwner } from "./secure-gate.ts";

const BODY = "username=owner&password=wrong";
const FORM = "application/x-www-form-urlencoded";

/** The data that each protocol sends before the connection below it is reset. */
const signIns: Readonly<Record<string, (secure: TLSSocket, reset: () => void) => void>> = {
  "http/1.1"(secure, reset) {
    const lines = [
      "POST /login HTTP/1.1",
      "Host: localhost",
      `Content-Type: ${FORM}`,
      `Content-Length: ${BODY.length}`,
    ];
    secure.write(`${lines.join("\r\n")}\r\n\r\n${BODY}`, reset);
  },
  h2(secure, reset) {
    const session = connectHttp2("https://localhost", { createConnection: () => secure });
    session.on("error", () => {});
    const stream = session.request({
      ":method": "POST",
      ":path": "/login",
      "content-type": FORM,
    });
    stream.on("error", () => {}).end(BODY);
    setImmediate(reset);
  },
};

async function signInAndReset(port: number, protocol: string): Promise<void> {
  const tcp: Socket = connectTcp(port, "127.0.0.1");
  const secure = connect({
    socket: tcp,
    ca: LOCALHOST.cert,
    servername: "localhost",
    ALPNProtocols: [protocol],
  });
  for (const socket of [tcp, secure]) socket.on("error", () => {});
  secure.once("secureConnect", () => signIns[protocol]?.(secure, () => tcp.resetAndDestroy()));
  await once(secure, "close");
}

for (const protocol of Object.keys(signIns)) {
  test(`a reset right after a sign-in (${protocol}) logs no error`, async (t) => {
    const gate = await startWithOwner(t);
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 8 }, () => signInAndReset(gate.port, protocol)));
    }
    assert.equal((await gate.send("/login")).status, 308);
    await gate.stop();
    const errors = gate.serverLog.filter(({ level }) => level === "error");
    assert.deepEqual(errors, []);
  });
}

/** Asks and resets up to `count` times, and returns how often until the server ended the connection. */
async function askAndReset(port: number, count: number): Promise<number> {
  const session = connectHttp2(`https://localhost:${port}`, { ca: LOCALHOST.cert });
  session.on("error", () => {});
  const closed = new Promise<void>((resolve) => session.once("close", resolve));
  let asked = 0;
  while (asked < count && !session.destroyed && !session.closed) {
    const stream = session.request({ ":path": "/login" });
    stream.on("error", () => {}).close(constants.NGHTTP2_CANCEL);
    const read = new Promise<void>((resolve) => {
      stream.once("close", () => {
        if (session.destroyed || !session.ping(() => resolve())) resolve();
      });
    });
    await Promise.race([closed, read]);
    asked += 1;
  }
  session.destroy();
  await closed;
  return asked;
}

test("ends an HTTP/2 connection that resets again and again", async (t) => {
  const gate = await startWithOwner(t);
  const asked = await askAndReset(gate.port, 900);
  assert.ok(asked > 100 && asked < 900, `${asked}`);
  assert.equal(await askAndReset(gate.port, 90), 90);
});
