import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../support/add-user.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startConfigured } from "../support/gate.ts";
import { assertNoIdentity, FORWARD_AUTH, PAGE, PUBLIC_URL, TARGET } from "./forward-auth-asking.ts";

const LISTED = "/forward-auth?users=ann,owner";

test("admits listed users, and returns 403 without an identity to others", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const guest = addUser(gate, "guest");
  const admitted = await gate.send(LISTED, { session });
  assert.deepEqual([admitted.status, admitted.headers["remote-user"]], [200, "owner"]);
  for (const path of [LISTED, `${LISTED}&deny=401`, "/forward-auth?deny=401&users="]) {
    const excluded = await gate.send(path, { session: guest });
    assert.equal(excluded.status, 403, path);
    assertNoIdentity(excluded);
    assert.notEqual(excluded.headers["x-request-id"], undefined);
  }
  execute(
    gate.databaseFile,
    "UPDATE latchkey_users SET groups = ',a,b-c,' WHERE username = 'guest'",
  );
  await eventually(async () => {
    const { status, headers } = await gate.send("/forward-auth?groups=x,b-c", { session: guest });
    return status === 200 && headers["remote-groups"] === "a,b-c" ? true : undefined;
  });
});

test("shows an excluded user a page with the app and a sign-out", async (t) => {
  const trustedOrigins = ["https://app.example.test"];
  const { gate } = await startConfigured(t, { ...FORWARD_AUTH, trustedOrigins });
  const session = addUser(gate, "<guest>");
  const { status, headers, body } = await gate.send(LISTED, { session, headers: PAGE });
  assert.equal(status, 403);
  const named = (text: string): string => `<strong><bdi>${text}</bdi></strong>`;
  const app = named("app.example.test");
  assert.ok(body.includes(`${named("&lt;guest&gt;")} may not open ${app}. Ask the person`), body);
  assert.match(body, /<h1>No access<\/h1>/);
  assert.ok(body.includes(`<a class="button" href="${PUBLIC_URL}/apps">Your apps</a>`), body);
  assert.match(body, /<button type="submit" class="quiet">Use another account</);
  // The browser shows the page under the host name of the app.
  assert.ok(body.includes(`<form method="post" action="${PUBLIC_URL}/logout">`), body);
  const urls = [...body.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url = ""]) => url);
  assert.ok(urls.length >= 3);
  for (const url of urls) assert.ok(url.startsWith(`${PUBLIC_URL}/`), url);
  const policy = String(headers["content-security-policy"]);
  for (const kind of ["style-src", "script-src", "img-src"]) {
    assert.ok(policy.includes(`${kind} 'self' ${PUBLIC_URL};`), policy);
  }
  assert.equal(headers["remote-user"], undefined);
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["referrer-policy"], "strict-origin");
  const { "X-Forwarded-Host": _host, ...nameless } = PAGE;
  const unknown = await gate.send(LISTED, { session, headers: nameless });
  assert.match(unknown.body, /may not open this app\. Ask the person who runs /);
});

for (const [what, settings, headers, query] of [
  ["the sign-out is refused to the app", {}, PAGE, `?return_to=${TARGET}`],
  ["the app is unknown", { trustedProxies: [] }, PAGE, ""],
] as const) {
  test(`leads an excluded user to the sign-in, where ${what}`, async (t) => {
    const { gate } = await startConfigured(t, { ...FORWARD_AUTH, ...settings });
    const { body } = await gate.send(LISTED, { session: addUser(gate, "guest"), headers });
    assert.ok(body.includes(`<a class="button quiet" href="${PUBLIC_URL}/login${query}">`), body);
    assert.doesNotMatch(body, /<form/);
  });
}

for (const [what, settings] of [
  ["without a public URL", { publicUrl: undefined }],
  ["on the host of the gate", { publicUrl: "https://app.example.test" }],
] as const) {
  test(`shows an excluded user the sign-out ${what}`, async (t) => {
    const { gate } = await startConfigured(t, { ...FORWARD_AUTH, ...settings });
    const { body } = await gate.send(LISTED, { session: addUser(gate, "guest"), headers: PAGE });
    const action = `${settings.publicUrl ?? ""}/logout`;
    assert.ok(body.includes(`<form method="post" action="${action}">`), body);
  });
}
