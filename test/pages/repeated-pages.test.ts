import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { type TestContext, test } from "node:test";
import { startApp } from "../support/app.ts";
import { SETUP_FORM } from "../support/gate.ts";

/** Returns how often a function of `templates.ts` collects the values of a page during the work. */
async function countRenders(t: TestContext, work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  t.after(() => session.disconnect());
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const counts = result
    .filter(({ url }) => url.endsWith("/src/pages/templates.ts"))
    .flatMap(({ functions }) => functions.filter(({ functionName }) => functionName === "contents"))
    .map(({ ranges: [whole] }) => whole?.count ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}

test("renders the sign-in page once for all signed-out visitors of a language", async (t) => {
  // The links of the page are the same for all of them.
  const mail = { url: "smtp://localhost:1", from: "Latchkey <auth@example.org>" };
  const hosts = { publicUrl: "http://localhost" };
  const app = await startApp(t, { mail, hosts, signIn: { signUp: { mode: "open" } } });
  await app.send("/setup", { form: SETUP_FORM });
  const pages = new Set<string>();
  const show = async (language: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      const { status, body } = await app.send("/login", {
        headers: { "Accept-Language": language },
      });
      assert.equal(status, 200);
      pages.add(body);
    }
  };
  const renders = await countRenders(t, async () => {
    await show("en", 5);
    await show("de", 5);
  });
  assert.deepEqual([renders, pages.size], [2, 2]);
  for (const page of pages) {
    assert.match(page, /href="\/login\/forgot"/);
    assert.match(page, /href="\/login\/sign-up"/);
  }
});
