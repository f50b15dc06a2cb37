import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../docs/pages.ts";
import { caddy } from "./caddy.ts";
import { exampleOf, withPlaces } from "./examples.ts";
import { whereInstalled } from "./program.ts";
import { testProxy } from "./rules.ts";

test("the Caddyfile for Docker Compose is the example of the Caddy page", () => {
  const { configuration } = exampleOf("caddy", "Two hosts");
  const places = { "127.0.0.1:3000": "latchkey:3000", "127.0.0.1:8080": "app:80" };
  assert.equal(text("docs/deploy/Caddyfile"), withPlaces(configuration, places));
});

whereInstalled("caddy", (program) => testProxy(caddy(program)));
