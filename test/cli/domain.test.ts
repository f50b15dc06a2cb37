import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CertificateFolder } from "../../src/gate/https/certificate-folder.ts";
import { text } from "../docs/pages.ts";
import { failureOf, outputOf, runCommand } from "../support/command.ts";
import { INHERITED, MAIN } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const NAME = "home.example.org";
const ADDED = `Added domain ${NAME}. To see its progress: latchkey domain status\n`;

type Env = Readonly<Record<string, string>>;

/** A data folder, and the domain commands on it. */
async function place(t: TestContext) {
  const dataDir = await tempDir(t);
  return {
    dataDir,
    folder: new CertificateFolder(dataDir),
    domain: (args: readonly string[], env: Env = {}) =>
      outputOf(["domain", ...args], { env: { DATA_DIR: dataDir, ...env } }),
    refusalOf: (args: readonly string[], env: Env = {}) =>
      failureOf(["domain", ...args], { env: { DATA_DIR: dataDir, ...env } }),
  };
}

test("domain add stores a name for the gate, in the spelling of certificates", async (t) => {
  const { folder, domain } = await place(t);
  const env = { HTTPS_PORT: "443" };
  assert.equal(await domain(["add", "Home.Example.org."], env), ADDED);
  const other = await domain(["add", "bücher.example"], env);
  assert.match(other, /^Added domain xn--bcher-kva\.example\./);
  assert.deepEqual(await folder.listNames(), [NAME, "xn--bcher-kva.example"]);
});

test("the steps of docs/https.md add a domain in a new folder", async (t) => {
  const [steps] = text("docs/https.md").match(/(?<=```sh\n)[^`]*?(?=PUBLIC_URL)/) ?? [];
  const script = `latchkey() { '${process.execPath}' '${MAIN}' "$@"; }\n${steps}`;
  const cwd = await tempDir(t);
  execFileSync("sh", ["-ec", script], { cwd, env: INHERITED });
  assert.deepEqual(await new CertificateFolder(join(cwd, "data")).listNames(), [NAME]);
});

for (const [what, env, warning] of [
  ["without HTTPS_PORT", {}, "set HTTPS_PORT as well: without it"],
  [
    "with TLS_CERT_FILE",
    { HTTPS_PORT: "443", TLS_CERT_FILE: "/etc/hostname", TLS_KEY_FILE: "/etc/hostname" },
    "unset TLS_CERT_FILE as well: with it",
  ],
] as const) {
  test(`domain add ${what} stores the name, and warns that no gate requests it`, async (t) => {
    const { folder, dataDir } = await place(t);
    const given = { env: { DATA_DIR: dataDir, ...env } };
    const added = await runCommand(["domain", "add", NAME], given);
    const stderr = `latchkey: ${warning}, the gate requests no certificates\n`;
    assert.deepEqual(added, { code: 0, stdout: ADDED, stderr });
    assert.deepEqual(await folder.listNames(), [NAME]);
  });
}

test("domain add refuses a missing data folder and creates none", async (t) => {
  const { dataDir, refusalOf } = await place(t);
  const slip = join(dataDir, "slip");
  const refusal = await refusalOf(["add", NAME], { DATA_DIR: slip });
  assert.equal(
    refusal,
    `there is no data folder ${slip}: start the gate first, or set DATA_DIR to its folder`,
  );
  assert.deepEqual(await readdir(dataDir), []);
});

test("domain add and remove refuse a bad name with the reason and change nothing", async (t) => {
  const { dataDir, refusalOf } = await place(t);
  const how = "a host name looks like home.example.org";
  for (const [name, reason] of [
    ["../x", how],
    ["192.0.2.1", "it is an IP address"],
    ["\u001b[2Jhome.example.org", how],
  ] as const) {
    for (const command of ["add", "remove"]) {
      const shown = name.replace("\u001b", "\\u{1b}");
      const refusal = await refusalOf([command, name]);
      assert.equal(refusal, `cannot get a certificate for ${shown}: ${reason}`);
    }
  }
  assert.deepEqual(await readdir(dataDir), []);
});

test("domain remove deletes that name with its key only", async (t) => {
  const { dataDir, folder, domain, refusalOf } = await place(t);
  await folder.request(NAME);
  await folder.write(NAME, "certificate.pem", "key and chain");
  await folder.request("other.example.org");
  const removed = await domain(["remove", "HOME.example.org"]);
  assert.equal(removed, `Removed domain ${NAME} and its certificate.\n`);
  await folder.getAccountKey("https://acme.example.org/");
  const account = "account-acme.example.org.pem";
  for (const name of [NAME, account]) {
    const refusal = await refusalOf(["remove", name]);
    assert.equal(refusal, `there is no domain ${name}: see latchkey domain status`);
  }
  const left = await readdir(join(dataDir, "certificates"));
  assert.deepEqual(left, [account, "other.example.org"]);
});
