import assert from "node:assert/strict";
import type { Consent, UserId } from "../../../src/db/records.ts";
import { addApp, grantOf, tokenOf } from "./app-samples.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, UNKNOWN } from "./samples.ts";

const consentOf = (userId: UserId, appId: string, fields: Partial<Consent> = {}): Consent => ({
  ...{ id: `${appId}/${userId}`, userId, appId, scopes: "openid", createdAt: at(0) },
  ...fields,
});

/** What people have agreed to for an app. */
export function testConsents(rule: Rule<With<"consents">>): void {
  rule("replaces a consent, and lists those of a person by app", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["photos", "files"]) await addApp(store, id);
    const changed = consentOf(owner.id, "photos", { scopes: "openid email", createdAt: at(1) });
    const others = [consentOf(owner.id, "files"), consentOf(guest.id, "photos")];
    for (const consent of [consentOf(owner.id, "photos"), ...others, changed]) {
      assert.equal(await store.consents.set(consent), true);
    }
    const { consents } = await connect();
    assert.deepEqual(await consents.listOf(owner.id), [others[0], changed]);
    assert.deepEqual(await consents.find("photos", owner.id), changed);
    assert.deepEqual(await consents.find("photos", guest.id), others[1]);
    assert.equal(await consents.find("files", guest.id), undefined);
  });

  rule("keeps no consent for an app or account that does not exist", async (store) => {
    const { owner } = await addTwo(store);
    assert.equal(await store.consents.set(consentOf(owner.id, "photos")), false);
    await addApp(store, "photos");
    assert.equal(await store.consents.set(consentOf(UNKNOWN, "photos")), false);
    assert.equal(await store.consents.find("photos", owner.id), undefined);
  });

  rule("ends the grants and tokens of a consent that is taken back", async (store, { race }) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["photos", "files"]) await addApp(store, id);
    const kept = [grantOf(owner.id, "b", { appId: "files" }), grantOf(guest.id, "c")];
    for (const grant of [grantOf(owner.id, "a", { offline: 1 }), ...kept]) {
      await store.grants.insert(grant, undefined);
      await store.consents.set(consentOf(grant.userId, grant.appId));
      await store.tokens.set(tokenOf(grant.id, { grantId: grant.id }));
    }
    const removed = await race(({ consents }) => consents.remove("photos", owner.id));
    assert.equal(removed.filter(Boolean).length, 1);
    assert.equal(await store.tokens.find("a"), undefined);
    for (const { id } of kept) assert.ok(await store.tokens.find(id));
    assert.deepEqual(
      (await store.grants.list({}, 9)).map(({ id }) => id),
      ["b", "c"],
    );
    assert.deepEqual(await store.consents.listOf(owner.id), [consentOf(owner.id, "files")]);
  });

  rule("ends the grants of an app that asks for no consent", async (store) => {
    const { owner } = await addTwo(store);
    await addApp(store, "photos");
    await store.grants.insert(grantOf(owner.id, "a"), undefined);
    assert.equal(await store.consents.remove("photos", owner.id), true);
    assert.equal(await store.consents.remove("photos", owner.id), false);
    assert.equal(await store.grants.findCurrent("a", at(0)), undefined);
  });

  rule("removes the consents of a removed account", async (store) => {
    const { guest } = await addTwo(store);
    await addApp(store, "photos");
    await store.consents.set(consentOf(guest.id, "photos"));
    await store.users.remove(guest.id);
    assert.deepEqual(await store.consents.listOf(guest.id), []);
  });
}
