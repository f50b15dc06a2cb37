/**
 * Installs every example with the packed Latchkey, builds it for production and signs in and out of
 * it. The names of examples after the command select these alone. `--newest` makes new apps by
 * today's templates and with today's packages instead.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { packCopy } from "../package/installed.ts";
import { OWNER } from "../support/gate.ts";
import { apps } from "./apps.ts";
import { browse, browseInPage } from "./browse.ts";
import { startApp } from "./running-app.ts";
import { entering, leaving, type Visit } from "./steps.ts";
import { templates } from "./templates.ts";

/** As many as there are cores in the gate. */
const CONCURRENCY = 2;

const dir = await mkdtemp(join(tmpdir(), "latchkey-frameworks-"));
const { tarball } = await packCopy(dir);
const named = process.argv.slice(2).filter((word) => word !== "--newest");
const age = process.argv.includes("--newest") ? "newest" : "pinned";
const chosen = apps
  .filter(({ name }) => named.length === 0 || named.includes(name))
  .filter(({ name }) => age === "pinned" || name in templates);

after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));

describe("frameworks", { concurrency: CONCURRENCY }, () => {
  for (const app of chosen) {
    test(app.name, async (t) => {
      const started = await startApp(t, app, { tarball, age });
      const visit: Visit = { ...started, password: OWNER.password, signIns: 0 };
      const browsing = app.links === "client" ? [browse, browseInPage] : [browse];
      for (const step of [...entering, ...(app.steps ?? []), ...browsing, ...leaving]) {
        await t.test(step.title, (inner) => step.run(visit, inner));
      }
    });
  }
});
