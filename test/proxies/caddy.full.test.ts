import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { caddy } from "./caddy.ts";
import { exampleOf, withPlaces } from "./examples.ts";
import { whereInstalled } from "./program.ts";
import { testProxy } from "./rules.ts";

test("the Caddyfile for Docker Compose has the same host block as the Caddy page", async () => {
  const text = await readFile(new URL("../../docs/deploy/Caddyfile", import.meta.url), "utf8");
  const { configuration } = exampleOf("caddy", "Two hosts");
  const [own = ""] = configuration.split(/(?<=^\}\n)/m);
  assert.equal(withPlaces(text, { "latchkey:3000": "127.0.0.1:3000" }), own);
});

whereInstalled("caddy", (program) => testProxy(caddy(program)));
