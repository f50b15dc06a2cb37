import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { exampleOf, withPlaces } from "./examples.ts";
import { startProgram, whereInstalled } from "./program.ts";
import { testProxy } from "./rules.ts";
import type { ProxyServer } from "./site.ts";

/** Without certificates and the admin endpoint, which do not work in a test on loopback. */
const around = (sites: string, host: string): string => `
{
	admin off
	auto_https off
	default_bind ${host}
}

${sites}
`;

const caddy = (program: string): ProxyServer => ({
  page: "caddy",
  async start(t, configuration, { gate, app, host, port }) {
    const sites = withPlaces(configuration, {
      "127.0.0.1:3000": gate,
      "127.0.0.1:8080": app,
    }).replace(/^(\w+)\.example\.org \{$/gm, `http://$1.example.test:${port} {`);
    await startProgram(t, program, {
      configuration: around(sites, host),
      args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
      address: { host, port },
    });
  },
});

test("the Caddyfile for Docker Compose has the same host block as the Caddy page", async () => {
  const text = await readFile(new URL("../../docs/deploy/Caddyfile", import.meta.url), "utf8");
  const { configuration } = exampleOf("caddy", "Two hosts");
  const [own = ""] = configuration.split(/(?<=^\}\n)/m);
  assert.equal(withPlaces(text, { "latchkey:3000": "127.0.0.1:3000" }), own);
});

whereInstalled("caddy", (program) => testProxy(caddy(program)));
