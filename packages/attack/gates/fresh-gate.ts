import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { OidcClient } from "../src/oidc/setup.ts";
import type { ServerAccess } from "../src/target.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const run = promisify(execFile);

export interface FreshGate extends AsyncDisposable {
  readonly url: string;
  readonly access: ServerAccess;
  readonly clients: readonly OidcClient[];
}

export interface FreshGateOptions {
  readonly setupToken: "required" | "none";
  readonly settings: Readonly<Record<string, string>>;
  /** Apps that sign in with OpenID Connect, which needs a public URL. */
  readonly apps?: readonly OidcClient[];
  readonly known: Pick<ServerAccess, "otherUrls" | "publicUrl" | "proxy" | "handoffHosts">;
}

/** Starts a gate as a child process, with a database that is deleted with it. */
export async function startFreshGate(options: FreshGateOptions): Promise<FreshGate> {
  const dataDir = await mkdtemp(join(tmpdir(), "latchkey-attack-"));
  const secret = randomBytes(32).toString("base64url");
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATA_DIR: dataDir,
    AUTH_SECRET: secret,
    PORT: "0",
    ...options.settings,
  };
  const latchkey = (...args: readonly string[]): Promise<{ stdout: string }> =>
    run(process.execPath, ["--", MAIN, ...args], { env });
  const setupToken = options.setupToken === "none" ? undefined : await createSetupToken(latchkey);
  const clients: OidcClient[] = [];
  for (const app of options.apps ?? []) clients.push(await addApp(latchkey, app));

  const child = spawn(process.execPath, ["--", MAIN, "serve"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    child.emit("output");
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  const url = await listening();
  return {
    url,
    clients,
    access: {
      secret,
      ...options.known,
      ...(setupToken === undefined ? {} : { setupToken }),
      readLog: async (format) =>
        (await latchkey("log", ...(format === "json" ? ["--json"] : []))).stdout,
      serverLog: () => output,
      async addUser(username, password) {
        const adding = run(
          process.execPath,
          ["--", MAIN, "user", "add", "--password-stdin", "--", username],
          { env },
        );
        adding.child.stdin?.end(password);
        await adding;
      },
      endSessions: async (username) => void (await latchkey("user", "sign-out", "--", username)),
    },
    [Symbol.asyncDispose]: stop,
  };

  async function listening(): Promise<string> {
    for (;;) {
      const url = /listens on (http:\/\/\S+?)"/.exec(output)?.[1];
      if (url !== undefined) return url;
      const over = await Promise.race([once(child, "output"), ended.then(() => "over" as const)]);
      if (over !== "over") continue;
      await rm(dataDir, { recursive: true, force: true });
      throw new Error(`the gate did not start: ${output}`);
    }
  }
}

/** Adds an app. Its `secret` says that it gets one. */
async function addApp(
  latchkey: (...args: readonly string[]) => Promise<{ readonly stdout: string }>,
  app: OidcClient,
): Promise<OidcClient> {
  const { id, redirect, signOutRedirect, group, secret } = app;
  const { stdout } = await latchkey(
    ...["app", "add", id, "--id", id, "--redirect", redirect],
    ...(signOutRedirect === undefined ? [] : ["--sign-out-redirect", signOutRedirect]),
    ...(group === undefined ? [] : ["--groups", group]),
    ...(secret === undefined ? ["--public"] : []),
  );
  if (secret === undefined) return app;
  const [, made] = /Client secret:?\s+(\S+)/.exec(stdout) ?? [];
  if (made === undefined) throw new Error(`the app has no secret: ${stdout}`);
  return { ...app, secret: made };
}

async function createSetupToken(
  latchkey: (...args: readonly string[]) => Promise<{ readonly stdout: string }>,
): Promise<string> {
  const { stdout } = await latchkey("setup-link");
  return new URL(stdout.trim()).searchParams.get("token") ?? "";
}
