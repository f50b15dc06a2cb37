import type { TestContext } from "node:test";
import { around, runNginx } from "../proxies/nginx.ts";
import { freePort } from "../support/free-port.ts";

/** The proxy headers for a correct setup. */
export const PASSED_ON = `
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
`;

/** Starts a real nginx with these locations. Returns its URL. */
export async function startNginx(
  t: TestContext,
  program: string,
  locations: string,
): Promise<string> {
  const port = await freePort();
  const configuration = around(`server { listen 127.0.0.1:${port}; ${locations} }`);
  await runNginx(t, program, configuration, { host: "127.0.0.1", port });
  return `http://127.0.0.1:${port}`;
}

/** Starts an nginx in front of the gate, with these lines for all paths. */
export const beforeGate = (
  t: TestContext,
  program: string,
  gate: string,
  lines: string = PASSED_ON,
): Promise<string> => startNginx(t, program, `location / { proxy_pass ${gate}; ${lines} }`);
