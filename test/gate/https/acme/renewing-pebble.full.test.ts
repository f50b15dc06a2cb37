import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CA_CERTIFICATE } from "../../../support/certificates.ts";
import { send } from "../../../support/client.ts";
import { eventually } from "../../../support/eventually.ts";
import { OWNER, SECRET } from "../../../support/gate.ts";
import type { Pebble } from "../../../support/pebble.ts";
import { startServe } from "../../../support/process.ts";
import { askSecurely } from "../../../support/secure-client.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import {
  answerOver,
  httpsUrlOf,
  ISSUED_WITHIN_MS,
  NAME,
  startSecureGate,
  wherePebbleIs,
} from "./gate-with-pebble.ts";

const environment = ({ directoryUrl, httpPort }: Pebble, dataDir: string, caFile: string) => ({
  PORT: String(httpPort),
  HTTPS_PORT: "0",
  ACME_DIRECTORY_URL: directoryUrl,
  ACME_CA_FILE: caFile,
  DATA_DIR: dataDir,
  AUTH_SECRET: SECRET,
});

wherePebbleIs((withPebble) => {
  withPebble(
    "renews a certificate before it expires, and serves every request meanwhile",
    async (t, start) => {
      const pebble = await start({ validitySeconds: 9 });
      const gate = await startSecureGate(t, pebble);
      await gate.setUp({ domain: NAME });
      const first = await answerOver(gate, pebble);
      const root = await pebble.root();
      const renewed = await eventually(async () => {
        const { fingerprint } = await askSecurely(httpsUrlOf(gate), NAME, root);
        return fingerprint === first.fingerprint ? undefined : fingerprint;
      }, ISSUED_WITHIN_MS);
      assert.ok(renewed);
      assert.ok(!gate.serverLog.some(({ level }) => level === "error"));
    },
  );

  withPebble(
    "completes an order that a crash interrupted, with its original key",
    async (t, start) => {
      const pebble = await start({ env: { PEBBLE_VA_NOSLEEP: "0", PEBBLE_VA_SLEEPTIME: "3" } });
      const dataDir = await tempDir(t);
      const caFile = join(await tempDir(t), "ca.pem");
      await writeFile(caFile, CA_CERTIFICATE);
      const env = environment(pebble, dataDir, caFile);
      const folder = join(dataDir, "certificates", NAME);

      const running = await startServe(t, env);
      const form = { ...OWNER, confirm: OWNER.password, domain: NAME };
      await send(`${running.url}/setup`, { form });
      const order = await eventually(
        () => readFile(join(folder, "order.json"), "utf8").catch(() => undefined),
        ISSUED_WITHIN_MS,
      );
      running.child.kill("SIGKILL");
      await running.ended;

      await startServe(t, env);
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
    },
  );
});
