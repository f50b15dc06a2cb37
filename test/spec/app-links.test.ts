import assert from "node:assert/strict";
import { test } from "node:test";
import { addApps } from "../support/add-app.ts";
import { failureOf, outputOf, runCommand } from "../support/command.ts";
import { startConfigured } from "../support/gate.ts";
import { jsonLines } from "../support/json-lines.ts";
import { linkPath } from "../support/link.ts";
import { FORWARD_AUTH } from "./forward-auth-asking.ts";

const PHOTOS = {
  id: "photos",
  name: "Photos <1>",
  url: "https://photos.example.test/album?a=b",
  groups: ["family"],
};
const CAMERA = { id: "camera", url: "https://camera.example.test", groups: ["camera"] };
const SHOP = { id: "shop", url: "https://shop.other.test", groups: ["shop"] };
const LOST = { id: "lost", url: "https://lost.third.test/", groups: ["lost"] };
const NOWHERE = { id: "nowhere", groups: ["nowhere"] };

test("a link for an app names it, and leads to it after its use", async (t) => {
  const { gate } = await startConfigured(t, { ...FORWARD_AUTH, returnDomains: ["other.test"] });
  await addApps(gate, PHOTOS, CAMERA, SHOP, LOST, NOWHERE);
  for (const [apps, location] of [
    ["photos", PHOTOS.url],
    ["camera", "https://camera.example.test/"],
    ["shop", "https://shop.other.test/login/handoff?return_to=https%3A%2F%2Fshop.other.test%2F"],
    ["photos,camera", "/"],
    // The session does not reach the host, or there is no URL.
    ["lost", "/"],
    ["nowhere", "/"],
  ] as const) {
    const path = await linkPath(gate, "guest", "plumber", "--app", apps);
    const page = await gate.send(path);
    const shown = apps.startsWith("photos") ? "Photos &lt;1&gt;" : apps.split(",")[0];
    assert.match(page.body, /This link opens/);
    assert.ok(page.body.includes(`<bdi>${shown}</bdi>`), page.body);
    const entered = await gate.send(path, { form: {}, headers: { "X-Forwarded-Proto": "https" } });
    assert.equal(entered.location, location, apps);
    const headers = { "X-Forwarded-Host": `${apps.split(",")[0]}.example.test` };
    const asked = await gate.send("/forward-auth", { session: entered.session, headers });
    const isBelow = apps.startsWith("photos") || apps === "camera";
    assert.equal(asked.status, isBelow ? 200 : 403, "guests open what has their group");
  }
  const own = await linkPath(gate, "guest", "plumber", "--app", "photos");
  const target = "https://camera.example.test/x";
  const { location } = await gate.send(`${own}?return_to=${encodeURIComponent(target)}`, {
    form: {},
  });
  assert.equal(location, target, "a target of the request comes first");
});

test("link commands take apps, and say what the account gets", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  await addApps(gate, PHOTOS, CAMERA, { id: "open" });
  const env = { DATA_DIR: gate.dataDir, PUBLIC_URL: "https://auth.example.test" };
  const args = ["link", "invite", "--app", "photos, camera", "--app", "open", "--groups", "x"];
  const { code, stderr } = await runCommand(args, { env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /it makes an account in camera, family, x for photos, camera, open; until/);
  const [listed] = jsonLines<{ readonly apps: unknown }>(
    await outputOf(["link", "list", "--json"], { env }),
  );
  assert.deepEqual(listed?.apps, ["photos", "camera", "open"]);
  const guest = ["link", "guest", "plumber", "--app"];
  assert.match(await failureOf([...guest, "open"], { env }), /"open" requires no group/);
  assert.match(await failureOf([...guest, "none"], { env }), /there is no app "none"/);
  assert.match(await failureOf(["link", "guest", "x"], { env }, 2), /needs --groups or --app/);
});
