import { withPlaces } from "./examples.ts";
import { startProgram } from "./program.ts";
import type { ProxyServer } from "./site.ts";

/** Without certificates, which do not work in a test on loopback. */
const around = (sites: string, host: string, global: string): string => `
{
	${global}
	auto_https off
	default_bind ${host}
}

${sites}
`;

export const caddy = (
  program: string,
  global = "admin off",
  started?: (configuration: string) => void,
): ProxyServer => ({
  page: "caddy",
  async start(t, configuration, { gate, app, host, port }) {
    const sites = withPlaces(configuration, {
      "127.0.0.1:3000": gate,
      "127.0.0.1:8080": app,
    }).replace(/^(\w+)\.example\.org \{$/gm, `http://$1.example.test:${port} {`);
    const configured = around(sites, host, global);
    started?.(configured);
    await startProgram(t, program, {
      configuration: configured,
      args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
      address: { host, port },
    });
  },
});
