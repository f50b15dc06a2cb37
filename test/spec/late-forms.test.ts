import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { PEOPLE_FORMS } from "../../src/http/paths.ts";
import { valuesOf } from "../support/database.ts";
import type { RunningGate } from "../support/gate.ts";
import { formRequest, openSocket } from "../support/raw.ts";
import { addMember, atPeople, groupsIn, PEOPLE } from "./people/at-people.ts";

const PEOPLE_PATHS = PEOPLE_FORMS.map((name) => `${PEOPLE}/${name}`);
const OWN_PATHS = [
  ...["/account/password", "/account/sessions/end", "/account/keys/add", "/account/keys/revoke"],
  ...["begin", "confirm", "renew", "off"].map((name) => `/account/codes/${name}`),
  ...["begin", "add", "rename", "remove"].map((name) => `/account/passkeys/${name}`),
];

const FORM = "user=x&groups=family&username=x&name=x&current_password=x&new_password=x";

/** Sends forms without their last byte. Returns what sends the rest, and reads the answers. */
async function beginForms(t: TestContext, gate: RunningGate, session: string, paths: string[]) {
  const headers = [`Content-Length: ${FORM.length}`, `Cookie: session=${session}`];
  const begun = paths.map(async (path) => {
    const socket = await openSocket(t, gate.url);
    const form = formRequest(path, FORM.slice(0, -1), "Connection: close", ...headers);
    await new Promise((resolve) => socket.write(form, resolve));
    return socket;
  });
  const sockets = await Promise.all(begun);
  // Once the gate has answered a later client, its guards have decided over these.
  assert.equal((await gate.send("/login")).status, 200);
  const finish = async (socket: Socket): Promise<readonly (string | undefined)[]> => {
    socket.write(FORM.slice(-1));
    const answer = Buffer.concat(await socket.toArray()).toString();
    return [/ (\d+) /.exec(answer)?.[1], /^Location: (\S+)/m.exec(answer)?.[1]];
  };
  return () => Promise.all(sockets.map(finish));
}

test("a late form of one who was signed out or demoted changes nothing", async (t) => {
  const { gate, act } = await atPeople(t);
  const before = groupsIn(gate);
  for (const [change, fields, paths, answer] of [
    ["groups", { groups: "" }, PEOPLE_PATHS, ["404", undefined]],
    ["sign-out", {}, [...PEOPLE_PATHS, ...OWN_PATHS], ["303", "/login"]],
  ] as const) {
    const session = addMember(gate, change, "admins");
    const finish = await beginForms(t, gate, session, [...paths]);
    await act(change, { user: `id of ${change}`, ...fields });
    assert.deepEqual(await finish(), Array(paths.length).fill(answer));
    await act("remove", { user: `id of ${change}` });
  }
  assert.deepEqual(groupsIn(gate), before);
  const made = "SELECT count(*) FROM latchkey_links UNION ALL SELECT count(*) FROM latchkey_keys";
  assert.deepEqual(valuesOf(gate.databaseFile, made), [[0], [0]]);
});
