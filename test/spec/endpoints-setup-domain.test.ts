import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { startApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { maskVaryingParts, postRaw } from "../support/raw.ts";

const FORM = { ...OWNER, confirm: OWNER.password };

/** What a domain may be: `test/core/set-up-domain.test.ts`. The command: `test/gate/domain-command.test.ts`. */
test("starts the domain setup with the trimmed domain after it has deleted the setup token", async (t) => {
  const done: string[] = [];
  const setupToken = {
    read: async () => "s3cret",
    delete: async () => {
      done.push("deleting");
      await nextTurn();
      done.push("deleted");
    },
  };
  // Never ends, and the response does not wait for it.
  const setUpDomain = (domain: string) => {
    done.push(domain);
    return new Promise<void>(() => {});
  };
  const app = await startApp(t, { setupToken, setUpDomain });
  const form = { ...FORM, token: "s3cret", domain: " home.example.org\r\n" };
  assert.equal((await app.send("/setup", { form })).location, "/");
  assert.deepEqual(done, ["deleting", "deleted", "home.example.org"]);
});

test("ignores an invalid domain silently", async (t) => {
  // If it were started, its failure would be logged before the response is sent.
  const gate = await startGate(t, { domainSetupCommand: "/nonexistent/domain-setup" });
  const form = { ...FORM, domain: "https://home.example.org" };
  const answer = await gate.send("/setup", { form });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  const loud = gate.serverLog.filter(({ level }) => level !== "info");
  assert.deepEqual(loud, []);
});

test("reports a command that fails in the server log only", async (t) => {
  const form = { ...FORM, domain: "home.example.org" };
  const [plain, failing] = [
    await startGate(t),
    await startGate(t, { domainSetupCommand: "/nonexistent/domain-setup" }),
  ];
  const usual = await postRaw(plain.url, "/setup", form);
  const answer = await postRaw(failing.url, "/setup", form);
  assert.equal(maskVaryingParts(answer), maskVaryingParts(usual));
  const logged = await eventually(() =>
    failing.serverLog.find(({ msg }) => msg === "domain setup failed"),
  );
  assert.deepEqual([logged.level, logged.domain], ["error", "home.example.org"]);
  assert.deepEqual(
    (await failing.logEntries(1)).map(({ type }) => type),
    ["signup"],
  );
});
