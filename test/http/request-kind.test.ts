import assert from "node:assert/strict";
import { test } from "node:test";
import { getRequestKind, KIND_HEADERS } from "../../src/http/request-kind.ts";

type Headers = Readonly<Record<string, string>>;

const HTML: Headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const NAVIGATION: Headers = { ...HTML, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const kindOf = (headers: Headers, method = "GET") =>
  getRequestKind(method, {
    header(name) {
      assert.ok(KIND_HEADERS.toLowerCase().split(", ").includes(name), `Vary lacks ${name}`);
      return headers[name];
    },
  });

const pages: Readonly<Record<string, Headers>> = {
  "a navigation": NAVIGATION,
  "a browser without Sec-Fetch headers": HTML,
  "Accept in capitals": { accept: "TEXT/HTML" },
  "a page that a service worker fetches": { ...NAVIGATION, "sec-fetch-dest": "empty" },
  "a navigation without Sec-Fetch-Dest": { ...HTML, "sec-fetch-mode": "navigate" },
  "an Android WebView, which names itself": { ...NAVIGATION, "x-requested-with": "org.example" },
};

for (const [what, headers] of Object.entries(pages)) {
  test(`${what} asks for a page with GET and HEAD, and sends a form with POST`, () => {
    const kinds = ["GET", "HEAD", "POST"].map((method) => kindOf(headers, method));
    assert.deepEqual(kinds, ["page", "page", "form"]);
  });
}

const calls: Readonly<Record<string, Headers>> = {
  "a client without Accept": {},
  "a client that accepts any type": { accept: "*/*" },
  "a client that accepts JSON": { accept: "application/json" },
  "a script with X-Requested-With": { ...HTML, "x-requested-with": "XMLHttpRequest" },
  "a script with an empty X-Requested-With": { ...HTML, "x-requested-with": "" },
  htmx: { ...HTML, "hx-request": "true" },
  "a script that asks for HTML": { ...HTML, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  "a script that asks its own origin for HTML": { ...HTML, "sec-fetch-mode": "same-origin" },
  "a prefetched link": { ...HTML, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" },
  "a navigation that does not accept HTML": { ...NAVIGATION, accept: "*/*" },
  ...Object.fromEntries(
    ["iframe", "frame", "object", "embed", "fencedframe", "image", ""].map((embedding) => [
      `a navigation of ${embedding || "nothing"}`,
      { ...NAVIGATION, "sec-fetch-dest": embedding },
    ]),
  ),
};

for (const [what, headers] of Object.entries(calls)) {
  test(`${what} makes a call with any method`, () => {
    for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
      assert.equal(kindOf(headers, method), "call", method);
    }
  });
}

test("a method that neither a link nor a form can send makes a call", () => {
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "get", "", "GET, POST"]) {
    assert.equal(kindOf(NAVIGATION, method), "call", method);
    assert.equal(kindOf(HTML, method), "call", method);
  }
});
