import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../../support/command.ts";
import { eventually } from "../../../support/eventually.ts";
import { askSecurely } from "../../../support/secure-client.ts";
import {
  addDomain,
  answerOver,
  httpsUrlOf,
  ISSUED_WITHIN_MS,
  logged,
  NAME,
  startSecureGate,
  startWithDomain,
  wherePebbleIs,
} from "./gate-with-pebble.ts";

wherePebbleIs((withPebble) => {
  withPebble(
    "obtains a certificate for the domain of the setup form, then redirects",
    async (t, start) => {
      // An attempt gives up after twelve refused nonces in a row: of a quarter, once in 16 million.
      const pebble = await start({ nonceReject: 25 });
      const gate = await startSecureGate(t, pebble);
      const before = await gate.send("/login");
      assert.deepEqual([before.status, before.location], [200, undefined]);
      await gate.setUp({ domain: ` ${NAME} ` });
      assert.equal((await answerOver(gate, pebble)).status, 200);
      const strict = await eventually(
        async () => (await answerOver(gate, pebble)).headers["strict-transport-security"],
      );
      assert.equal(strict, "max-age=31536000");
      const plain = await gate.send("/login", { headers: { Host: NAME } });
      const { port } = new URL(httpsUrlOf(gate));
      assert.deepEqual([plain.status, plain.location], [308, `https://${NAME}:${port}/login`]);
    },
  );

  withPebble(
    "obtains and serves a certificate for each name that a command adds",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      await addDomain(gate, NAME);
      await addDomain(gate, "MÜNCHEN.example.");
      const one = await answerOver(gate, pebble);
      const other = await answerOver(gate, pebble, "xn--mnchen-3ya.example");
      assert.notEqual(one.fingerprint, other.fingerprint);
    },
  );

  withPebble(
    "serves the stored certificate after a restart, until its name is removed",
    async (t, start) => {
      const pebble = await start();
      const gate = await startWithDomain(t, pebble);
      const { fingerprint } = await answerOver(gate, pebble);
      await logged(gate, "stored a certificate");
      const root = join(gate.dataDir, "certificates");
      const files = await eventually(async () => {
        const entries = await readdir(root, { recursive: true, withFileTypes: true });
        const found = entries.filter((entry) => entry.isFile());
        return found.some(({ name }) => name === "progress.json") ? found : undefined;
      });
      const names = files.map(({ name }) => name.replace(/localhost-\d+/, "…")).sort();
      assert.deepEqual(names, ["account-….pem", "certificate.pem", "progress.json", "wanted"]);
      assert.doesNotMatch(JSON.stringify(gate.serverLog), /PRIVATE|BEGIN/);

      await gate.stop();
      const away = { dataDir: gate.dataDir, acmeDirectoryUrl: "https://localhost:1/dir" };
      const again = await startSecureGate(t, pebble, away);
      assert.equal((await answerOver(again, pebble)).fingerprint, fingerprint);
      assert.ok(!again.serverLog.some(({ level }) => level === "error"));

      await runCommand(["domain", "remove", NAME], { env: { DATA_DIR: gate.dataDir } });
      const issuer = await pebble.root();
      const refused = await eventually(
        () =>
          askSecurely(httpsUrlOf(again), NAME, issuer).then(
            () => undefined,
            (error) => error,
          ),
        ISSUED_WITHIN_MS,
      );
      assert.match(String(refused), /handshake/);
      assert.deepEqual(await readdir(root), [
        `account-localhost-${new URL(pebble.directoryUrl).port}.pem`,
      ]);
    },
  );
});
