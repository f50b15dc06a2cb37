import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import { PEOPLE_FORMS } from "../../../src/web/paths.ts";
import { valuesOf } from "../../support/database.ts";
import type { RunningGate } from "../../support/gate.ts";
import { addMember, atPeople, groupsIn, PEOPLE } from "./people/at-people.ts";

const PEOPLE_PATHS = PEOPLE_FORMS.map((name) => `${PEOPLE}/${name}`);
const OWN_PATHS = [
  ...["/account/password", "/account/sessions/end", "/account/keys/add", "/account/keys/revoke"],
  ...["begin", "confirm", "renew", "off"].map((name) => `/account/codes/${name}`),
  ...["begin", "add", "rename", "remove"].map((name) => `/account/passkeys/${name}`),
];

/** Sends forms without their last byte. Returns what sends the rest, and gets the answers. */
async function beginForms(gate: RunningGate, session: string, form: string, paths: string[]) {
  const headers = {
    ...{ Host: "auth.example.org", Accept: "text/html", Cookie: `session=${session}` },
    ...{ "Content-Type": "application/x-www-form-urlencoded", "Content-Length": form.length },
  };
  const begun = paths.map((path) =>
    request(gate.url + path, { agent: false, method: "POST", headers }),
  );
  const sent = begun.map(
    (one) => new Promise((resolve) => one.write(form.slice(0, -1), () => resolve(undefined))),
  );
  await Promise.all(sent);
  // Once the gate has answered a later client, its guards have decided over these.
  assert.equal((await gate.send("/login")).status, 200);
  return () =>
    Promise.all(
      begun.map(async (one) => {
        one.end(form.slice(-1));
        const [answer]: IncomingMessage[] = await once(one, "response");
        return [answer?.statusCode, answer?.headers.location];
      }),
    );
}

test("a form that ends after its sender was signed out, or is no administrator, changes nothing", async (t) => {
  const { gate, act, ownId } = await atPeople(t);
  const form = `user=${ownId}&groups=family&username=x&name=x&current_password=x&new_password=x`;
  const before = groupsIn(gate);
  for (const [change, fields, paths, answer] of [
    ["groups", { groups: "" }, PEOPLE_PATHS, [404, undefined]],
    ["sign-out", {}, [...PEOPLE_PATHS, ...OWN_PATHS], [303, "/login"]],
  ] as const) {
    const session = addMember(gate, change, "admins");
    const finish = await beginForms(gate, session, form, [...paths]);
    await act(change, { user: `id of ${change}`, ...fields });
    assert.deepEqual(await finish(), Array(paths.length).fill(answer));
    await act("remove", { user: `id of ${change}` });
  }
  assert.deepEqual(groupsIn(gate), before);
  const made = "SELECT count(*) FROM links UNION ALL SELECT count(*) FROM keys";
  assert.deepEqual(valuesOf(gate.databaseFile, made), [[0], [0]]);
});
