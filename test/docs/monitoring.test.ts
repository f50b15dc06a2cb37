import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { type Scrape, startMeasured } from "../gate/metrics/measured-gate.ts";
import { reportSkipped } from "../proxies/program.ts";
import { text } from "./pages.ts";

interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

const alerts = text("docs/monitoring/alerts.yaml").replaceAll(/`[^`]*`/g, "");
const panels: readonly Panel[] = JSON.parse(text("docs/monitoring/grafana-dashboard.json")).panels;
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");

/** The metrics of a gate after a setup, a page and a sign-in. */
async function scrapeUsedGate(t: TestContext): Promise<Scrape> {
  const gate = await startMeasured(t);
  const session = await gate.setUp();
  await gate.send("/account/profile", { session });
  await gate.signIn();
  return gate.becomes('latchkey_http_requests_total{route="/login",method="POST",code="303"}', 1);
}

/** The metrics that a text names, without the suffixes of histograms. */
function namesIn(found: string, { types }: Scrape): readonly string[] {
  const names = (found.match(/\b(?:latchkey|process)_[a-z_]+/g) ?? []).map((name) => {
    const whole = name.replace(/_(bucket|sum|count)$/, "");
    return types[whole] === "histogram" ? whole : name;
  });
  return [...new Set(names)].sort();
}

test("page and dashboard have every metric of the gate, and alerts no others", async (t) => {
  const scrape = await scrapeUsedGate(t);
  const { types } = scrape;
  assert.deepEqual(namesIn(queries, scrape), Object.keys(types).sort());
  const inAlerts = namesIn(alerts, scrape);
  assert.ok(inAlerts.length > 5 && inAlerts.every((name) => name in types), inAlerts.join());
  const page = text("docs/monitoring/README.md");
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (\w+) \| .+ \|$/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, name, type]) => [name, type])), types);

  const filtered = [...`${queries}\n${alerts}`.matchAll(/\b(latchkey_[a-z_]+)\{([^}]+)\}/g)];
  for (const [, name = "", matchers = ""] of filtered) {
    const labels = [...matchers.matchAll(/(\w+)\s*[=!]~?\s*"/g)].map(([, label = ""]) => label);
    for (const label of labels.filter((one) => one !== "job" && one !== "instance")) {
      const has = (series: string) =>
        series.startsWith(`${name}{`) && series.includes(`${label}="`);
      assert.ok(scrape.series.some(has), `${name} has the label ${label}`);
    }
  }
});

const READ = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
print(json.dumps({f.name: [f.type, len(f.samples)] for f in families}))
`;

/** Only Debian's own Python, which may not be the first on the path, finds Debian's packages. */
const PYTHON = "/usr/bin/python3";

if (spawnSync(PYTHON, ["-c", "import prometheus_client"]).status === 0) {
  test("Prometheus's own Python client parses the metrics", async (t) => {
    const scrape = await scrapeUsedGate(t);
    const reading = promisify(execFile)(PYTHON, ["-c", READ]);
    reading.child.stdin?.end(scrape.text);
    const families: Readonly<Record<string, readonly [type: string, samples: number]>> = JSON.parse(
      (await reading).stdout,
    );
    // The parser removes the suffix from the name of a counter.
    const expected = Object.entries(scrape.types).map(([name, type]) => [
      type === "counter" ? name.replace(/_total$/, "") : name,
      type,
    ]);
    const read = Object.entries(families).map(([name, [type]]) => [name, type]);
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(expected));
    const samples = Object.values(families).reduce((sum, [, count]) => sum + count, 0);
    assert.equal(samples, scrape.series.length);
  });
} else {
  reportSkipped("python3-prometheus-client is not installed");
}
