import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { CA_CERTIFICATE } from "../../../support/certificates.ts";
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

const environment = ({ directoryUrl }: Pebble, dataDir: string, caFile: string) => ({
  HTTPS_PORT: "0",
  ACME_DIRECTORY_URL: directoryUrl,
  ACME_CA_FILE: caFile,
  DATA_DIR: dataDir,
  AUTH_SECRET: SECRET,
});

/** Holds the authority's check of the name until there is a gate that answers it. */
async function holdCheck(t: TestContext) {
  const held = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<string>();
  const server = createServer(async ({ url }, response) => {
    held.resolve();
    const challenge = `${await gate.promise}${url}`;
    const { body } = await eventually(async () => {
      const answer = await send(challenge);
      return answer.status === 200 ? answer : undefined;
    });
    response.end(body);
  });
  return { port: await listenOn(t, server), held: held.promise, passTo: gate.resolve };
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
    const check = await holdCheck(t);
    const pebble = await start({ httpPort: check.port });
    const dataDir = await tempDir(t);
    const caFile = await fileWith(t, CA_CERTIFICATE);
    const env = environment(pebble, dataDir, caFile);
    const folder = join(dataDir, "certificates", NAME);

    const running = await startServe(t, env);
    await send(`${running.url}/setup`, { form: { ...SETUP_FORM, domain: NAME } });
    await check.held;
    const order = await readFile(join(folder, "order.json"), "utf8");
    running.child.kill("SIGKILL");
    await running.ended;

    check.passTo((await startServe(t, env)).url);
    const certificate = await eventually(
      () => readFile(join(folder, "certificate.pem"), "utf8").catch(() => undefined),
      ISSUED_WITHIN_MS,
    );
    assert.ok(certificate.startsWith(JSON.parse(order).keyPem));
    await eventually(() =>
      readFile(join(folder, "order.json"), "utf8").then(
        () => undefined,
        () => "gone",
      ),
    );
  });
});
