import assert from "node:assert/strict";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CertificateFolder } from "../../src/gate/https/certificate-folder.ts";
import type { Progress } from "../../src/gate/https/renewal.ts";
import { makeCertificate, type WantedCertificate } from "../support/certificates.ts";
import { outputOf, runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

const NAME = "home.example.org";
const NOW = "now, if the gate runs with HTTPS_PORT";
const at = (text: string): number => Date.parse(text);
/** In the time zone of this machine. */
const local = (text: string): string => new Date(text).toLocaleString("sv-SE").slice(0, 16);

interface State {
  readonly certificate?: WantedCertificate;
  readonly progress?: Progress;
}

const status = (dataDir: string, ...args: readonly string[]) =>
  outputOf(["domain", "status", ...args], { env: { DATA_DIR: dataDir } });

const century = { from: new Date("2000-01-01"), until: new Date("2100-01-01") };
/** Two thirds of it. */
const RENEWAL = "2066-09-01T00:00:00.000Z";
const failed: Progress = {
  ...{ failures: 3, requestedAt: 1_000 },
  lastAt: at("2026-05-06T07:08:09.123Z"),
  nextAt: at("2099-05-06T07:24:09Z"),
  cause: "no \u001b[2Janswer\r\nlatchkey: all is well\u009b",
};

const NOTHING = {
  ...{ name: NAME, notAfter: null, renewalAt: null, lastAttempt: null, nextAttemptAt: null },
};

interface Shown {
  readonly state: State;
  /** The three lines below the name. */
  readonly lines: readonly [certificate: string, lastAttempt: string, nextAttempt: string];
  /** What differs from nothing. */
  readonly json: Readonly<Record<string, unknown>>;
}

const succeeded = { failures: 0, lastAt: at("2026-05-06T07:08:09Z"), nextAt: 0, cause: undefined };
const success = { at: "2026-05-06T07:08:09.000Z", outcome: "succeeded", cause: null };
const failure = { at: "2026-05-06T07:08:09.123Z", outcome: "failed", cause: failed.cause };
const ESCAPED = "no \\u{1b}[2Janswer\\u{d}\\u{a}latchkey: all is well\\u{9b}";

const untried = (state: State = {}): Shown => ({ state, lines: ["none", "none", NOW], json: {} });

const states: Readonly<Record<string, Shown>> = {
  "a name that was never tried": untried(),
  "a valid certificate": {
    state: { certificate: century, progress: succeeded },
    lines: [
      `valid until ${local("2100-01-01T00:00:00Z")}`,
      `${local("2026-05-06T07:08:09Z")}, succeeded`,
      local(RENEWAL),
    ],
    json: {
      notAfter: century.until,
      renewalAt: RENEWAL,
      lastAttempt: success,
      nextAttemptAt: RENEWAL,
    },
  },
  "an expired certificate": {
    state: { certificate: { from: new Date("2020-01-01"), until: new Date("2020-01-04") } },
    lines: [`expired ${local("2020-01-04T00:00:00Z")}`, "none", NOW],
    json: { notAfter: "2020-01-04T00:00:00.000Z", renewalAt: "2020-01-03T00:00:00.000Z" },
  },
  "a last attempt at an impossible time": untried({ progress: { ...succeeded, lastAt: 1e300 } }),
  "an impossible last attempt": untried({ progress: { ...succeeded, failures: 1e300 } }),
  "a failure with a cause that would move the cursor": {
    state: { progress: failed },
    lines: [
      "none",
      `${local("2026-05-06T07:08:09Z")}, failed: ${ESCAPED}`,
      local("2099-05-06T07:24:09Z"),
    ],
    json: { lastAttempt: failure, nextAttemptAt: "2099-05-06T07:24:09.000Z" },
  },
};

for (const [what, { state, lines, json }] of Object.entries(states)) {
  test(`domain status shows ${what}, with --json in one line`, async (t) => {
    const dataDir = await tempDir(t);
    const folder = new CertificateFolder(dataDir);
    await folder.request(NAME);
    await utimes(join(dataDir, "certificates", NAME, "wanted"), 1, 1);
    if (state.certificate !== undefined) {
      const { cert, key } = makeCertificate({ names: [NAME], ...state.certificate });
      await folder.write(NAME, "certificate.pem", `${key}${cert}`);
    }
    if (state.progress !== undefined) await folder.write(NAME, "progress.json", state.progress);
    const [certificate, lastAttempt, nextAttempt] = lines;
    const shown = [
      NAME,
      `  certificate   ${certificate}`,
      `  last attempt  ${lastAttempt}`,
      `  next attempt  ${nextAttempt}`,
      "",
    ].join("\n");
    assert.equal(await status(dataDir), shown);
    const line = await status(dataDir, "--json");
    assert.match(line, /^\{[ -~]+\}\n$/, "printable letters alone");
    assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify({ ...NOTHING, ...json })));
  });
}

test("domain status without a domain names the command that adds one", async (t) => {
  const env = { DATA_DIR: join(await tempDir(t), "not there") };
  for (const args of [[], ["--json"]]) {
    assert.deepEqual(await runCommand(["domain", "status", ...args], { env }), {
      code: 0,
      stdout: "",
      stderr: "latchkey: there is no domain yet: add one with latchkey domain add NAME\n",
    });
  }
});
