import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fetchAuth } from "../../src/adapters/fetch.ts";
import { startApp } from "../support/app.ts";
import { openAuth } from "../support/auth.ts";
import { eventually } from "../support/eventually.ts";
import { SETUP_FORM, startGate } from "../support/gate.ts";
import { maskVaryingParts, postRaw } from "../support/raw.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Prints each argument with a trailing NUL, which no argument can contain. */
const NOTING = 'for argument in "$@"; do printf "%s\\0" "$argument"; done';

/** An executable script, and the content of its output file once it has ended. */
async function script(t: TestContext, body: string) {
  const command = join(await tempDir(t), "domain setup");
  const result = `${command}.result`;
  const text = `#!/bin/sh\n{ ${body}; } > "$0.unfinished"\nmv "$0.unfinished" "$0.result"\n`;
  await writeFile(command, text, { mode: 0o755 });
  return {
    command,
    written: () => eventually(() => readFile(result, "utf8").catch(() => undefined)),
  };
}

for (const domain of [
  "  münchen.example.org\r\n",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for a shell to trip over
  "$(touch${IFS}x).example.org",
  "`id`;reboot&.example.org",
  "'a\"b\tc\nd.example.org",
]) {
  test(`passes the domain ${JSON.stringify(domain)}, trimmed, as one argument`, async (t) => {
    const { command, written } = await script(t, NOTING);
    const gate = await startGate(t, { domainSetupCommand: command });
    await gate.setUp({ domain });
    assert.equal(await written(), `${domain.trim()}\0`);
  });
}

test("starts the domain setup after it has deleted the setup token", async (t) => {
  const done: string[] = [];
  const setupToken = {
    read: async () => "s3cret",
    delete: async () => {
      done.push("deleting");
      await nextTurn();
      done.push("deleted");
    },
  };
  const setUpDomain = async (domain: string) => void done.push(domain);
  const app = await startApp(t, { setupToken, setUpDomain });
  const form = { ...SETUP_FORM, token: "s3cret", domain: "home.example.org" };
  assert.equal((await app.send("/setup", { form })).location, "/");
  await eventually(() => done.length === 3 || undefined);
  assert.deepEqual(done, ["deleting", "deleted", "home.example.org"]);
});

const failures = [
  {
    how: "fails",
    body: "exit 3",
    reason: /ended with 3; its messages are on standard error$/,
  },
  { how: "is killed", body: "kill -9 $$", reason: /ended with SIGKILL;/ },
  { how: "cannot be started", body: undefined, reason: /ENOENT/ },
] as const;

for (const { how, body, reason } of failures) {
  test(`reports a command that ${how} in the server log only`, async (t) => {
    const command =
      body === undefined ? "/nonexistent/domain-setup" : (await script(t, body)).command;
    const form = { ...SETUP_FORM, domain: "home.example.org" };
    const plain = await startGate(t);
    const failing = await startGate(t, { domainSetupCommand: command });
    const usual = await postRaw(plain.url, "/setup", form);
    const answer = await postRaw(failing.url, "/setup", form);
    assert.equal(maskVaryingParts(answer), maskVaryingParts(usual));
    const logged = await eventually(() =>
      failing.serverLog.find(({ msg }) => msg === "domain setup failed"),
    );
    assert.deepEqual([logged.level, logged.domain], ["error", "home.example.org"]);
    assert.match(String(logged.reason), reason);
  });
}

test("does not treat output as a failure", async (t) => {
  const { command, written } = await script(t, "echo on its way");
  const gate = await startGate(t, { domainSetupCommand: command });
  await gate.setUp({ domain: "home.example.org" });
  assert.equal(await written(), "on its way\n");
  assert.ok(gate.serverLog.every(({ level }) => level === "info"));
});

test("never passes a domain that begins with a dash as an option", async (t) => {
  const { command } = await script(t, NOTING);
  const gate = await startGate(t, { domainSetupCommand: command });
  await gate.setUp({ domain: "--config=x.org" });
  const logged = await eventually(() => gate.serverLog.find(({ level }) => level === "error"));
  assert.match(String(logged.reason), /programs would read it as an option/);
});

const appFailures: Readonly<Record<string, readonly [() => unknown, reason: string]>> = {
  "throws at once": [
    () => {
      throw new Error("no DNS");
    },
    "no DNS",
  ],
  "rejects without an error": [() => Promise.reject(), "undefined was thrown, not an Error"],
  "rejects later": [() => nextTurn().then(() => Promise.reject(new Error("later"))), "later"],
};

for (const [how, [fail, reason]] of Object.entries(appFailures)) {
  test(`the domain setup of an app that ${how} only causes a line in the server log`, async (t) => {
    const setUpDomain = fail as () => Promise<void>;
    const app = await startApp(t, { setUpDomain });
    const form = { ...SETUP_FORM, domain: "home.example.org" };
    const { status, location, session } = await app.send("/setup", { form });
    assert.deepEqual([status, location], [303, "/"]);
    assert.equal((await app.send("/account/profile", { session })).status, 200);
    const line = await eventually(() => app.log.find(({ level }) => level === "error"));
    assert.equal(line.message, "domain setup failed");
    const { requestId: _, ...fields } = line.fields;
    assert.deepEqual(fields, { domain: "home.example.org", reason });
  });
}

test("only with a domain setup, the page of an app has the field", async (t) => {
  const calls: string[] = [];
  const setUpDomain = async (domain: string) => void calls.push(domain);
  for (const options of [{}, { setUpDomain }]) {
    const app = await startApp(t, options);
    const { body } = await app.send("/setup");
    assert.equal(body.includes('name="domain"'), "setUpDomain" in options);
    const form = { ...SETUP_FORM, domain: "-x.com" };
    assert.equal((await app.send("/setup", { form })).status, 303);
  }
  assert.deepEqual(await eventually(() => (calls.length > 0 ? calls : undefined)), ["-x.com"]);
});

test("the response comes before synchronous work of a domain setup", async (t) => {
  const order: string[] = [];
  const { auth } = await openAuth(t, { setUpDomain: async () => void order.push("domain setup") });
  const form = new URLSearchParams({ ...SETUP_FORM, domain: "home.example.org" });
  const answer = await fetchAuth(auth).routes(
    new Request("http://app.test/setup", { method: "POST", body: form }),
    { remoteAddress: "192.0.2.1" },
  );
  order.push(`response ${answer?.status}`);
  await nextTurn();
  assert.deepEqual(order, ["response 303", "domain setup"]);
});

test("the response does not wait for a slow domain setup", async (t) => {
  const asked: string[] = [];
  const setUpDomain = (domain: string) => {
    asked.push(domain);
    return new Promise<void>(() => {});
  };
  const app = await startApp(t, { setUpDomain });
  const answer = await app.send("/setup", {
    form: { ...SETUP_FORM, domain: " home.example.org " },
  });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.deepEqual(await eventually(() => asked[0]), "home.example.org");
});
