import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const text = (file: string): string =>
  readFileSync(new URL(`../../docs/${file}`, import.meta.url), "utf8");

const unit = text("deploy/latchkey.service");

test("the unit's data folder is the one that systemd makes for it", () => {
  assert.equal(dataDir(), `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`);
});

for (const page of ["deploy/README.md", "doctor.md", "accounts.md"]) {
  test(`the commands for the unit in ${page} look where the gate does`, () => {
    const named = [...text(page).matchAll(/\bDATA_DIR=([\w/]+)/g)].map(([, folder]) => folder);
    assert.deepEqual([...new Set(named)], [dataDir()]);
  });
}

test("the commands for the unit read the settings that the unit reads", () => {
  const [, file] = /^EnvironmentFile=(.*)$/m.exec(unit) ?? [];
  for (const page of ["deploy/README.md", "doctor.md"]) {
    const named = [...text(page).matchAll(/--env-file (\/[\w./]+)/g)].map(([, path]) => path);
    assert.deepEqual([...new Set(named)], [file], page);
  }
});

function dataDir(): string | undefined {
  return /^Environment=.*\bDATA_DIR=(\S+)/m.exec(unit)?.[1];
}
