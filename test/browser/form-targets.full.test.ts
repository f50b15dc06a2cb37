import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createPageHeaders } from "../../src/http/responses.ts";
import { openPage } from "../support/browser.ts";

/** What the browser does with a form on a page of one origin that is sent to another. */
async function sendForm(t: TestContext, from: string, to: string): Promise<"blocked" | "sent"> {
  // A context of its own, since blocked forms are written to the console.
  const context = await (await openPage(t)).context().browser()?.newContext();
  assert.ok(context);
  const place = {
    postLoginLocation: "/",
    returnDomains: [],
    hosts: { publicUrl: from, cookieDomain: "example.test" },
  };
  const headers = createPageHeaders(place);
  await context.route("**/*", (route) => route.fulfill({ headers, body: "<!doctype html><p>" }));
  try {
    const page = await context.newPage();
    await page.goto(from);
    // The page is gone before it can answer if it sends the form.
    const outcome = page
      .evaluate(
        `new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", resolve);
          document.body.innerHTML = '<form method="post" action="${to}/there"></form>';
          document.forms[0].submit();
        }).then(() => "blocked")`,
      )
      .catch(() => "sent");
    await Promise.race([page.waitForURL(`${to}/there`), outcome]);
    return (await outcome) === "blocked" ? "blocked" : "sent";
  } finally {
    await context.close();
  }
}

for (const [from, to, expected] of [
  ["https", "https", "sent"],
  ["https", "http", "blocked"],
  ["http", "https", "sent"],
  ["http", "http", "sent"],
] as const) {
  const [page, target] = [`${from}://auth.example.test:8443`, `${to}://app.example.test:8443`];
  test(`a form on ${page} to ${target} is ${expected}`, async (t) => {
    assert.equal(await sendForm(t, page, target), expected);
  });
}
