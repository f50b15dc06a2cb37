import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { startLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const PRINTED = /(http:\/\/localhost:\d+)\/\n\n {2}Username {2}(\S+)\n {2}Password {2}(\S+)\n/;

const PROTECTIVE = ["content-security-policy", "x-content-type-options", "referrer-policy"];

test("guards a sample app with the account that it prints, until a signal", async (t) => {
  const demo = startLatchkey(t, ["demo"]);
  const [, url = "", username = "", password = ""] = await demo.shows(PRINTED);
  const guarded = await send(`${url}/`);
  assert.deepEqual([guarded.status, guarded.location], [303, "/login"]);
  const wrong = await send(`${url}/login`, { form: { username, password: "wrong" } });
  assert.equal(wrong.location, "/login?error=1");
  const { location, session } = await send(`${url}/login`, { form: { username, password } });
  assert.equal(location, "/");
  const app = await send(`${url}/?a=b`, { session });
  assert.match(app.body, /Hello, demo/);
  const people = await send(`${url}/account/people`, { session });
  for (const name of PROTECTIVE) assert.equal(app.headers[name] ?? "", people.headers[name], name);
  assert.match((await send(`${url}/account`, { session })).body, /demo signed in/);
  assert.equal((await send(`${url}/other`, { session })).status, 404);
  const { id: user } = JSON.parse((await send(`${url}/account/me`, { session })).body).user;
  const form = { user, username: "<i>&" };
  await send(`${url}/account/people/rename`, { session, form });
  assert.match((await send(`${url}/`, { session })).body, /Hello, &#60;i>&#38;</);
  assert.equal((await send(`${url}/login`, { headers: { Host: "evil.example" } })).status, 421);
  demo.child.kill("SIGTERM");
  assert.equal((await demo.ended).code, 0);
  await assert.rejects(send(`${url}/`));
});

test("ends at Ctrl-C and leaves no file", async (t) => {
  const folder = await tempDir(t);
  const env = { TMPDIR: folder, HOME: folder, DATA_DIR: folder };
  const demo = startLatchkey(t, ["demo"], env, folder);
  await demo.shows(PRINTED);
  demo.child.kill("SIGINT");
  const { code, signal, stderr } = await demo.ended;
  assert.deepEqual([code, signal, stderr], [0, null, ""]);
  assert.deepEqual(await readdir(folder), []);
});
