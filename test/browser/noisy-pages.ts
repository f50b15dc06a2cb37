import { test } from "node:test";
import { openPage, type Visiting } from "../support/browser.ts";

/** Faulty pages, for a separate test run: all tests except the first two fail. */
const ADDRESS = "http://noisy.test/";

interface Noisy {
  readonly name: string;
  readonly body?: string;
  readonly status?: number;
  readonly visiting?: Visiting;
}

const pages: readonly Noisy[] = [
  { name: "quiet" },
  { name: "expected status", status: 404, visiting: { statuses: [404] } },
  { name: "unexpected status", status: 404, visiting: { statuses: [422] } },
  { name: "console", body: "<script>console.log('a word')</script>" },
  { name: "thrown", body: "<script>throw new Error('a fault')</script>" },
  { name: "not loaded", body: "<img src='http://gone.noisy.test/' alt=''>" },
  {
    name: "forbidden",
    body: `<meta http-equiv="Content-Security-Policy" content="style-src 'none'"><style>p{}</style>`,
  },
];

for (const { name, body = "", status = 200, visiting = {} } of pages) {
  test(name, async (t) => {
    const page = await openPage(t, visiting);
    await page.route(ADDRESS, (route) =>
      route.fulfill({ status, contentType: "text/html", body: `<!doctype html>${body}` }),
    );
    await page.route("http://gone.noisy.test/", (route) => route.abort("connectionrefused"));
    await page.goto(ADDRESS);
  });
}
