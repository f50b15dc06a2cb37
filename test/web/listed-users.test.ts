import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listsUser } from "../../src/web/listed-users.ts";

const admits = (query: string, username: string): boolean =>
  listsUser(`http://127.0.0.1:3000/forward-auth${query}`, username);

test("without a list, every user is admitted", () => {
  for (const query of ["", "?", "?deny=401", "?user=other", "?xusers=other", "#?x"]) {
    assert.ok(admits(query, "owner"), query);
  }
});

test("a list admits the users that it names, and no others", () => {
  const name = "a,b&c=d+e f%";
  const encoded = encodeURIComponent(name);
  const admitting = ["?users=owner", "?users=ann,owner", "?deny=401&users=owner,ann&x=1"];
  for (const query of admitting) assert.ok(admits(query, "owner"), query);
  for (const query of [
    "?users=",
    "?users=,",
    "?users=Owner",
    "?users=owner%20",
    "?users=own",
    "?users=%ZZ",
    "?users=%2Cowner",
    "?users=owner%2Cann",
  ]) {
    assert.ok(!admits(query, "owner"), query);
  }
  assert.ok(admits(`?users=x,${encoded}`, name));
  assert.ok(admits("?users=J%C3%BCrgen", "Jürgen"));
  assert.ok(admits("?users=a+b", "a+b"));
  assert.ok(!admits(`?users=${encoded}`, "a"));
  assert.ok(!admits("?users=%", "%"));
});

test("a further list only excludes users", () => {
  assert.ok(!admits("?users=ann&users=owner", "owner"));
  assert.ok(!admits("?users=owner&users=ann", "owner"));
  assert.ok(admits("?users=owner&users=ann,owner", "owner"));
});

test("every username can be listed", () => {
  const names = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1 });
  fc.assert(
    fc.property(names, fc.string({ unit: "grapheme", minLength: 1 }), (listed, other) => {
      const query = `?users=${listed.map(encodeURIComponent).join(",")}`;
      return (
        listed.every((name) => admits(query, name)) &&
        admits(query, other) === listed.includes(other)
      );
    }),
  );
});
