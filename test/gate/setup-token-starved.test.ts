import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SECRET, SETUP_FORM } from "../support/gate.ts";
import { INHERITED } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const GATE = fileURLToPath(new URL("./starved-gate.ts", import.meta.url));
const FORM = new URLSearchParams(SETUP_FORM).toString();

type Report = Readonly<Record<"url" | "stoppedBy" | "read", string | undefined>>;

/** A gate that asks for a setup token and may have 64 files open. */
async function startStarvable(t: TestContext) {
  const dataDir = await tempDir(t);
  await writeFile(join(dataDir, "setup-token"), "the token");
  const child = spawn("bash", ["-c", 'ulimit -n 64; exec "$0" "$1"', process.execPath, GATE], {
    env: { ...INHERITED, DATA_DIR: dataDir, AUTH_SECRET: SECRET },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const report = async (): Promise<Report> => {
    const [message] = await Promise.race([once(child, "message"), closed]);
    assert.equal(typeof message, "object", "the gate has ended");
    return message as Report;
  };
  const { url } = await report();
  return {
    url: url ?? "",
    order(what: "starve" | "relieve"): Promise<Report> {
      child.send(what);
      return report();
    },
  };
}

/** Requests over one connection that stays open: a starved process cannot accept another. */
function oneConnection(t: TestContext, url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return async (method: "GET" | "POST", path: string, body = "") => {
    const outgoing = request(`${url}${path}`, {
      agent,
      method,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": Buffer.byteLength(body),
      },
    }).end(body);
    const [incoming] = await once(outgoing, "response");
    await incoming.resume().toArray();
    return { status: incoming.statusCode, cookies: incoming.headers["set-cookie"] };
  };
}

test("refuses setup while file descriptors run out", async (t) => {
  const gate = await startStarvable(t);
  const send = oneConnection(t, gate.url);
  assert.equal((await send("GET", "/setup")).status, 200);
  const starved = await gate.order("starve");
  assert.deepEqual(starved, { stoppedBy: "EMFILE", read: "failed with EMFILE" });
  assert.deepEqual(await send("POST", "/setup", FORM), { status: 500, cookies: undefined });
  assert.deepEqual(await send("GET", "/setup"), { status: 500, cookies: undefined });
  assert.deepEqual(await gate.order("relieve"), { read: "found the token" });
  assert.equal((await send("POST", "/setup", FORM)).status, 403, "the token is asked for again");
});
