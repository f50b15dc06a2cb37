import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER } from "../support/gate.ts";
import { ADA, NEW_PASSWORD, pathOf, startMailGate } from "../support/mail-gate.ts";
import { readText } from "../support/mail-server.ts";

const NEW = { password: NEW_PASSWORD, confirm: NEW_PASSWORD } as const;

test("a forgotten password: a link for 30 minutes, which ends the sessions", async (t) => {
  const { gate, session, mail } = await startMailGate(t);
  assert.match((await gate.send("/login")).body, /href="\/login\/forgot"/);
  assert.equal((await gate.send("/login/forgot")).status, 200);
  const asked = await gate.send("/login/forgot", { form: { login: OWNER.username } });
  assert.deepEqual([asked.status, asked.location], [303, "/login"]);
  const [message] = await mail.waitFor(1);
  assert.ok(message);
  assert.deepEqual(message.to, [ADA]);
  const path = pathOf(message);
  assert.equal((await gate.send(path)).status, 200);
  const reset = await gate.send(path, { form: NEW });
  assert.deepEqual([reset.status, reset.location], [303, "/login"]);
  assert.equal((await gate.send("/account/profile", { session })).status, 303);
  assert.equal((await gate.signIn({ password: NEW.password })).location, "/");
  assert.equal((await gate.send(path)).status, 404, "once");
  const [, notice] = await mail.waitFor(2);
  assert.ok(notice);
  assert.match(readText(notice), /Your password was changed/);
  const notMe = pathOf(notice);
  assert.match((await gate.send(notMe)).body, /End all sessions/);
  const signedIn = await gate.signIn({ password: NEW.password });
  const ended = await gate.send(notMe, { form: {} });
  assert.deepEqual([ended.status, ended.location], [303, "/login/forgot"]);
  const later = await gate.send("/account/profile", { session: signedIn.session });
  assert.equal(later.status, 303);
});

test("counts what is sent and lost, and says in both logs what was lost", async (t) => {
  const { gate, session, mail } = await startMailGate(t, {
    settings: { metricsPort: 0 },
    server: {
      onRcptTo(_address, _session, done) {
        const error = Object.assign(new Error("no such mailbox"), { responseCode: 550 });
        done(isFull ? error : null);
      },
    },
  });
  let isFull = true;
  await gate.send("/login/forgot", { form: { login: ADA } });
  const entries = await eventually(async () => {
    const all = await gate.logEntries(1);
    return all.some(({ type }) => type === "message_lost") ? all : undefined;
  });
  assert.equal(entries.find(({ type }) => type === "message_lost")?.subject, ADA);
  const lines = gate.serverLog.filter(({ msg }) => msg === "message given up");
  assert.deepEqual(
    lines.map(({ level, kind, tries }) => [level, kind, tries]),
    [["warn", "mail", 1]],
  );
  assert.match(String(lines[0]?.reason), /550 no such mailbox/);
  assert.deepEqual(mail.received, []);
  isFull = false;
  await gate.send("/account/keys/add", { session, form: { name: "one" } });
  await mail.waitFor(1);
  const expected = [
    'latchkey_messages_sent_total{kind="mail"} 1',
    'latchkey_messages_sent_total{kind="new-password"} 1',
    'latchkey_message_failures_total{kind="mail"} 1',
    "latchkey_messages_waiting 0",
    "latchkey_message_oldest_timestamp_seconds 0",
  ];
  await eventually(async () => {
    const lines = (await send(`${gate.metricsUrl}/metrics`)).body.split("\n");
    return expected.every((line) => lines.includes(line)) || undefined;
  });
});
