/**
 * The CPU time of a code flow with a session: `/oidc/authorize`, and `/oidc/token`. Latchkey on
 * SQLite and its library alone in memory take turns, each in a process of its own.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as client from "openid-client";

export const CLIENT_ID = "bench";
export const REDIRECT = "https://app.example.org/callback";
export const USER = "ada";

/** The most that Latchkey may cost, as times the library alone. */
const LIMIT = 1.5;

interface Amounts {
  readonly rounds: number;
  readonly flows: number;
}

interface Contestant {
  readonly child: ChildProcess;
  readonly signIn: () => Promise<void>;
}

/** Returns a line with both figures and their ratio, and whether the ratio is within the limit. */
export async function benchFlow(folder: string, { rounds, flows }: Amounts) {
  const contestants = {
    latchkey: await start("latchkey", join(folder, "flow.db")),
    alone: await start("alone", ""),
  };
  const microseconds: Record<keyof typeof contestants, number[]> = { latchkey: [], alone: [] };
  try {
    for (const { signIn } of Object.values(contestants)) await repeat(signIn, flows);
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ["latchkey", "alone"] as const) {
        const { child, signIn } = contestants[name];
        const before = await readCpu(child);
        await repeat(signIn, flows);
        microseconds[name].push(((await readCpu(child)) - before) / flows);
      }
    }
  } finally {
    for (const { child } of Object.values(contestants)) child.kill();
  }
  const [latchkey, alone] = [median(microseconds.latchkey), median(microseconds.alone)];
  const ratio = latchkey / alone;
  const text = `code flow, CPU time: Latchkey ${Math.round(latchkey)} µs, its library alone ${Math.round(alone)} µs, ${ratio.toFixed(2)} times (limit ${LIMIT})`;
  return { text, isWithin: ratio <= LIMIT };
}

async function repeat(work: () => Promise<void>, times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) await work();
}

const median = (values: readonly number[]): number =>
  [...values].sort((first, second) => first - second)[Math.floor(values.length / 2)] ?? Number.NaN;

async function readCpu(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage];
  return user + system;
}

async function start(kind: "latchkey" | "alone", file: string): Promise<Contestant> {
  const child = fork(join(import.meta.dirname, "flow-server.ts"), [kind, file], {
    execArgv: ["--conditions=latchkey-source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ issuer, secret, cookie }] = (await once(child, "message")) as [
    { issuer: string; secret: string; cookie: string | undefined },
  ];
  const options = { execute: [client.allowInsecureRequests] };
  const config = await client.discovery(new URL(issuer), CLIENT_ID, secret, undefined, options);
  const cookies = cookie ?? (await signInAlone(config, issuer));
  return {
    child,
    async signIn() {
      const verifier = client.randomPKCECodeVerifier();
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT,
        scope: "openid profile",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const response = await fetch(url, { redirect: "manual", headers: { cookie: cookies } });
      const location = response.headers.get("location") ?? "";
      if (!location.startsWith(REDIRECT)) throw new Error(`${kind}: no code, but ${location}`);
      await client.authorizationCodeGrant(config, new URL(location), {
        pkceCodeVerifier: verifier,
      });
    },
  };
}

/** Signs in through the library's own sample pages, and returns the cookies of the session. */
async function signInAlone(config: client.Configuration, issuer: string): Promise<string> {
  const jar = new Map<string, string>();
  async function send(url: string, init: RequestInit = {}): Promise<string> {
    const headers = { cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const response = await fetch(new URL(url, issuer), { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
      jar.set(name, value);
    }
    return response.headers.get("location") ?? "";
  }
  const { href } = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: "openid profile",
    code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
    code_challenge_method: "S256",
  });
  const interaction = await send(href);
  const body = new URLSearchParams({ prompt: "login", login: USER, password: "any" });
  await send(await send(interaction, { method: "POST", body }));
  return [...jar].map((pair) => pair.join("=")).join("; ");
}
