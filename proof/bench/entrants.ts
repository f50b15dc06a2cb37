import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { checkSameWork, type Exchange } from "./check.ts";
import { type Contestant, isBelow, isLatchkeyApp } from "./contestants.ts";
import type { Installed, Installer } from "./install.ts";
import { addresses, ask, run } from "./load.ts";
import { RECORDED, type RecordedPage } from "./peers/bare.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import type { Round } from "./results.ts";
import { launch, type Place, plant } from "./servers.ts";
import { get } from "./wire.ts";

/** The pause until the log entries are written. */
const REST_MS = 500;
/** Enough entries to fill the list of the newest ones on the page. */
const LOG_ENTRIES = 24;

/** A contestant that is installed and has data. */
export interface Entrant {
  readonly contestant: Contestant;
  readonly installed: Installed;
  readonly busy: Place;
  /** With only a few users. */
  readonly idle: Place;
  readonly cookies: readonly string[];
  readonly idleCookie: string;
  readonly addresses: Iterator<string>;
  readonly rounds: Round[];
  readonly starts: { readonly took: number; readonly memory: number }[];
}

export async function enter(
  contestant: Contestant,
  installer: Installer,
  folder: string,
  sessions: number,
): Promise<Entrant> {
  const { origin, packages } = contestant;
  const installed = await installer.install(origin, packages);
  const busy = { app: installed, data: join(folder, "busy") };
  const idle = { app: installed, data: join(folder, "idle") };
  await mkdir(busy.data, { recursive: true, mode: 0o700 });
  await mkdir(idle.data, { recursive: true, mode: 0o700 });
  const cookies = await plant(contestant, busy, sessions);
  const [idleCookie = ""] = await plant(contestant, idle, 1);
  return {
    contestant,
    installed,
    busy,
    idle,
    cookies,
    idleCookie,
    addresses: addresses(),
    rounds: [],
    starts: [],
  };
}

/** The gate and nginx answer with other headers than a page, so only apps are compared. */
export async function checkWork(entrants: readonly Entrant[]): Promise<void> {
  for (const entrant of entrants.filter(({ contestant }) => isLatchkeyApp(contestant))) {
    const layer = entrants.find(({ contestant }) => isBelow(contestant, entrant.contestant));
    if (layer !== undefined) checkSameWork(await exchange(entrant), await exchange(layer));
  }
}

async function exchange({ contestant, idle, idleCookie }: Entrant): Promise<Exchange> {
  const request = get(contestant.guarded, idleCookie);
  const server = await launch(contestant, idle, request, "all");
  try {
    return { request, response: await ask(server.port, request) };
  } finally {
    await server.stop();
  }
}

/** Records Latchkey's pages for the bare HTTP layers, after filling the log that they show. */
export async function recordPages(
  { contestant, busy }: Entrant,
  all: readonly Entrant[],
): Promise<void> {
  if (contestant.kind !== "bare" || contestant.ownPage === undefined) return;
  const from = all.find(
    (one) => isLatchkeyApp(one.contestant) && isBelow(contestant, one.contestant),
  );
  if (from === undefined) throw new Error("no app with Latchkey to record the pages of");
  const { loginPage = "", ownPage = "", guarded, signIn } = from.contestant;
  const [cookie] = from.cookies;
  const server = await launch(from.contestant, from.busy, get(guarded, cookie), "all");
  try {
    const request = await signIn?.attempts(server.port);
    let left = LOG_ENTRIES;
    await run({
      port: server.port,
      connections: 2,
      status: signIn?.right.status ?? 0,
      next: () =>
        left-- > 0
          ? request?.(nameOf(0), PASSWORD, String(from.addresses.next().value))
          : undefined,
    });
    await setTimeout(REST_MS);
    const pages = [
      recorded("/login", await ask(server.port, get(loginPage))),
      recorded("/own", await ask(server.port, get(ownPage, cookie))),
    ];
    await writeFile(join(busy.data, RECORDED), JSON.stringify(pages));
  } finally {
    await server.stop();
  }
}

function recorded(path: string, answer: string): RecordedPage {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const headers = head
    .split("\r\n")
    .slice(1)
    .map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
  const body = Buffer.from(rest.join("\r\n\r\n"), "latin1").toString();
  return { path, headers: headers.filter(([name]) => !ofTheConnection.test(name)), body };
}

const ofTheConnection = /^(date|connection|keep-alive)$/i;
