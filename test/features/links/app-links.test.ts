import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { App } from "../../../src/db/records.ts";
import { makeLink, type WantedLink } from "../../../src/features/links/make-link.ts";
import { findLink, useLink } from "../../../src/features/links/use-link.ts";
import { createAccountServices } from "../people/account-services.ts";

const CLIENT = { remoteAddress: "192.0.2.1" };
const EMPTY = { username: "", password: "", confirm: "" };

/** An owner, and an app of each kind. */
async function scene(t: TestContext) {
  const ports = await createAccountServices(t, "owner");
  const apps: readonly Omit<App, "name" | "createdAt">[] = [
    { id: "photos", groups: ["family", "friends"] },
    { id: "camera", groups: ["camera"] },
    { id: "mixed", groups: ["admins", "staff"] },
    { id: "console", groups: ["admins"] },
    { id: "open" },
    { id: "bank", groups: ["family"], factors: 2 },
  ];
  for (const app of apps)
    await ports.store.apps.insert({ name: `The ${app.id}`, createdAt: new Date(0), ...app });
  const expiresAt = new Date(ports.clock.now() + 60_000);
  const make = (wanted: Omit<WantedLink, "usesLeft" | "expiresAt">) =>
    makeLink(ports, { usesLeft: 2, expiresAt, ...wanted });
  return { ports, make };
}

const guest = { purpose: "guest", name: "plumber" } as const;
const invite = { purpose: "invite" } as const;

test("a link gives the first group of each app that its groups do not open", async (t) => {
  const { make } = await scene(t);
  for (const [wanted, groups] of [
    [{ ...guest, apps: ["photos"] }, ["family"]],
    [{ ...guest, apps: ["photos", "camera", "photos"] }, ["camera", "family"]],
    [{ ...guest, apps: ["photos"], groups: ["friends"] }, ["friends"]],
    [{ ...guest, apps: ["mixed"] }, ["staff"]],
    [{ ...invite, apps: ["open"] }, undefined],
    [{ ...invite, apps: ["open", "bank"], groups: ["x"] }, ["family", "x"]],
    [{ ...invite, apps: ["console"], groups: ["admins"] }, ["admins"]],
    [{ ...invite, apps: [] }, undefined],
  ] as const) {
    const made = await make(wanted);
    assert.ok(made.kind === "made", JSON.stringify(wanted));
    assert.deepEqual(made.link.groups, groups, JSON.stringify(wanted));
    const apps = [...new Set<string>(wanted.apps)];
    assert.deepEqual(made.link.apps, apps.length > 0 ? apps : undefined);
  }
});

test("makes no link for an app that its account could not open", async (t) => {
  const { ports, make } = await scene(t);
  for (const [wanted, kind, app] of [
    [{ ...guest, apps: ["photos", "none"] }, "app-unknown", "none"],
    [{ ...invite, apps: ["Photos"] }, "app-unknown", "Photos"],
    [{ ...guest, apps: ["open"] }, "app-without-groups", "open"],
    [{ ...guest, apps: ["open"], groups: ["family"] }, "app-without-groups", "open"],
    [{ ...guest, apps: ["bank"] }, "app-needs-factor", "bank"],
    [{ ...invite, apps: ["console"] }, "app-for-admins", "console"],
    [{ ...guest, apps: ["console"] }, "app-for-admins", "console"],
  ] as const) {
    assert.deepEqual(await make(wanted), { kind, app });
  }
  const userId = await ports.idOf("owner");
  await assert.rejects(make({ purpose: "reset", userId, apps: ["photos"] }), {
    code: "invalid_option",
  });
  assert.deepEqual(ports.recorded, []);
});

test("the account of a link gets its groups, and continues at the only app of the link", async (t) => {
  const { ports, make } = await scene(t);
  const enter = async (apps: readonly string[]) => {
    const made = await make({ ...guest, apps });
    assert.ok(made.kind === "made");
    const entered = await useLink(ports, made.token, EMPTY, CLIENT);
    assert.ok(entered.kind === "entered");
    return { entered, token: made.token };
  };
  const one = await enter(["photos"]);
  assert.deepEqual(one.entered.user.groups, ["family"]);
  assert.equal(one.entered.app?.id, "photos");
  const two = await enter(["photos", "camera"]);
  assert.deepEqual(two.entered.user.groups, ["camera", "family"]);
  assert.equal(two.entered.app, undefined);
  await ports.store.apps.remove("camera");
  const open = await findLink(ports, two.token);
  assert.deepEqual(
    open?.apps.map(({ name }) => name),
    ["The photos"],
  );
  const later = await useLink(ports, two.token, EMPTY, CLIENT);
  assert.ok(later.kind === "entered" && later.app === undefined, "the link named two");
});
