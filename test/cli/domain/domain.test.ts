import assert from "node:assert/strict";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  type CertificateFolder,
  certificateFolder,
} from "../../../src/gate/https/certificate-folder.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { runLatchkey } from "../../support/process.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NAME = "home.example.org";
const NOTED = `${NAME} is noted. How it goes: latchkey domain status\n`;

/** A data folder, and the commands that look there. */
async function place(t: TestContext) {
  const dataDir = await tempDir(t);
  return {
    dataDir,
    folder: certificateFolder(dataDir),
    async domain(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
      const ending = await runLatchkey(t, ["domain", ...args], { DATA_DIR: dataDir, ...env });
      const { code, stdout, stderr } = ending;
      return { code, stdout, stderr };
    },
  };
}

test("domain add notes a name for the gate, in the spelling of certificates", async (t) => {
  const { folder, domain } = await place(t);
  const env = { HTTPS_PORT: "443" };
  const added = await domain(["add", "Home.Example.org."], env);
  assert.deepEqual(added, { code: 0, stdout: NOTED, stderr: "" });
  const other = await domain(["add", "bücher.example"], env);
  assert.match(other.stdout, /^xn--bcher-kva\.example is noted/);
  assert.deepEqual(await folder.names(), [NAME, "xn--bcher-kva.example"]);
});

test("domain add for a name that is there already asks once more, and nothing is lost", async (t) => {
  const { dataDir, folder, domain } = await place(t);
  await prepare(folder);
  const wanted = join(dataDir, "certificates", NAME, "wanted");
  await utimes(wanted, 1, 1);
  const kept = await folder.certificate(NAME);
  assert.equal((await domain(["add", NAME], { HTTPS_PORT: "443" })).code, 0);
  assert.ok((await folder.askedAt(NAME)) > 1_000);
  assert.equal(await folder.certificate(NAME), kept);
});

for (const [what, env, said] of [
  ["without HTTPS_PORT", {}, "the gate asks for certificates only where HTTPS_PORT is set"],
  [
    "beside a certificate of one's own",
    { HTTPS_PORT: "443", TLS_CERT_FILE: "/etc/hostname", TLS_KEY_FILE: "/etc/hostname" },
    "as long as TLS_CERT_FILE is set, the gate asks for no certificate",
  ],
] as const) {
  test(`domain add ${what} notes the name, and says why nothing will come of it`, async (t) => {
    const { folder, domain } = await place(t);
    const added = await domain(["add", NAME], env);
    assert.deepEqual(added, { code: 0, stdout: NOTED, stderr: `latchkey: ${said}\n` });
    assert.deepEqual(await folder.names(), [NAME]);
  });
}

test("domain add says that there is no data folder, and makes none", async (t) => {
  const { dataDir, domain } = await place(t);
  const slip = join(dataDir, "slip");
  assert.deepEqual(await domain(["add", NAME], { DATA_DIR: slip }), {
    code: 1,
    stdout: "",
    stderr: `latchkey: there is no data folder ${slip}: start the gate first, or see DATA_DIR\n`,
  });
  assert.deepEqual(await readdir(dataDir), []);
});

const HOW = "a host name looks like home.example.org";
const badNames: readonly (readonly [name: string, reason: string])[] = [
  ["localhost", HOW],
  ["../x", HOW],
  ["https://home.example.org", HOW],
  ["home.example.org/../other", HOW],
  ["", HOW],
  ["192.0.2.1", "it is an address"],
  ["*.example.org", "a certificate for all names below one takes DNS"],
  ["\u001b[2Jhome.example.org", HOW],
];

for (const [name, reason] of badNames) {
  for (const command of ["add", "remove"]) {
    test(`domain ${command} ${JSON.stringify(name)} is refused with the reason, and touches nothing`, async (t) => {
      const { dataDir, domain } = await place(t);
      const shown = name.replace("\u001b", "\\u{1b}");
      assert.deepEqual(await domain([command, name]), {
        code: 1,
        stdout: "",
        stderr: `latchkey: no certificate can be had for ${shown}: ${reason}\n`,
      });
      assert.deepEqual(await readdir(dataDir), []);
    });
  }
}

test("domain remove forgets the name with its key, and only that name", async (t) => {
  const { dataDir, folder, domain } = await place(t);
  await prepare(folder);
  await folder.want("other.example.org");
  assert.deepEqual(await domain(["remove", "HOME.example.org"]), {
    code: 0,
    stdout: "",
    stderr: "",
  });
  assert.deepEqual(await readdir(join(dataDir, "certificates")), ["other.example.org"]);
  assert.deepEqual(await domain(["remove", NAME]), {
    code: 1,
    stdout: "",
    stderr: `latchkey: there is no domain ${NAME}: see latchkey domain status\n`,
  });
});

for (const args of [["add"], ["remove"], ["add", "a.b", "c.d"], ["status", "a.b"]]) {
  test(`domain ${args.join(" ")} is wrong usage`, async (t) => {
    const { code, stdout, stderr } = await (await place(t)).domain(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^latchkey: [^\n]+ --help\n$/);
  });
}

/** What a gate has got for the name. */
async function prepare(folder: CertificateFolder): Promise<void> {
  const { cert, key } = makeCertificate({ names: [NAME] });
  await folder.want(NAME);
  await folder.writeCertificate(NAME, `${key}${cert}`);
}
