import assert from "node:assert/strict";
import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CertificateFolder } from "../../../src/gate/https/certificate-folder.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NAME = "home.example.org";
const AUTHORITY = "https://acme.example:14000/dir";
const ORDER = { name: NAME, url: "https://acme.example/1", keyPem: "key", authority: AUTHORITY };
const FAILED = { failures: 2, lastAt: 5, nextAt: 9, cause: "no such name" };

async function place(t: TestContext) {
  const dataDir = await tempDir(t);
  return { dataDir, folder: new CertificateFolder(dataDir), root: join(dataDir, "certificates") };
}

test("reading a missing folder finds nothing and does not create it", async (t) => {
  const { dataDir, folder } = await place(t);
  assert.deepEqual(await folder.listNames(), []);
  assert.equal(await folder.read(NAME, "certificate.pem"), undefined);
  assert.equal(await folder.read(NAME, "progress.json"), undefined);
  assert.equal(await folder.read(NAME, "order.json"), undefined);
  assert.equal(await folder.readRequestTime(NAME), 0);
  assert.equal(await folder.remove(NAME), false);
  assert.deepEqual(await readdir(dataDir), []);
});

test("reads back what it wrote, with modes 0700 and 0600 whatever the umask", async (t) => {
  const { dataDir, folder, root } = await place(t);
  const mask = process.umask(0);
  t.after(() => process.umask(mask));
  await folder.request(NAME);
  await folder.write(NAME, "certificate.pem", "key and chain");
  await folder.write(NAME, "progress.json", FAILED);
  await folder.write(NAME, "order.json", ORDER);
  const again = new CertificateFolder(dataDir);
  assert.deepEqual(await again.listNames(), [NAME]);
  assert.equal(await again.read(NAME, "certificate.pem"), "key and chain");
  assert.deepEqual(await again.read(NAME, "progress.json"), FAILED);
  assert.deepEqual(await again.read(NAME, "order.json"), ORDER);
  await folder.getAccountKey(AUTHORITY);
  for (const path of await readdir(root, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(path.parentPath, path.name));
    assert.equal(mode & 0o777, path.isDirectory() ? 0o700 : 0o600, path.name);
  }
  assert.equal((await stat(root)).mode & 0o777, 0o700);
  await again.removeOrder(NAME);
  await again.removeOrder(NAME);
  assert.equal(await folder.read(NAME, "order.json"), undefined);
});

test("lists only requested names, in order, also from an archive", async (t) => {
  const { folder, root } = await place(t);
  for (const name of ["b.example", "a.example"]) await folder.request(name);
  await mkdir(join(root, "c.example"));
  await writeFile(join(root, "notes.txt"), "");
  await folder.getAccountKey(AUTHORITY);
  await utimes(join(root, "a.example", "wanted"), 0, 0);
  assert.deepEqual(await folder.listNames(), ["a.example", "b.example"]);
  assert.equal(await folder.remove("a.example"), true);
});

test("a repeated request updates only the time of the request", async (t) => {
  const { folder, root } = await place(t);
  await folder.request(NAME);
  await folder.write(NAME, "certificate.pem", "key and chain");
  await utimes(join(root, NAME, "wanted"), 1, 1);
  assert.equal(await folder.readRequestTime(NAME), 1_000);
  const before = Date.now();
  await folder.request(NAME);
  // The file system's clock may be slightly behind.
  assert.ok((await folder.readRequestTime(NAME)) >= before - 50);
  assert.equal(await folder.read(NAME, "certificate.pem"), "key and chain");
});

test("removes a name with its key, and rejects later writes for it", async (t) => {
  const { folder, root } = await place(t);
  await folder.request(NAME);
  await folder.request("other.example");
  await folder.write(NAME, "certificate.pem", "key and chain");
  assert.equal(await folder.remove(NAME), true);
  assert.equal(await folder.remove(NAME), false);
  await assert.rejects(folder.write(NAME, "certificate.pem", "late"), { code: "ENOENT" });
  await assert.rejects(folder.write(NAME, "progress.json", FAILED), { code: "ENOENT" });
  await assert.rejects(folder.write(NAME, "order.json", ORDER), { code: "ENOENT" });
  assert.deepEqual(await readdir(root), ["other.example"]);
});

test("creates one account key for each authority, once", async (t) => {
  const { folder, dataDir } = await place(t);
  const [first, same] = await Promise.all([1, 2].map(() => folder.getAccountKey(AUTHORITY)));
  assert.equal(same, first);
  assert.equal(await new CertificateFolder(dataDir).getAccountKey(AUTHORITY), first);
  for (const other of ["https://acme.example/dir", "https://[::1]:14000/dir"]) {
    assert.notEqual(await folder.getAccountKey(other), first);
  }
});

for (const emptied of ["", "{", "null", "5", '"text"']) {
  test(`treats a file with the content ${JSON.stringify(emptied)} as missing`, async (t) => {
    const { folder, root } = await place(t);
    await folder.request(NAME);
    for (const file of ["progress.json", "order.json"]) {
      await writeFile(join(root, NAME, file), emptied);
    }
    assert.equal(await folder.read(NAME, "progress.json"), undefined);
    assert.equal(await folder.read(NAME, "order.json"), undefined);
  });
}
