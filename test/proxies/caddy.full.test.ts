import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { caddy } from "./caddy.ts";
import { exampleOf, withPlaces } from "./examples.ts";
import { whereInstalled } from "./program.ts";
import { testProxy } from "./rules.ts";

test("the Caddyfile for Docker Compose is the example of the Caddy page", async () => {
  const text = await readFile(new URL("../../docs/deploy/Caddyfile", import.meta.url), "utf8");
  const { configuration } = exampleOf("caddy", "Two hosts");
  const places = { "127.0.0.1:3000": "latchkey:3000", "127.0.0.1:8080": "app:80" };
  assert.equal(text, withPlaces(configuration, places));
});

whereInstalled("caddy", (program) => testProxy(caddy(program)));
