import assert from "node:assert/strict";
import { test } from "node:test";
import { findRelyingParty } from "../../../src/features/passkeys/relying-party.ts";

const ANY = { allowed: ["*"], publicUrl: undefined, cookieDomain: undefined } as const;

test("is the host of the public URL, whatever the request says", () => {
  const rule = { ...ANY, publicUrl: "https://auth.example.org:8443" };
  for (const host of ["auth.example.org:8443", "evil.example", "127.0.0.1", ""]) {
    assert.deepEqual(findRelyingParty(rule, host), {
      id: "auth.example.org",
      origins: ["https://auth.example.org:8443"],
    });
  }
});

test("without a public URL is the host of the request: over HTTPS, or on the same machine", () => {
  const party = findRelyingParty(ANY, "Auth.example.org");
  assert.deepEqual(party, { id: "auth.example.org", origins: ["https://auth.example.org"] });
  for (const host of ["localhost:3000", "app.localhost"]) {
    const [id, origins] = [host.replace(/:\d+$/, ""), [`https://${host}`, `http://${host}`]];
    assert.deepEqual(findRelyingParty(ANY, host), { id, origins });
  }
  assert.equal(findRelyingParty(ANY, "10.0.0.1.example.org")?.id, "10.0.0.1.example.org");
});

test("counts a host only if it is allowed", () => {
  const rule = { ...ANY, allowed: ["auth.example.org"] };
  assert.equal(findRelyingParty(rule, "auth.example.org:443")?.id, "auth.example.org");
  assert.equal(findRelyingParty(rule, "evil.example"), undefined);
});

test("does not exist where browsers have no passkeys, or without a valid host", () => {
  const addresses = ["127.0.0.1:3000", "192.0.2.1", "203.0.113.100", "[::1]:3000"];
  for (const host of [...addresses, "", "a b", "a/b", "a@b", "a\\b", "a;b"]) {
    assert.equal(findRelyingParty(ANY, host), undefined, host);
  }
  for (const publicUrl of ["http://auth.example.org", "https://192.0.2.1"]) {
    assert.equal(findRelyingParty({ ...ANY, publicUrl }, "localhost"), undefined, publicUrl);
  }
  assert.ok(findRelyingParty({ ...ANY, publicUrl: "http://localhost:3000" }, "x"));
});
