import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withPlaces } from "../../../test/proxies/examples.ts";
import { around } from "../../../test/proxies/nginx.ts";
import { send } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { freePort } from "../../../test/support/free-port.ts";
import type { CaseContext } from "../case.ts";

const CONFIGURATION = new URL("../../../docs/scaling/nginx.conf", import.meta.url);
/** Different from nginx's source address for requests to the gates. */
const HOST = "127.0.0.9";

/** Starts nginx with the configuration of the documentation in front of gates on these ports. */
export async function startNginx(
  context: CaseContext,
  program: string,
  ports: readonly number[],
): Promise<string> {
  const folder = await context.folder();
  const port = await freePort(HOST);
  const sites = withPlaces(await readFile(CONFIGURATION, "utf8"), {
    "listen 80;": `listen ${HOST}:${port};`,
    "    server 10.0.0.11:3000 max_fails=1 fail_timeout=10s;\n": "",
    "    server 10.0.0.12:3000 max_fails=1 fail_timeout=10s;\n": ports
      .map((one) => `    server 127.0.0.1:${one} max_fails=1 fail_timeout=10s;\n`)
      .join(""),
  });
  const file = join(folder.path, "nginx.conf");
  await writeFile(file, around(sites));
  const args = ["-p", folder.path, "-c", file, "-e", "stderr"];
  const child = spawn(program, args, { cwd: folder.path, stdio: "ignore" });
  folder.guard(child.pid);
  const ended = once(child, "close");
  context.defer(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = `http://${HOST}:${port}`;
  await eventually(() => send(`${url}/healthz`).catch(() => undefined));
  return url;
}
