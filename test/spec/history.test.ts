import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { outputOf } from "../support/command.ts";
import { insertMany } from "../support/database.ts";
import { changeForm, OWNER, startConfigured } from "../support/gate.ts";
import { activityOf, detailsOf, elements } from "../support/markup.ts";
import { partsOf } from "../support/mint.ts";

const en = getWords("en");
const HISTORY = "/account/history";
const CREATED = "Account owner was created";

/** The addresses of the links to the newest and the older entries. */
const linksIn = (body: string): Readonly<Record<"prev" | "next", string | undefined>> => {
  const linkTo = (rel: string) => elements(body, "a").find((link) => link.rel === rel)?.href;
  return { prev: linkTo("prev"), next: linkTo("next") };
};

test("shows the log entries immediately, newest first, with time, device and address", async (t) => {
  const { gate, session } = await startConfigured(t);
  const form = changeForm(OWNER.password, OWNER.password);
  await gate.send("/account/password", { session, form });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await gate.signIn({ password: "wrong" }, { from: "127.0.0.9" });
  }
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
  await gate.signIn({}, { headers: { "User-Agent": firefox }, from: "127.0.0.2" });
  const { body } = await gate.send(HISTORY, { session });
  const activity = activityOf(body);
  assert.deepEqual(activity, ["owner signed in", en.events.password_change("owner"), CREATED]);
  assert.deepEqual(detailsOf(body), ["Firefox on Linux · 127.0.0.2", "127.0.0.1", "127.0.0.1"]);
  assert.ok(body.includes(`<h1>${en.recentActivity}</h1>`));
  const [created] = await gate.logEntries(1);
  assert.deepEqual(elements(body, "time").at(-1), { datetime: created?.at.toISOString() });
  assert.match(body, / UTC<\/time>/);
});

test("merges equal neighbours with their number, and no others", async (t) => {
  const { gate, session } = await startConfigured(t);
  const form = changeForm(OWNER.password, OWNER.password);
  const change = (from: string) => gate.send("/account/password", { session, form, from });
  for (let n = 1; n <= 3; n += 1) await change("127.0.0.1");
  await change("127.0.0.2");
  await gate.signIn();
  await change("127.0.0.2");
  const { body } = await gate.send(HISTORY, { session });
  const changed = en.events.password_change("owner");
  assert.deepEqual(activityOf(body), [changed, "owner signed in", changed, changed, CREATED]);
  const counts = [
    ...body.matchAll(/<bdi dir="ltr">([^<]*)<\/bdi> <span class="chip">(×\d+)<\/span>/g),
  ];
  assert.deepEqual(
    counts.map(([, text, count]) => [text, count]),
    [[changed, "×3"]],
  );
  const entries = await gate.logEntries(7);
  const times = elements(body, "time").map(({ datetime }) => datetime);
  const newest = [6, 5, 4, 3, 0].map((index) => entries[index]?.at.toISOString());
  assert.deepEqual(times, newest, "with the time of the newest of them");
});

test("marks the alarming entries, and no others", async (t) => {
  const { gate, session } = await startConfigured(t);
  const log = "latchkey_log (at, type, summary, author, user_id)";
  const { user_id: ownId } = partsOf(session).claims;
  const types = ["signin", "code_rejected", "password_change", "code_rejected"];
  await gate.logEntries(1);
  for (const [at, type] of types.entries()) {
    const values = `SELECT ${at}, '${type}', '', 'system', '${ownId}' FROM numbers`;
    insertMany(gate.databaseFile, 1, 1, `INSERT INTO ${log} ${values}`);
  }
  const { body } = await gate.send(HISTORY, { session });
  const marked = [
    ...body.matchAll(/<li class="alarming"><span><svg.*?<\/svg> <bdi dir="ltr">([^<]*)<\/bdi>/g),
  ];
  const rejected = en.events.code_rejected("");
  assert.deepEqual(
    marked.map(([, text]) => text),
    [rejected, rejected],
  );
});

test("shows 50 entries on a page, and leads to the older ones", async (t) => {
  const { gate, session } = await startConfigured(t);
  await gate.logEntries(1);
  const { user_id: ownId } = partsOf(session).claims;
  const log = "latchkey_log (at, type, summary, author, user_id, subject)";
  const entryOf = (id: unknown) => `SELECT n, 'signin', '', 'cli', '${id}', n FROM numbers`;
  insertMany(gate.databaseFile, 0, 119, `INSERT INTO ${log} ${entryOf(ownId)}`);
  insertMany(gate.databaseFile, 200, 300, `INSERT INTO ${log} ${entryOf("another")}`);
  const first = (await gate.send(HISTORY, { session })).body;
  const pages = [first];
  for (let next = linksIn(first).next; next !== undefined; ) {
    const { body } = await gate.send(next, { session });
    pages.push(body);
    next = linksIn(body).next;
  }
  assert.equal(linksIn(first).prev, undefined);
  const texts = pages.map(activityOf);
  assert.deepEqual(
    texts.map(({ length }) => length),
    [50, 50, 21],
  );
  const newestFirst = Array.from({ length: 120 }, (_, i) => en.events.signin(`${119 - i}`));
  assert.deepEqual(texts.flat(), [...newestFirst, CREATED]);
  for (const before of ["", "x", "0", "-1", "1.5", "1e99", "9007199254740993", "%00"]) {
    const { status, body } = await gate.send(`${HISTORY}?before=${before}`, { session });
    assert.deepEqual([status, activityOf(body)], [200, texts[0]], `before=${before}`);
  }
  const end = (await gate.send(`${HISTORY}?before=1`, { session })).body;
  assert.deepEqual([activityOf(end), linksIn(end).next], [[], undefined]);
});

test("each page of older entries leads back to the newest ones", async (t) => {
  const { gate, session } = await startConfigured(t);
  for (const before of ["1", "1000"]) {
    const { body } = await gate.send(`${HISTORY}?before=${before}`, { session });
    assert.equal(linksIn(body).prev, HISTORY, before);
  }
});

test("shows users their own entries only, also after a rename", async (t) => {
  const { gate, session } = await startConfigured(t);
  const env = { DATA_DIR: gate.dataDir };
  const input = "a good password";
  const run = (...args: readonly string[]) => outputOf(["user", ...args], { env, input });
  const activityIn = async (signedIn = ""): Promise<readonly string[]> =>
    activityOf((await gate.send(HISTORY, { session: signedIn })).body);

  await run("add", "guest", "--password-stdin");
  const guest = await gate.signIn({ username: "guest", password: input });
  const own = ["guest signed in", "Account guest was added"];
  assert.deepEqual(await activityIn(guest.session), own);
  assert.deepEqual(await activityIn(session), [CREATED]);

  await run("rename", "guest", "visitor");
  assert.deepEqual((await activityIn(guest.session)).slice(1), own);
  await run("forget-name", "guest");
  await run("add", "guest", "--password-stdin");
  const namesake = await gate.signIn({ username: "guest", password: input });
  assert.deepEqual(await activityIn(namesake.session), own);
  await run("remove", "guest", "--yes");
  await run("forget-name", "guest");
  await run("add", "guest", "--password-stdin");
  const recreated = await gate.signIn({ username: "guest", password: input });
  assert.deepEqual(await activityIn(recreated.session), own);
});
