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
  /** One guarded request, in the first round. */
  exchange: Exchange | undefined;
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
    exchange: undefined,
    rounds: [],
    starts: [],
  };
}

/** The gate and nginx answer with other headers than a page, so only apps are compared. */
export function checkWork(entrants: readonly Entrant[]): void {
  for (const { contestant, exchange } of entrants) {
    if (!isLatchkeyApp(contestant) || exchange === undefined) continue;
    const layer = entrants.find((one) => isBelow(one.contestant, contestant));
    if (layer?.exchange !== undefined) checkSameWork(exchange, layer.exchange);
  }
}

/** Records Latchkey's pages for the bare HTTP layers, after filling the log that they show. */
export async function recordPages(entrants: readonly Entrant[]): Promise<void> {
  const from = entrants.find(({ contestant }) => isLatchkeyApp(contestant));
  if (from === undefined) return;
  const pages = JSON.stringify(await pagesOf(from));
  for (const { contestant, busy } of entrants) {
    if (contestant.kind === "bare") await writeFile(join(busy.data, RECORDED), pages);
  }
}

async function pagesOf({ contestant, busy, cookies, addresses }: Entrant): Promise<RecordedPage[]> {
  const { loginPage = "", ownPage = "", guarded, signIn } = contestant;
  const [cookie] = cookies;
  const server = await launch(contestant, busy, get(guarded, cookie), "all");
  try {
    const request = await signIn?.attempts(server.port);
    let left = LOG_ENTRIES;
    await run({
      port: server.port,
      connections: 2,
      status: signIn?.right.status ?? 0,
      next: () =>
        left-- > 0 ? request?.(nameOf(0), PASSWORD, String(addresses.next().value)) : undefined,
    });
    await setTimeout(REST_MS);
    return [
      recorded("/login", await ask(server.port, get(loginPage))),
      recorded("/own", await ask(server.port, get(ownPage, cookie))),
    ];
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
