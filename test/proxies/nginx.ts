import type { TestContext } from "node:test";
import { withPlaces } from "./examples.ts";
import { type Starting, startProgram } from "./program.ts";
import type { ProxyServer } from "./site.ts";

const ONE_PROCESS = "master_process off;\npid nginx.pid;";

/** The defaults of the packaged nginx.conf, limited to one folder. */
export const around = (sites: string, main: string = ONE_PROCESS): string => `
daemon off;
${main}
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${sites}
}
`;

export const nginx = (program: string, main?: string): ProxyServer => ({
  page: "nginx",
  async start(t, configuration, { gate, app, host, port }) {
    const sites = withPlaces(configuration, {
      "listen 80;": `listen ${host}:${port};`,
      "127.0.0.1:3000": gate,
      "127.0.0.1:8080": app,
      "example.org": "example.test",
    }).replace("/run/nginx-latchkey", "cache");
    await runNginx(t, program, around(sites, main), { host, port });
  },
});

export function runNginx(
  t: TestContext,
  program: string,
  configuration: string,
  address: Starting["address"],
): Promise<void> {
  const args: Starting["args"] = (file, folder) => ["-p", folder, "-c", file, "-e", "stderr"];
  return startProgram(t, program, { configuration, args, address });
}
