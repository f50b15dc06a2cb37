import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { addApps } from "../support/add-app.ts";
import { runCommand } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { changeForm, OWNER, startConfigured, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { elements } from "../support/markup.ts";
import { partsOf } from "../support/mint.ts";
import { addMember, atPeople } from "./people/at-people.ts";

const en = getWords("en");

const PASSWORD = "battery staple";
const NEW = { password: PASSWORD, confirm: PASSWORD } as const;

/** The page without what changes in each answer. */
const calm = (body: string): string => body.replace(/<(script|link|img)[^>]*>/g, "");

test("an invitation opens without being used, and makes one account", async (t) => {
  const { gate } = await startConfigured(t);
  const path = await linkPath(gate, "invite", "--groups", "photos,family", "--until", "2100-01-31");
  for (const method of ["GET", "HEAD", "GET"]) {
    const shown = await gate.send(path, { method });
    assert.equal(shown.status, 200);
    assert.equal(shown.headers["referrer-policy"], "no-referrer");
    assert.doesNotMatch(shown.body, new RegExp(path.slice(-43)));
  }
  const { status, location, session } = await gate.send(path, {
    form: { username: "bob", ...NEW },
  });
  assert.deepEqual([status, location], [303, "/"]);
  const me = await gate.send("/account/me", { session });
  const { user } = JSON.parse(me.body);
  assert.deepEqual(user, { id: user.id, username: "bob", groups: ["family", "photos"] });
  assert.equal((await gate.signIn({ username: "bob", password: PASSWORD })).location, "/");
  const entries = await gate.logEntries(4);
  assert.ok(entries.some(({ summary }) => summary === "Used a one-time link as bob"));
  const texts = JSON.stringify([entries, gate.serverLog]);
  assert.ok(!texts.includes(path.slice(-43)), "no log has the token");
});

test("a form with a problem is shown again, and uses nothing up", async (t) => {
  const { gate } = await startConfigured(t);
  const path = await linkPath(gate, "invite");
  const problems = [
    [{ username: "", ...NEW }, "username and password are required"],
    [{ username: "bob", password: "", confirm: "" }, "username and password are required"],
    [{ username: "bob", password: PASSWORD, confirm: "x" }, "passwords do not match"],
    [{ username: "bob", password: "seven", confirm: "seven" }, "password must be at least 8"],
    [{ username: OWNER.username, ...NEW }, "This username is taken"],
  ] as const;
  for (const [form, message] of problems) {
    const { status, body, headers } = await gate.send(path, { form });
    assert.equal(status, 422, message);
    assert.ok(body.includes(message), body);
    assert.equal(body.includes(`value="${form.username}"`), form.username !== "");
    assert.equal(headers["referrer-policy"], "no-referrer");
  }
  assert.equal((await gate.send(path, { form: { username: "bob", ...NEW } })).status, 303);
});

test("a reset sets the password, ends the sessions, and leads to the sign-in", async (t) => {
  const { gate, session } = await startConfigured(t);
  const path = await linkPath(gate, "reset", OWNER.username);
  assert.ok((await gate.send(path)).body.includes(OWNER.username));
  const reset = await gate.send(path, { form: { ...NEW, username: "other" } });
  assert.deepEqual([reset.status, reset.location, reset.session], [303, "/login", undefined]);
  assert.equal((await gate.send("/account/profile", { session })).location, "/login");
  const Cookie = reset.cookies.map((line) => line.split(";")[0]).join("; ");
  const login = await gate.send("/login", { headers: { Cookie } });
  assert.ok(login.body.includes("Your password has been changed."), login.body);
  assert.equal((await gate.signIn()).location, "/login?error=1");
  assert.equal((await gate.signIn({ password: PASSWORD })).location, "/");
});

test("a guest enters where a list names a group, without pages of the account", async (t) => {
  const { gate } = await startConfigured(t, { publicUrl: "http://localhost" });
  const path = await linkPath(gate, "guest", "owner", "--groups", "photos");
  const { session, location } = await gate.send(path, { form: {} });
  assert.equal(location, "/");
  const { user } = JSON.parse((await gate.send("/account/me", { session })).body);
  assert.match(user.username, /^owner [0-9a-f]{8}$/);
  assert.deepEqual([user.groups, user.guest], [["photos"], true]);
  const asks = [
    ["?groups=photos", 200],
    ["?groups=photos,family&users=owner", 200],
    ["?groups=family", 403],
    ["", 403],
    [`?users=${encodeURIComponent(user.username)}`, 403],
  ] as const;
  for (const [query, status] of asks) {
    assert.equal((await gate.send(`/forward-auth${query}`, { session })).status, status, query);
  }
  for (const name of ["profile", "sign-in", "devices", "access", "keys", "history"]) {
    const { status, body } = await gate.send(`/account/${name}`, { session });
    assert.equal(status, 403, name);
    assert.match(body, /<h1>No access<\/h1>/);
    assert.ok(!body.includes("/account/"), "no link to a page of the account");
  }
  assert.equal((await gate.send("/", { session })).location, "/apps");
  const launcher = await gate.send("/apps", { session });
  assert.equal(launcher.status, 200);
  assert.ok(!launcher.body.includes("/account/"), "no link to a page of the account");
  const change = changeForm("$guest$", PASSWORD);
  assert.equal((await gate.send("/account/password", { session, form: change })).status, 403);
  for (const password of ["$guest$", ""]) {
    const signedIn = await gate.signIn({ username: user.username, password });
    assert.equal(signedIn.location, "/login?error=1");
  }
});

test("shows one page for all unusable links, and limits each address", async (t) => {
  const { gate } = await startConfigured(t);
  const env = { DATA_DIR: gate.dataDir };
  const used = await linkPath(gate, "guest", "visitor", "--groups", "photos");
  await gate.send(used, { form: {} });
  const revoked = await linkPath(gate, "invite");
  const { stdout } = await runCommand(["link", "list"], { env });
  const [, id = ""] = /(\S+)\n$/.exec(stdout) ?? [];
  assert.equal((await runCommand(["link", "revoke", id], { env })).code, 0);
  assert.equal((await runCommand(["link", "revoke", id], { env })).code, 1);
  const open = await linkPath(gate, "invite");
  const unknown = await gate.send("/link/unknown");
  assert.deepEqual([unknown.status, unknown.headers["referrer-policy"]], [404, "no-referrer"]);
  assert.match(unknown.body, /Link not valid/);
  for (const path of [used, revoked, "/link/", `${open}x`, `${open}/`]) {
    const answer = await gate.send(path);
    assert.deepEqual([answer.status, calm(answer.body)], [404, calm(unknown.body)], path);
  }
  const incomplete = { form: { username: "bob" } };
  while ((await gate.send(open, incomplete)).status === 422);
  const limited = await gate.send(open, incomplete);
  assert.deepEqual([limited.status, calm(limited.body)], [404, calm(unknown.body)]);
  const refused = await gate.send(open, { form: { username: "bob", ...NEW } });
  assert.equal(refused.status, 404);
  assert.equal((await gate.send(open, { ...incomplete, from: "127.0.0.2" })).status, 422);
  assert.equal((await gate.signIn()).location, "/", "links use up no sign-in");
});

test("images of links on other sites keep no visitor from a link", async (t) => {
  const { gate } = await startConfigured(t);
  const path = await linkPath(gate, "invite");
  const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image" };
  for (let n = 0; n < 30; n += 1) await gate.send(`/link/x${n}`, { headers });
  assert.equal((await gate.send(path)).status, 200);
  assert.equal((await gate.send(path, { form: { username: "bob", ...NEW } })).status, 303);
});

test("accepts a form without origin only after the link was opened", async (t) => {
  const { gate } = await startConfigured(t);
  const path = await linkPath(gate, "invite");
  const form = { username: "bob", ...NEW };
  const Origin = "null";
  assert.equal((await gate.send(path, { form, headers: { Origin } })).status, 403);
  const { cookies } = await gate.send(path);
  assert.match(cookies.join(), /^latchkey-link=1; Path=\/link\/; HttpOnly; SameSite=Strict$/);
  const Cookie = "latchkey-link=1";
  const others = [
    { Origin: "https://other.example.test", Cookie },
    { Origin, Cookie, "Sec-Fetch-Site": "cross-site" },
  ];
  for (const headers of others)
    assert.equal((await gate.send(path, { form, headers })).status, 403);
  assert.equal((await gate.send(path, { form, headers: { Origin, Cookie } })).status, 303);
});

/** The texts of the page between the heading and the form, without markup. */
const introOf = (body: string): string =>
  (/<\/h1>(.*?)<form/s.exec(body)?.[1] ?? "")
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim();

test("an invitation says who made it on a page, the username and the apps, with icons", async (t) => {
  const { gate, session, act, open } = await atPeople(t);
  await addApps(gate, { id: "photos", name: "Photos" }, { id: "films", name: "<b>Films" });
  execute(
    gate.databaseFile,
    "INSERT INTO latchkey_app_icons (id, type, body) VALUES ('photos/light', 'image/png', '')",
  );
  const made = await act("invite", { username: "nora", groups: "" });
  const [path = ""] = /\/link\/[\w-]{43}/.exec(made.body) ?? [];
  const invitation = await open(path, { session: undefined });
  assert.equal(introOf(invitation.body), "owner invites you. Your username is nora.");
  assert.deepEqual(elements(invitation.body, "ul"), []);

  // A link of a command says no maker: the operator is no account.
  const ofCommand = await linkPath(gate, "invite", "--username", "mia", "--app", "photos,films");
  const { body } = await gate.send(ofCommand);
  const text = "Your username is mia. This link opens: Photos &lt;b&gt;Films";
  assert.equal(introOf(body), text);
  assert.ok(elements(body, "img").some(({ src }) => src === "/latchkey-icons/photos/light"));
  assert.equal((await gate.send("/latchkey-icons/photos/light")).status, 200);
  // Also after a mistake.
  const again = await gate.send(ofCommand, { form: { password: "x", confirm: "y" } });
  assert.deepEqual([again.status, introOf(again.body)], [422, text]);

  const withoutName = await gate.send(await linkPath(gate, "invite"));
  assert.equal(introOf(withoutName.body), "");
  const reset = await act("reset", { user: String(partsOf(session).claims.user_id) });
  const [resetPath = ""] = /\/link\/[\w-]{43}/.exec(reset.body) ?? [];
  const newPassword = await open(resetPath, { session: undefined });
  assert.equal(introOf(newPassword.body), "Your username is owner.");
});

test("a hostile name of the administrator who invites is escaped and shortened", async (t) => {
  const { gate, act, open } = await atPeople(t);
  const name = `<script>alert(1)</script>${"x".repeat(5_000)}`;
  const session = addMember(gate, name, "admins");
  const made = await act("invite", { username: "nora", groups: "" }, { session });
  const [path = ""] = /\/link\/[\w-]{43}/.exec(made.body) ?? [];
  const { status, body } = await open(path, { session: undefined });
  assert.equal(status, 200);
  assert.ok(body.includes("&lt;script&gt;") && !body.includes("<script>alert"));
  assert.ok(body.length < 5_000);
});

test("every form that has a shortest password says so, and the setup that it has none", async (t) => {
  const fresh = await startGate(t);
  const setup = await fresh.send("/setup");
  assert.ok(setup.body.includes(en.passwordHint) && !setup.body.includes(en.newPasswordHint));
  assert.doesNotMatch(setup.body, /minlength/);
  const { gate, session } = await startConfigured(t);
  for (const path of [
    await linkPath(gate, "invite"),
    await linkPath(gate, "reset", OWNER.username),
    "/account/sign-in",
  ]) {
    assert.ok((await gate.send(path, { session })).body.includes(en.newPasswordHint), path);
  }
});
