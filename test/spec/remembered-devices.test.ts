import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { elements } from "../support/markup.ts";
import { codeShown, turnCodesOn } from "../support/one-time-codes.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();
const en = getWords("en");
const FAILED = "/login?error=1";

type Settings = Parameters<typeof startGate>[1];

/** A gate whose account has codes on, and the device that it has remembered. */
async function remembered(t: TestContext, settings: Settings = {}, headers = {}) {
  const { gate, session } = await startConfigured(t, settings);
  const { key } = await turnCodesOn(gate, session);
  const code = codeShown(key, 1);
  const signedIn = await gate.signIn({ code, remember_device: "1" }, { headers });
  assert.equal(signedIn.location, "/");
  const [line = ""] = signedIn.cookies.filter((one) => one.startsWith("latchkey-device="));
  return { gate, session, line, cookie: line.split(";")[0] ?? "" };
}

const signInOn = (
  gate: RunningGate,
  cookie: string,
  fields: Readonly<Record<string, string>> = {},
) => gate.signIn(fields, { headers: { Cookie: cookie } });

const buttons = ({ body }: { readonly body: string }, name: string) =>
  elements(body, "button").filter((one) => one.name === name);

const offersToRemember = async (gate: RunningGate): Promise<boolean> =>
  elements((await gate.send("/login")).body, "input").some(
    ({ name }) => name === "remember_device",
  );

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: a remembered device needs no code until the user ends that`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate, session, line, cookie } = await remembered(t, { databaseUrl });
    const attributes = "Path=/login; HttpOnly; SameSite=Lax; Max-Age=2592000";
    assert.match(line, new RegExp(`^latchkey-device=[\\w-]{43}; ${attributes}$`));
    const other = await startGate(t, { databaseUrl, dataDir: gate.dataDir });
    assert.equal((await gate.signIn()).location, FAILED);
    for (const one of [gate, other]) assert.equal((await signInOn(one, cookie)).location, "/");
    const wrong = await signInOn(other, cookie, { password: "wrong" });
    assert.deepEqual([wrong.status, wrong.location, wrong.cookies], [303, FAILED, []]);
    const admitted = await gate.send("/account/devices", { headers: { Cookie: cookie } });
    assert.equal(admitted.location, "/login", "the cookie alone signs nobody in");

    const devices = await gate.send("/account/devices", { session });
    assert.ok(devices.body.includes(en.rememberedDevices));
    const [{ value = "" } = {}] = buttons(devices, "device");
    const ended = await gate.send("/account/sessions/end", { session, form: { device: value } });
    assert.match(String(ended.cookies), /^latchkey-notice=deviceIsForgotten;/);
    assert.deepEqual([ended.status, ended.location], [303, "/account/devices"]);
    assert.deepEqual(buttons(await gate.send("/account/devices", { session }), "device"), []);
    assert.equal((await signInOn(other, cookie)).location, FAILED);
  });

  test(`${kind}: no session of a remembered device survives an end of all`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate, session, cookie } = await remembered(t, { databaseUrl });
    const other = await startGate(t, { databaseUrl, dataDir: gate.dataDir });
    const [begun] = await Promise.all([
      Promise.all([1, 2, 3].map(() => signInOn(other, cookie))),
      gate.send("/account/sessions/end", { session, form: { session: "others" } }),
    ]);
    assert.equal((await signInOn(other, cookie)).location, FAILED);
    for (const { session: one } of begun) {
      if (one === undefined) continue;
      await eventually(
        async () => (await other.send("/account/devices", { session: one })).status !== 200,
      );
    }
  });
}

test("REMEMBER_DEVICE=off removes the box, and asks remembered devices for a code", async (t) => {
  const { gate, cookie } = await remembered(t);
  assert.equal(await offersToRemember(gate), true);
  const off = await startGate(t, { dataDir: gate.dataDir, rememberDevice: false });
  assert.equal(await offersToRemember(off), false);
  assert.equal((await signInOn(off, cookie)).location, FAILED);
  assert.equal((await signInOn(gate, cookie)).location, "/");
});

test("without codes there is no box, and the field changes nothing", async (t) => {
  const { gate } = await startConfigured(t);
  assert.equal(await offersToRemember(gate), false);
  const { location, cookies } = await gate.signIn({ remember_device: "1" });
  assert.deepEqual([location, cookies.length], ["/", 1]);
});

test("the cookie of a device is only sent over HTTPS if it came that way", async (t) => {
  const { line } = await remembered(t, {}, { "X-Forwarded-Proto": "https" });
  assert.match(line, /; Secure$/);
});
