import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "./pages.ts";

const unit = text("docs/deploy/latchkey.service");

test("the unit's DATA_DIR is the folder that systemd creates", () => {
  assert.equal(dataDir(), `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`);
});

for (const page of ["deploy/systemd.md", "doctor.md", "accounts.md"]) {
  test(`the commands in ${page} use the DATA_DIR of the unit`, () => {
    const named = [...text(`docs/${page}`).matchAll(/\bDATA_DIR=([\w/]+)/g)].map(
      ([, folder]) => folder,
    );
    assert.deepEqual([...new Set(named)], [dataDir()]);
  });
}

test("the commands use the settings file of the unit", () => {
  const [, file] = /^EnvironmentFile=(.*)$/m.exec(unit) ?? [];
  for (const page of ["deploy/systemd.md", "doctor.md"]) {
    const named = [...text(`docs/${page}`).matchAll(/--env-file (\/[\w./]+)/g)].map(
      ([, path]) => path,
    );
    assert.deepEqual([...new Set(named)], [file], page);
  }
});

function dataDir(): string | undefined {
  return /^Environment=.*\bDATA_DIR=(\S+)/m.exec(unit)?.[1];
}
