import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, request } from "node:https";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from "../../../support/certificates.ts";
import { send } from "../../../support/client.ts";
import { eventually } from "../../../support/eventually.ts";
import { SECRET, SETUP_FORM } from "../../../support/gate.ts";
import { listenOn } from "../../../support/listen.ts";
import type { Pebble } from "../../../support/pebble.ts";
import { startServe } from "../../../support/process.ts";
import { askSecurely } from "../../../support/secure-client.ts";
import { fileWith, tempDir } from "../../../support/temp-dir.ts";
import {
  answerOver,
  httpsUrlOf,
  ISSUED_WITHIN_MS,
  NAME,
  startWithDomain,
  wherePebbleIs,
} from "./gate-with-pebble.ts";

/**
 * Stands before the authority, whose links keep the host of a request, and holds the first request to
 * check the name. Not the check itself: the authority would give it up after some seconds.
 */
async function holdFirstCheck(t: TestContext, { directoryUrl }: Pebble) {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const options = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
  const server = createServer(options, (incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    if (!isHeld && url.startsWith("/chalZ/")) {
      isHeld = true;
      return held.resolve();
    }
    const asked = { method, headers, ca: CA_CERTIFICATE, agent: false };
    const passed = request(new URL(url, directoryUrl), asked, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const port = await listenOn(t, server, "localhost");
  return { directoryUrl: `https://localhost:${port}/dir`, held: held.promise };
}

wherePebbleIs((withPebble) => {
  withPebble("renews a certificate before it expires, and serves meanwhile", async (t, start) => {
    const pebble = await start({ validitySeconds: 9 });
    const gate = await startWithDomain(t, pebble);
    const first = await answerOver(gate, pebble);
    const root = await pebble.root();
    const renewed = await eventually(async () => {
      const { fingerprint } = await askSecurely(httpsUrlOf(gate), NAME, root);
      return fingerprint === first.fingerprint ? undefined : fingerprint;
    }, ISSUED_WITHIN_MS);
    assert.ok(renewed);
    assert.ok(!gate.serverLog.some(({ level }) => level === "error"));
  });

  withPebble("completes an order that a crash interrupted, with its key", async (t, start) => {
    const pebble = await start();
    const authority = await holdFirstCheck(t, pebble);
    const dataDir = await tempDir(t);
    const env = {
      PORT: String(pebble.httpPort),
      HTTPS_PORT: "0",
      ACME_DIRECTORY_URL: authority.directoryUrl,
      ACME_CA_FILE: await fileWith(t, CA_CERTIFICATE),
      DATA_DIR: dataDir,
      AUTH_SECRET: SECRET,
      SETUP_TOKEN: "off",
    };
    const folder = join(dataDir, "certificates", NAME);

    const running = await startServe(t, env);
    await send(`${running.url}/setup`, { form: { ...SETUP_FORM, domain: NAME } });
    await authority.held;
    const order = await readFile(join(folder, "order.json"), "utf8");
    running.child.kill("SIGKILL");
    await running.ended;

    await startServe(t, env);
    const read = () => readFile(join(folder, "certificate.pem"), "utf8").catch(() => undefined);
    const certificate = await eventually(read, ISSUED_WITHIN_MS);
    assert.ok(certificate.startsWith(JSON.parse(order).keyPem));
    await eventually(() =>
      readFile(join(folder, "order.json"), "utf8").then(
        () => undefined,
        () => "gone",
      ),
    );
  });
});
