import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../../support/command.ts";
import { eventually } from "../../../support/eventually.ts";
import { askSecurely } from "../../../support/secure-client.ts";
import {
  answerOver,
  httpsUrlOf,
  ISSUED_WITHIN_MS,
  logged,
  NAME,
  startSecureGate,
  wherePebbleIs,
} from "./gate-with-pebble.ts";

wherePebbleIs((withPebble) => {
  withPebble(
    "obtains a certificate for the domain of the setup form, and serves HTTPS without a restart",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      const before = await gate.send("/login");
      assert.deepEqual([before.status, before.location], [200, undefined]);
      await gate.setUp({ domain: ` ${NAME} ` });
      assert.equal((await answerOver(gate, pebble)).status, 200);
    },
  );

  withPebble(
    "redirects HTTP to HTTPS and sends HSTS once the certificate works",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      await gate.setUp({ domain: NAME });
      const root = await pebble.root();
      const strict = await eventually(
        () =>
          askSecurely(httpsUrlOf(gate), NAME, root).then(
            ({ headers }) => headers["strict-transport-security"],
            () => undefined,
          ),
        ISSUED_WITHIN_MS,
      );
      assert.equal(strict, "max-age=31536000");
      const plain = await gate.send("/login?error=1", { headers: { Host: NAME } });
      const { port } = new URL(httpsUrlOf(gate));
      assert.deepEqual(
        [plain.status, plain.location],
        [308, `https://${NAME}:${port}/login?error=1`],
      );
      assert.equal(plain.headers["strict-transport-security"], undefined);
    },
  );

  withPebble(
    "a running gate obtains a certificate for a name that a command adds",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      const { code, stdout } = await runCommand(["domain", "add", "MÜNCHEN.example."], {
        env: {
          DATA_DIR: gate.dataDir,
          HTTPS_PORT: "443",
        },
      });
      assert.deepEqual(
        [code, stdout],
        [0, "Added domain xn--mnchen-3ya.example. To see its progress: latchkey domain status\n"],
      );
      assert.equal((await answerOver(gate, pebble, "xn--mnchen-3ya.example")).status, 200);
    },
  );

  withPebble(
    "obtains a certificate for each of two names, and serves each under its name",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      for (const name of [NAME, "other.example.org"]) {
        await runCommand(["domain", "add", name], { env: { DATA_DIR: gate.dataDir } });
      }
      const one = await answerOver(gate, pebble);
      const other = await answerOver(gate, pebble, "other.example.org");
      assert.notEqual(one.fingerprint, other.fingerprint);
    },
  );

  withPebble("half of all nonces refused keeps no certificate away", async (t, start) => {
    const pebble = await start({ nonceReject: 50 });
    const gate = await startSecureGate(t, pebble);
    await gate.setUp({ domain: NAME });
    assert.equal((await answerOver(gate, pebble)).status, 200);
  });

  withPebble("stores files for their owner only, and logs no secret", async (t, start) => {
    const pebble = await start();
    const gate = await startSecureGate(t, pebble);
    await gate.setUp({ domain: NAME });
    await answerOver(gate, pebble);
    await logged(gate, "stored a certificate");
    const root = join(gate.dataDir, "certificates");
    const files = await eventually(async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const found = entries.filter((entry) => entry.isFile());
      return found.some(({ name }) => name === "progress.json") ? found : undefined;
    });
    assert.deepEqual(files.map(({ name }) => name.replace(/localhost-\d+/, "…")).sort(), [
      "account-….pem",
      "certificate.pem",
      "progress.json",
      "wanted",
    ]);
    for (const { parentPath, name } of files) {
      assert.equal((await stat(join(parentPath, name))).mode & 0o777, 0o600, name);
    }
    for (const folder of [root, join(root, NAME)]) {
      assert.equal((await stat(folder)).mode & 0o777, 0o700, folder);
    }
    assert.doesNotMatch(JSON.stringify(gate.serverLog), /PRIVATE|BEGIN/);
  });

  withPebble(
    "a restarted gate serves its stored certificate while the authority is unreachable",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      await gate.setUp({ domain: NAME });
      const { fingerprint } = await answerOver(gate, pebble);
      await gate.stop();
      const away = { dataDir: gate.dataDir, acmeDirectoryUrl: "https://localhost:1/dir" };
      const again = await startSecureGate(t, pebble, away);
      assert.equal((await answerOver(again, pebble)).fingerprint, fingerprint);
      assert.ok(!again.serverLog.some(({ level }) => level === "error"));
    },
  );

  withPebble("a name that is removed is neither shown nor renewed any more", async (t, start) => {
    const pebble = await start();
    const gate = await startSecureGate(t, pebble);
    await gate.setUp({ domain: NAME });
    await answerOver(gate, pebble);
    const root = await pebble.root();
    await runCommand(["domain", "remove", NAME], { env: { DATA_DIR: gate.dataDir } });
    const refused = await eventually(
      () =>
        askSecurely(httpsUrlOf(gate), NAME, root).then(
          () => undefined,
          (error) => error,
        ),
      ISSUED_WITHIN_MS,
    );
    assert.match(String(refused), /handshake/);
    assert.deepEqual(await readdir(join(gate.dataDir, "certificates")), [
      `account-localhost-${new URL(pebble.directoryUrl).port}.pem`,
    ]);
  });
});
