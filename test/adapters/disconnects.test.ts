import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { noMeter } from "../../src/lib/meter.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER } from "../support/gate.ts";
import { frameworks } from "./frameworks.ts";
import { startApp } from "./running.ts";

/** Takes long enough to verify for others to wait and disconnect. */
const SLOW_HASH = `$argon2id$v=19$m=19456,t=60,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

const CHANGE = { current_password: "wrong", new_password: "12345678", confirm_password: "" };

/** Counts the hashes that wait and those that have started. */
function countHashes() {
  const counts = { waiting: 0, started: 0 };
  const hashes = {
    startWaiting() {
      counts.waiting += 1;
      return () => {
        counts.waiting -= 1;
      };
    },
    startRunning() {
      counts.started += 1;
      return () => {};
    },
    countRefused() {},
  };
  return { counts, meter: { ...noMeter, hashes } };
}

/** Sends a form over its own connection and returns a function that closes the connection. */
function sendForm(
  url: string,
  form: Readonly<Record<string, string>>,
  from: string,
  headers: Readonly<Record<string, string>> = {},
): () => void {
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  const outgoing = request(url, {
    ...{ method: "POST", agent: false, localAddress: from },
    headers: { ...type, ...headers },
  });
  outgoing.on("error", () => {});
  outgoing.end(new URLSearchParams(form).toString());
  return () => outgoing.destroy();
}

for (const framework of frameworks) {
  test(`${framework.name}: skips the hash of a client that has disconnected`, async (t) => {
    const { counts, meter } = countHashes();
    const hashing = { atOnce: 1, waiting: 64 };
    const app = await startApp(t, framework, { signIn: { hashing }, meter });
    const session = app.addAccount("slow");
    execute(app.databaseFile, `UPDATE latchkey_users SET password_hash = '${SLOW_HASH}'`);
    const slow = app.send("/login", { form: { ...OWNER, username: "slow" } });
    await eventually(() => counts.started === 1 || undefined);

    const cookie = { Cookie: `session=${session}` };
    const ends = [
      sendForm(`${app.url}/login`, OWNER, "127.0.0.2"),
      sendForm(`${app.url}/login`, OWNER, "127.0.0.3"),
      sendForm(`${app.url}/account/password`, CHANGE, "127.0.0.4", cookie),
    ];
    await eventually(() => counts.waiting === ends.length || undefined);
    for (const end of ends) end();
    await eventually(() => counts.waiting === 0 || undefined);
    assert.equal(counts.started, 1, "they left while the first one still ran");
    assert.equal((await slow).location, "/login?error=1");
    assert.equal(counts.started, 1);
    const messages = app.log.map(({ message }) => message);
    assert.deepEqual(messages, ["sign-in rejected"]);
  });
}
