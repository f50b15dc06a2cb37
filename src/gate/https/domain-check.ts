import { lookup } from "node:dns/promises";
import { get, type IncomingMessage } from "node:http";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import type { ChallengeDesk } from "./challenges.ts";

/** Where authorities look, by their rules. */
const HTTP_PORT = 80;
const ANSWER_WITHIN_MS = 10_000;
const LONGEST_ANSWER = 64;

/**
 * Asks for something under the name that only this gate knows, before an authority does: each of
 * its failed checks counts, and after a few it refuses for an hour.
 */
export async function checkDomain(
  name: string,
  desk: Pick<ChallengeDesk, "probe">,
  stop: AbortSignal,
  port: number = HTTP_PORT,
  answerWithinMs: number = ANSWER_WITHIN_MS,
): Promise<void> {
  const address = await addressOf(name);
  const probe = desk.probe();
  try {
    const asking = { host: address, port, path: probe.path, name, answerWithinMs };
    const said = await ask(asking, stop);
    if (said !== probe.answer) throw unfit(name, `at ${address}, port ${port}, is another server`);
  } finally {
    probe.withdraw();
  }
}

async function addressOf(name: string): Promise<string> {
  try {
    return (await lookup(name)).address;
  } catch (error) {
    throw unfit(name, `the name leads nowhere (${codeOf(error) ?? messageOf(error)})`);
  }
}

interface Asking {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly name: string;
  readonly answerWithinMs: number;
}

async function ask(asking: Asking, stop: AbortSignal): Promise<string> {
  const { host, port, path, name, answerWithinMs } = asking;
  const late = AbortSignal.timeout(answerWithinMs);
  const signal = AbortSignal.any([stop, late]);
  const options = { host, port, path, agent: false, signal, headers: { Host: name } } as const;
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // An answer that switches protocols is neither: Node only closes the connection.
      get(options, resolve)
        .on("error", reject)
        .on("close", () => reject(new Error("no HTTP answer")));
    });
    return await startOf(answer);
  } catch (error) {
    if (stop.aborted) throw error;
    const reason = late.aborted ? "too slow" : (codeOf(error) ?? messageOf(error));
    throw unfit(name, `port ${port} of ${host} does not answer (${reason})`);
  }
}

async function startOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer.setEncoding("latin1")) {
    text += chunk;
    if (text.length > LONGEST_ANSWER) break;
  }
  return text;
}

const unfit = (name: string, reason: string): Fault =>
  new Fault("domain_not_here", `${name} does not lead to this gate: ${reason}`);
