import { printedBy } from "../../scripts/docs.ts";
import { withPlaces } from "./examples.ts";
import { startProgram } from "./program.ts";
import type { ProxyServer } from "./site.ts";

/** The guard script. */
export const script: string = printedBy(["haproxy", "--script"], "");

export const haproxy = (program: string, guard: string = script): ProxyServer => ({
  page: "haproxy",
  async start(t, configuration, { gate, app, host, port }) {
    const sites = configuration.replaceAll("example.org", "example.test");
    await startProgram(t, program, {
      configuration: withPlaces(sites, {
        "/etc/haproxy/latchkey.lua": "latchkey.lua",
        "bind :80": `bind ${host}:${port}`,
        "127.0.0.1:3000": gate,
        "127.0.0.1:8080": app,
      }),
      args: (file) => ["-db", "-f", file],
      address: { host, port },
      beside: { "latchkey.lua": guard },
    });
  },
});
