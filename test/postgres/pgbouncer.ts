import type { TestContext } from "node:test";
import { startProgram } from "../proxies/program.ts";
import { freePort } from "../support/free-port.ts";

export type PoolMode = "session" | "transaction";

/** Starts PgBouncer in front of the server, and returns the URL of the database through it. */
export async function startPgBouncer(
  t: TestContext,
  program: string,
  databaseUrl: string,
  mode: PoolMode,
): Promise<string> {
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl);
  const port = await freePort();
  await startProgram(t, program, {
    configuration: `
[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = statement_timeout
`,
    // It refuses to run as root.
    args: (file) => [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file],
    address: { host: "127.0.0.1", port },
  });
  return `postgres://${username}@127.0.0.1:${port}${pathname}`;
}
