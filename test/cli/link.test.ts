import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, outputOf, runCommand } from "../support/command.ts";
import { jsonLines } from "../support/json-lines.ts";
import { places } from "./user/either.ts";

const PUBLIC_URL = "https://auth.example.org";
const LINK = /^https:\/\/auth\.example\.org\/link\/[\w-]{43}\n$/;
interface Listed {
  readonly id: string;
  readonly purpose: string;
  readonly expiresAt: string;
  readonly endsAt?: string;
  readonly usesLeft: number;
}

const DAY_MS = 86_400_000;

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: link commands print a link once and log it`, async (t) => {
    const place = await open(t, "owner");
    const env = { ...place.env, PUBLIC_URL };
    const make = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(["link", ...args], { env });
      assert.equal(code, 0, stderr);
      assert.match(stdout, LINK);
      return stderr;
    };
    const year = new Date().getFullYear() + 1;
    const until = `${year}-01-31`;
    const invited = await make("invite", "--username", "bob", "--groups", "b,a", "--until", until);
    const does = `latchkey: it makes an account "bob" in a, b, which ends ${until} 00:00; until `;
    assert.ok(invited.startsWith(does), invited);
    assert.match(await make("reset", "owner", "--codes-off"), /sets a password "owner" and turns/);
    const guests = ["guest", "party", "--groups", "photos", "--for", "3d", "--uses", "20"];
    assert.match(await make(...guests), /admits guests "party" in photos, 20 in all, each for 3d/);

    const listed = jsonLines<Listed>(await outputOf(["link", "list", "--json"], { env }));
    const week = Date.now() + 7 * DAY_MS;
    for (const { id, expiresAt } of listed) {
      assert.match(id, /^[0-9a-f]{16}$/);
      assert.ok(Math.abs(Date.parse(expiresAt) - week) < DAY_MS);
    }
    const shown = listed.map(({ id: _, expiresAt: __, ...link }) => link);
    const endsAt = new Date(`${until}T00:00`).toISOString();
    const party = { purpose: "guest", name: "party" };
    assert.deepEqual(
      shown.sort((one, other) => one.usesLeft - other.usesLeft || (one.endsAt ? -1 : 1)),
      [
        { purpose: "invite", name: "bob", groups: ["a", "b"], endsAt, usesLeft: 1 },
        { purpose: "reset-codes-off", name: "owner", usesLeft: 1 },
        { ...party, groups: ["photos"], guestSeconds: 259_200, usesLeft: 20 },
      ],
    );
    const rows = (await outputOf(["link", "list"], { env })).split("\n");
    const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
    for (const row of [
      `^invite           bob    a,b     ${TIME}  1   -  \\S{16}$`,
      `^reset-codes-off  owner  -       ${TIME}  1   -  \\S{16}$`,
      `^guest            party  photos  ${TIME}  20  -  \\S{16}$`,
    ]) {
      assert.ok(
        rows.some((shown) => new RegExp(row).test(shown)),
        rows.join("\n"),
      );
    }
    for (const { id } of listed) {
      assert.equal(await outputOf(["link", "revoke", id], { env }), `Revoked the link "${id}".\n`);
      const again = await failureOf(["link", "revoke", id], { env });
      assert.equal(again, `there is no link "${id}"`);
    }
    assert.equal(await outputOf(["link", "list"], { env }), "");
    const entries = await place.entries();
    const { id } = listed.find(({ purpose }) => purpose === "guest") ?? {};
    assert.ok(entries.includes(`cli link_make: Made a one-time link: ${id} guest party`));
    const revoked = `cli link_revoke: Revoked a one-time link: ${id} guest party`;
    assert.ok(entries.includes(revoked));
  });

  test(`${kind}: makes no link for a taken name, or without URL or account`, async (t) => {
    const place = await open(t, "owner");
    const env = { ...place.env, PUBLIC_URL };
    assert.match(await failureOf(["link", "invite"], { env: place.env }), /^set PUBLIC_URL to /);
    const wrong = [
      [["invite", "--username", "owner"], /^there is already a user "owner"$/, 1],
      [["reset", "nobody"], /^there is no user "nobody"$/, 1],
      [["guest", "x"], /needs --groups/],
      [["guest", "", "--groups", "a"], /needs a label/],
      [["guest", "x", "--groups", "a", "--uses", "0"], /--uses takes 1 to 9999/],
      [["invite", "--expires", "366d"], /--expires takes a time such as 12h or 7d, at most 365d/],
      [["invite", "--expires", "never"], /--expires takes/],
      [["invite", "--until", "2020-01-31"], /--until takes a date to come/],
    ] as const;
    for (const [args, message, code = 2] of wrong) {
      assert.match(await failureOf(["link", ...args], { env }, code), message);
    }
    assert.equal(await outputOf(["link", "list"], { env }), "");
    const empty = await open(t);
    const first = await failureOf(["link", "invite"], { env: { ...empty.env, PUBLIC_URL } });
    assert.match(first, /there is no account yet/);
  });
}
