import { withPlaces } from "./examples.ts";
import { startProgram } from "./program.ts";
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

export const caddy = (program: string): ProxyServer => ({
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
