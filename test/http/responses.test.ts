import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Answer,
  createPageHeaders,
  type Headers,
  redirect,
  respond,
  respondText,
} from "../../src/http/responses.ts";
import { faultOf } from "../support/faults.ts";

const FORM_TARGETS = {
  postLoginLocation: "/",
  returnDomains: [],
  hosts: { publicUrl: undefined, cookieDomain: undefined },
};
const page = (headers: Headers = {}): Answer =>
  respond("<p>", 200, { ...createPageHeaders(FORM_TARGETS), ...headers });
const header = (answer: Answer, name: string): string | undefined => answer.headers[name];

const guarded = {
  "a page": page(),
  "a redirect": redirect("/login"),
  "an empty answer": respond(null, 200),
  "a text": respondText("x", 500),
};

for (const [what, answer] of Object.entries(guarded)) {
  test(`${what} forbids caching, framing and content sniffing`, () => {
    assert.equal(header(answer, "Cache-Control"), "no-store");
    assert.equal(header(answer, "X-Content-Type-Options"), "nosniff");
    assert.equal(header(answer, "X-Frame-Options"), "DENY");
    assert.equal(header(answer, "Referrer-Policy"), "same-origin");
    assert.deepEqual(answer.cookies, []);
    const policy = header(answer, "Content-Security-Policy") ?? "";
    for (const part of ["default-src", "object-src", "base-uri", "frame-ancestors"]) {
      assert.match(policy, new RegExp(`${part} 'none'`));
    }
  });
}

const outside = { postLoginLocation: "https://app.example.org/home?a=b" };
const at = (publicUrl?: string, cookieDomain?: string) => ({ hosts: { publicUrl, cookieDomain } });
const domain = "example.test";
const hosts = "example.test *.example.test https://example.test https://*.example.test";

for (const [options, targets] of [
  [at("https://auth.example.test"), "'self'"],
  [outside, "'self' https://app.example.org"],
  [at("https://auth.example.test", domain), `'self' ${hosts}`],
  [{ ...at(undefined, domain), ...outside }, `'self' https://app.example.org ${hosts}`],
  [
    at("https://auth.example.test:8443", domain),
    `'self' ${hosts.replaceAll(/\.test\b/g, "$&:8443")}`,
  ],
] as const) {
  test(`with ${JSON.stringify(options)}, the CSP of a page allows form targets ${targets}`, () => {
    const policy =
      createPageHeaders({ ...FORM_TARGETS, ...options })["Content-Security-Policy"] ?? "";
    assert.ok(policy.includes(`; form-action ${targets};`), policy);
  });
}

test("the CSP of a page allows requests only for passkeys, and only to the site itself", () => {
  const connecting = createPageHeaders(FORM_TARGETS, "self");
  assert.match(connecting["Content-Security-Policy"] ?? "", /; connect-src 'self';/);
  const without = createPageHeaders(FORM_TARGETS);
  assert.doesNotMatch(without["Content-Security-Policy"] ?? "", /connect-src/);
});

test("a page has the given status and headers, and varies by Accept-Language", () => {
  const answer = respond("<p>", 503, { ...createPageHeaders(FORM_TARGETS), "Retry-After": "2" });
  assert.deepEqual([answer.status, header(answer, "Retry-After")], [503, "2"]);
  assert.equal(header(answer, "Content-Type"), "text/html; charset=utf-8");
  assert.equal(header(answer, "Vary"), "Accept-Language");
});

const withValue: Readonly<Record<string, (value: string) => Answer>> = {
  "a page's header": (value) => page({ Allow: value }),
  "a page's cookie": (value) => respond("<p>", 200, {}, ["a=b", value]),
  "a location": (value) => redirect(value),
  "an empty answer's header": (value) => respond(null, 200, { "Remote-User": value }),
  "a text's header": (value) => respondText("x", 500, { "Retry-After": value }),
};

for (const [what, answer] of Object.entries(withValue)) {
  test(`${what} is sent unchanged or throws an error that does not contain it`, () => {
    for (const value of ["/a?b=c", "a\tb", "~ !", ""]) {
      const { headers, cookies } = answer(value);
      assert.ok([...Object.values(headers), ...cookies].includes(value), value);
    }
    for (const bad of ["\r\nX-Evil: 1", "\n", "\0", "\u0001", "\u007f", "ä", "中"]) {
      const { code, message } = faultOf(() => answer(`/a${bad}`));
      assert.equal(code, "header_unsendable");
      assert.ok(!message.includes(bad));
    }
  });
}
