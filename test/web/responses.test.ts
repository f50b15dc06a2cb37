import assert from "node:assert/strict";
import { test } from "node:test";
import { createResponses } from "../../src/web/responses.ts";

const responses = createResponses("/");
const header = (response: Response, name: string): string | null => response.headers.get(name);

const guarded = {
  "a page": responses.page("<p>"),
  "a redirect": responses.redirect("/login"),
  "an empty answer": responses.empty({}),
  "a text": responses.text("x", 500),
};

for (const [what, response] of Object.entries(guarded)) {
  test(`${what} is kept by nobody, framed by nobody, and guessed at by nobody`, () => {
    assert.equal(header(response, "Cache-Control"), "no-store");
    assert.equal(header(response, "X-Content-Type-Options"), "nosniff");
    assert.equal(header(response, "X-Frame-Options"), "DENY");
    assert.equal(header(response, "Referrer-Policy"), "same-origin");
  });
}

test("a redirect is a 303 without a body, to the location as it was given", async () => {
  const response = responses.redirect("/login?error=1", ["a=b"]);
  assert.equal(response.status, 303);
  assert.equal(header(response, "Location"), "/login?error=1");
  assert.equal(header(response, "Set-Cookie"), "a=b");
  assert.equal(header(response, "Content-Length"), "0");
  assert.equal(await response.text(), "");
});

test("a page runs no scripts, and its forms go to this site only", () => {
  const policy = header(responses.page("<p>"), "Content-Security-Policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /form-action 'self';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /base-uri 'none'/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
});

test("where a form leads on to another site, the policy of its page lets it", () => {
  const page = createResponses("https://app.example.org/home?a=b").page("<p>");
  const policy = header(page, "Content-Security-Policy") ?? "";
  assert.match(policy, /form-action 'self' https:\/\/app\.example\.org;/);
});

test("a page has the status and the headers that it is given", () => {
  const response = responses.page("<p>", 503, { "Retry-After": "2" });
  assert.deepEqual([response.status, header(response, "Retry-After")], [503, "2"]);
  assert.equal(header(response, "Content-Type"), "text/html; charset=utf-8");
});

test("the style sheet may be kept, since its address changes with it", () => {
  const response = responses.styleSheet("body {}");
  assert.equal(header(response, "Content-Type"), "text/css; charset=utf-8");
  assert.match(header(response, "Cache-Control") ?? "", /max-age=31536000, immutable/);
});
