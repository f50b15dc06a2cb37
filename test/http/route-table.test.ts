import assert from "node:assert/strict";
import { test } from "node:test";
import type { Services } from "../../src/features/context.ts";
import { APP_FORMS, PEOPLE_FORMS, pathsUnder } from "../../src/http/paths.ts";
import { NO_GATE } from "../../src/options.ts";
import { createRouteTable, listRoutes, type Route, type UserChecks } from "../../src/routes.ts";
import { settleOptions } from "../../src/settle-options.ts";
import { optionsWith } from "../support/options.ts";

const paths = pathsUnder("", undefined, true);
const settled = settleOptions(optionsWith({ people: true, guards: { keys: true } }));
const options = { ...settled, ...NO_GATE, standalone: true, returnDomains: ["other.test"] };
const rules = { assertions: { keys: [] } };
const routes = listRoutes({ options, paths, rules } as unknown as Services, new Map());
const named = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;

const WITH_API = settleOptions(
  optionsWith({
    api: true,
    hosts: { publicUrl: "https://home.example.org" },
    mail: { url: "smtp://localhost", from: "home@example.org" },
    signIn: { signUp: { mode: "open" } },
  }),
);

const apiRoutes = listRoutes(
  { options: { ...options, ...WITH_API }, paths, rules } as unknown as Services,
  new Map(),
).filter(({ path }) => path.startsWith("/api/"));

const isUserRoute = (route: Route): route is Route & UserChecks =>
  route.access !== "public" && route.access !== "proxy";

test("clients without a session can use these routes alone", () => {
  const open = routes.filter(({ access }) => access === "public" || access === "proxy").map(named);
  assert.deepEqual(open.sort(), [
    "GET /.well-known/change-password",
    "GET /.well-known/latchkey.json",
    "GET /account/me",
    "GET /forward-auth",
    "GET /healthz",
    "GET /latchkey-icons/",
    "GET /link/:token",
    "GET /login",
    "GET /login/handoff",
    "GET /readyz",
    "GET /setup",
    "POST /link/:token",
    "POST /login",
    "POST /login/handoff",
    "POST /login/passkey",
    "POST /logout",
    "POST /setup",
    "any /forward-auth/",
  ]);
});

test("own forms have paths with the option alone, and the checks of the pages", () => {
  assert.ok(routes.every(({ path }) => !path.startsWith("/api/")));
  const checks = apiRoutes.map((route) => [named(route), route.access]);
  assert.deepEqual(checks, [
    ["POST /api/sign-in", "public"],
    ["POST /api/sign-out", "public"],
    ["POST /api/password", "user"],
    ["POST /api/sign-up", "public"],
    ["GET /api/session", "public"],
  ]);
  for (const route of apiRoutes) {
    assert.ok(route.access !== "proxy" && route.json !== undefined, "answers JSON");
    assert.deepEqual([route.origin, route.host], [undefined, undefined]);
    if (route.method === "POST") assert.ok(route.form === "after-setup" || route.form === "read");
  }
});

test("every form of a user is read, and those that change how to sign in need a recent sign-in", () => {
  const forms = routes.filter((route) => route.method === "POST").filter(isUserRoute);
  assert.ok(forms.length >= 12 + PEOPLE_FORMS.length + APP_FORMS.length);
  const uploads = forms.filter(({ form }) => form !== "read");
  assert.deepEqual(uploads.map(named), ["POST /account/apps/icon"]);
  assert.deepEqual(
    uploads.map(({ form, access, recent }) => [form, access, recent]),
    [["upload", "admin", "apps"]],
  );
  const others = forms.filter(({ recent }) => recent === undefined);
  // The password form asks for the password. One form only puts a suggestion off, and the others
  // complete what a recent sign-in began.
  assert.deepEqual(others.map(named).sort(), [
    "POST /account/codes/confirm",
    "POST /account/passkeys/add",
    "POST /account/passkeys/later",
    "POST /account/password",
    // Only a changed address needs one: `test/spec/profile.test.ts`.
    "POST /account/profile",
    "POST /account/sessions/end",
  ]);
});

test("only administrators can use what is below /account/people", () => {
  const below = routes.filter(({ path }) => path.startsWith("/account/people"));
  assert.deepEqual([...new Set(below.map(({ access }) => access))], ["admin"]);
  // An account can have the name of a form as its ID, and then has a page.
  const gets = below.filter(({ method }) => method === "GET");
  assert.equal(gets.length, 2 + PEOPLE_FORMS.length);
  assert.equal(below.length, gets.length + PEOPLE_FORMS.length);
});

test("only administrators can use what is below /account/apps, but for taking access back", () => {
  const oidc = () => Promise.reject(new Error("not loaded"));
  const publicUrl = "https://auth.example.org";
  const withOidc = { ...options, oidc, hosts: { ...options.hosts, publicUrl } };
  const services = { options: withOidc, paths, rules, oidc } as unknown as Services;
  const all = listRoutes(services, new Map());
  const below = all.filter(({ path }) => path.startsWith("/account/apps"));
  const others = below.filter(({ access }) => access !== "admin");
  assert.deepEqual(others.map(named), ["POST /account/apps/revoke"]);
  assert.deepEqual(
    others.map(({ access }) => access),
    ["user"],
  );
  // An app can have the name of a form as its ID, and then has a page.
  const gets = below.filter(({ method }) => method === "GET");
  assert.equal(gets.length, 3 + APP_FORMS.length + 1);
  assert.equal(below.length, gets.length + APP_FORMS.length + 1);
});

test("no method of a path has two routes, and other methods have none", () => {
  assert.equal(new Set(routes.map(named)).size, routes.length);
  const table = createRouteTable(paths, routes);
  const find = (path: string, method: string) => table.find(path)?.find(method);
  assert.equal(find("/login", "HEAD"), find("/login", "GET"));
  for (const method of ["get", "post", "PUT", "OPTIONS", "any", "", "constructor", "__proto__"])
    assert.equal(find("/login", method), undefined, method);
  for (const path of ["", "/", "/login/", "//login", "/LOGIN", "/%6cogin", "/x/../login"])
    assert.equal(table.find(path) === undefined, path !== "/", path);
  assert.equal(find("/forward-auth", "POST"), undefined);
  assert.equal(find("/forward-auth/", "POST"), find("/forward-auth/a/b", "DELETE"));
});
