import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { DEFAULT_PATTERNS, selectEvents } from "../../src/audit/event-patterns.ts";
import { openStore } from "../../src/gate/open-store.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { csvOf } from "../cli/transfer/import-file.ts";
import { outputOf, runCommand } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate, SECRET, startGate } from "../support/gate.ts";
import { type NoticeServer, startNoticeServer, verifyNotice } from "../support/notice-server.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { fileWith } from "../support/temp-dir.ts";

const server = await sharedPostgres();
const KEY = `whsec_${Buffer.from("a signing secret, 24 bytes or more").toString("base64")}`;
const HOSTILE = `O'Neil "<b>" \\ ${"é".repeat(20)} {subject} $& %0d%0a`;

/** A sign-in is told too, so that it wakes the queue of its gate. */
const selection = selectEvents(`${DEFAULT_PATTERNS},signin`);
assert.ok(selection.kind === "events");
const { events: notifyEvents } = selection;

const settingsOf = ({ port }: NoticeServer) => ({
  notifyEvents,
  notifyUrl: `http://hidden-user:hidden-word@127.0.0.1:${port}/hidden?token=hidden`,
  notifySecret: KEY,
});

/** The environment of a command that works beside the gate. */
const envOf = (gate: RunningGate, notices: NoticeServer, databaseUrl = "") => ({
  DATA_DIR: gate.dataDir,
  DATABASE_URL: databaseUrl,
  AUTH_SECRET: SECRET,
  NOTIFY_URL: settingsOf(notices).notifyUrl,
  NOTIFY_SECRET: KEY,
});

/** Starts a gate whose operator is told what happens, and sets it up. */
async function start(t: TestContext, notices: NoticeServer) {
  const gate = await startGate(t, settingsOf(notices));
  return { gate, session: await gate.setUp({ username: HOSTILE }) };
}

const summaryOf = async (notices: NoticeServer): Promise<readonly unknown[]> =>
  Promise.all(
    notices.received.map(async (notice) => {
      const { type, data } = await verifyNotice(notice, KEY);
      const { author, subject } = data as { author: string; subject: string };
      return `${type} ${author} ${subject}`;
    }),
  );

test("the operator is told about the first account, and about what commands do", async (t) => {
  const notices = await startNoticeServer(t);
  const { gate } = await start(t, notices);
  const [signup] = await notices.waitFor(1);
  assert.ok(signup);
  assert.match(String(signup.headers.authorization), /^Basic /);
  const { timestamp, ...content } = await verifyNotice(signup, KEY);
  const [entry] = await gate.logEntries(1);
  assert.ok(entry);
  assert.equal(timestamp, entry.at.toISOString());
  const { id: _, type, at: __, ...data } = entry;
  assert.deepEqual(content, { type, data });
  assert.equal(data.subject, HOSTILE);

  const env = envOf(gate, notices);
  await outputOf(["user", "add", "bob", "--password-stdin"], { env, input: OWNER.password });
  await outputOf(["user", "groups", "bob", "family"], { env });
  await outputOf(["user", "remove", "bob", "--yes"], { env });
  await gate.signIn({ username: HOSTILE });
  await notices.waitFor(5);
  assert.deepEqual((await summaryOf(notices)).toSorted(), [
    ...[`signin system ${HOSTILE}`, `signup system ${HOSTILE}`],
    ...["user_add cli bob", "user_groups cli bob", "user_remove cli bob"],
  ]);
});

test("an import tells how many came in, together with them", async (t) => {
  const notices = await startNoticeServer(t);
  const { gate } = await start(t, notices);
  await notices.waitFor(1);
  const env = envOf(gate, notices);
  const file = await fileWith(t, csvOf("bob", "eve"));
  assert.equal(await outputOf(["import", file], { env }), "Imported 2 users\n");
  const again = await runCommand(["import", file], { env });
  assert.equal(again.code, 1);
  await gate.signIn({ username: HOSTILE });
  await notices.waitFor(3);
  await gate.stop();
  assert.deepEqual((await summaryOf(notices)).toSorted(), [
    ...[`signin system ${HOSTILE}`, `signup system ${HOSTILE}`, "user_import cli 2"],
  ]);
});

test("no log of the gate contains the URL or the secret, also when nothing arrives", async (t) => {
  const notices = await startNoticeServer(t, (response) => void response.writeHead(410).end());
  const { gate } = await start(t, notices);
  await notices.waitFor(1);
  const entries = await gate.logEntries(2);
  assert.deepEqual(
    entries.map(({ type, subject }) => `${type} ${subject}`),
    [`signup ${HOSTILE}`, "message_lost webhook"],
  );
  await gate.stop();
  const lines = gate.serverLog.filter(({ kind }) => kind === "webhook");
  assert.deepEqual(
    lines.map(({ msg, reason, tries }) => [msg, reason, tries]),
    [["message given up", `127.0.0.1:${notices.port} answered 410`, 1]],
  );
  assert.doesNotMatch(JSON.stringify([gate.serverLog, entries]), /hidden|whsec/);
  assert.equal(notices.received.length, 1);
});

test("two gates on PostgreSQL send each notice once", async (t) => {
  const notices = await startNoticeServer(t);
  const databaseUrl = await server.newDatabase();
  const gates = [
    await startGate(t, { ...settingsOf(notices), databaseUrl }),
    await startGate(t, { ...settingsOf(notices), databaseUrl }),
  ] as const;
  await gates[0].setUp();
  const env = envOf(gates[0], notices, databaseUrl);
  const names = ["bob", "eve", "kim", "liv", "mia", "noa"];
  await Promise.all(
    names.map((name) =>
      outputOf(["user", "add", name, "--password-stdin"], { env, input: OWNER.password }),
    ),
  );
  // Both queues wake at the same moment, and find the same notices.
  await Promise.all(gates.map((gate) => gate.signIn()));
  await notices.waitFor(names.length + 3);
  const { settings } = readSettings({ flags: {}, envFile: undefined, env });
  const store = await openStore(settings, "refuse");
  t.after(() => store.close());
  await eventually(async () => ((await store.outbox.readState()).waiting === 0 ? true : undefined));
  await Promise.all(gates.map((gate) => gate.stop()));
  const expected = [
    ...["signup", "signin", "signin"].map((type) => `${type} system ${OWNER.username}`),
    ...names.map((name) => `user_add cli ${name}`),
  ];
  assert.deepEqual((await summaryOf(notices)).toSorted(), expected.toSorted());
  const ids = notices.received.map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(ids).size, names.length + 3);
});

test("without NOTIFY_URL, a gate and its commands keep nothing for later", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const env = { DATA_DIR: gate.dataDir, AUTH_SECRET: SECRET };
  await outputOf(["user", "add", "bob", "--password-stdin"], { env, input: OWNER.password });
  assert.equal((await gate.logEntries(2)).length, 2);
  const { settings } = readSettings({ flags: {}, envFile: undefined, env });
  const store = await openStore(settings, "refuse");
  t.after(() => store.close());
  assert.deepEqual(await store.outbox.readState(), { waiting: 0, oldest: undefined });
});
