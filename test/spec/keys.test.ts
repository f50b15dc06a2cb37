import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startConfigured } from "../support/gate.ts";
import { elements } from "../support/markup.ts";

const ADD = "/account/keys/add";
const REVOKE = "/account/keys/revoke";
const textIn = (body: string): string =>
  /<code dir="ltr">(latchkey_[^<]+)<\/code>/.exec(body)?.[1] ?? "";

test("makes a key, shows it once, lists it and revokes it", async (t) => {
  const { gate, session } = await startConfigured(t, { publicUrl: "http://localhost" });
  const page = async () => (await gate.send("/account/keys", { session })).body;
  assert.ok(!(await page()).includes(`action="${REVOKE}"`), "none yet");
  const form = { name: "feeds <b>", hosts: "feeds.example.org, b.example.org", days: "90" };
  const made = await gate.send(ADD, { session, form });
  const key = textIn(made.body);
  assert.deepEqual([made.status, made.headers["cache-control"]], [200, "no-store"]);
  assert.match(key, /^latchkey_/);
  const listed = await page();
  assert.equal(textIn(listed), "");
  const chips =
    '<span class="chip">feeds.example.org</span> <span class="chip">b.example.org</span>';
  assert.ok(listed.includes(`<b><bdi>feeds &lt;b&gt;</bdi></b> ${chips}<br>`), listed);
  const open = (Host: string) =>
    gate.send("/forward-auth", { headers: { Host, Authorization: `Bearer ${key}` } });
  assert.equal((await open("b.example.org")).headers["remote-user"], "owner");
  assert.equal((await open("c.example.org")).status, 401);
  const used = await eventually(async () => {
    const body = await page();
    return body.includes("last used") ? body : undefined;
  });
  const id = /name="key" value="([^"]+)"/.exec(used)?.[1] ?? "";
  const revoked = await gate.send(REVOKE, { session, form: { key: id } });
  assert.deepEqual([revoked.status, revoked.location], [303, "/account/keys"]);
  assert.match(String(revoked.cookies), /^latchkey-notice=keyIsRevoked;/);
  assert.equal((await open("b.example.org")).status, 401, "at once");
  assert.ok(!(await page()).includes(id));
  const history = (await gate.send("/account/history", { session })).body;
  assert.match(history, /owner revoked a key for programs/);
});

test("a key ends after the chosen days, after a year, or never", async (t) => {
  const { gate, session } = await startConfigured(t);
  for (const days of ["30", "90", "365", "7", "never"]) {
    await gate.send(ADD, { session, form: { name: `for ${days}`, hosts: "", days } });
  }
  const { body } = await gate.send("/account/keys", { session });
  const shown = [...body.matchAll(/<bdi>for (\w+)<\/bdi>.*?<\/time>(.*?)<\/small>/g)];
  const left = shown.map(([, days, end = ""]) => {
    const ms = Date.parse(elements(end, "time")[0]?.datetime ?? "") - Date.now();
    return [days, Math.round(ms / 86_400_000)];
  });
  const never = ["never", Number.NaN];
  assert.deepEqual(left.toSorted(), [["30", 30], ["365", 365], ["7", 365], ["90", 90], never]);
});

test("says what is wrong with a new key, at its field", async (t) => {
  const { gate, session } = await startConfigured(t);
  for (const [form, field, message] of [
    [{ name: "", hosts: "" }, "name", "all fields are required"],
    [{ name: "a", hosts: "," }, "hosts", "Enter host names"],
  ] as const) {
    const { status, body } = await gate.send(ADD, { session, form });
    assert.equal(status, 422);
    assert.ok(body.includes(message), message);
    const wrong = elements(body, "input").filter((input) => input["aria-invalid"] === "true");
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [field],
    );
  }
});

test("shows a new key without reading the log, since it is shown once", async (t) => {
  const { gate, session } = await startConfigured(t);
  execute(gate.databaseFile, "ALTER TABLE latchkey_log RENAME TO hidden");
  const { status, body } = await gate.send(ADD, { session, form: { name: "feeds", hosts: "" } });
  assert.equal(status, 200);
  assert.match(textIn(body), /^latchkey_/);
});
