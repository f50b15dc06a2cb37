import { once } from "node:events";
import { createServer } from "node:net";
import type { TestContext } from "node:test";
import { startProgram } from "../../proxies/program.ts";

/** What leads one path to the gate, as it should be. */
export const PASSED_ON = `
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
`;

const around = (port: number, locations: string): string => `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}
`;

/** A real nginx with these locations. Answers with its address. */
export async function startNginx(
  t: TestContext,
  program: string,
  locations: string,
): Promise<string> {
  const port = await freePort();
  await startProgram(t, program, {
    configuration: around(port, locations),
    args: (file, folder) => ["-p", folder, "-c", file, "-e", "stderr"],
    address: { host: "127.0.0.1", port },
  });
  return `http://127.0.0.1:${port}`;
}

/** One before the gate, with these lines for all of its paths. */
export const beforeGate = (
  t: TestContext,
  program: string,
  gate: string,
  lines: string = PASSED_ON,
): Promise<string> => startNginx(t, program, `location / { proxy_pass ${gate}; ${lines} }`);

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
