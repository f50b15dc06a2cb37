import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { codeOf, Fault, messageOf } from "../../../core/fault.ts";

const ANSWER_WITHIN_MS = 30_000;
/** A chain of certificates has a few thousand bytes. */
const LARGEST_ANSWER = 256 * 1024;

export interface Question {
  readonly method: "GET" | "HEAD" | "POST";
  readonly url: string;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
}

/** HTTPS with the authority. One is used for one attempt and closed after it. */
export interface Exchange {
  ask(question: Question): Promise<Reply>;
  close(): void;
}

export function createExchange(
  trusted: readonly string[],
  stop: AbortSignal,
  answerWithinMs: number = ANSWER_WITHIN_MS,
): Exchange {
  const agent = new Agent({ ca: [...trusted], keepAlive: true, maxSockets: 2 });
  return {
    async ask(question) {
      const url = httpsUrl(question.url);
      const late = AbortSignal.timeout(answerWithinMs);
      try {
        return await exchange(url, question, agent, AbortSignal.any([stop, late]));
      } catch (error) {
        if (error instanceof Fault || stop.aborted) throw error;
        const reason = late.aborted ? "it takes too long to answer" : reasonOf(error);
        throw new Fault("acme_unreachable", `cannot ask ${url.host}: ${reason}`, { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

/** The authority names further addresses itself: none of them may lead out of TLS. */
export function httpsUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:") return url;
  throw new Fault(
    "acme_answer_unusable",
    "the certificate authority named an address without https",
  );
}

/** Where several addresses were tried, the error itself is silent. */
function reasonOf(error: unknown): string {
  return messageOf(error) || (codeOf(error) ?? "no connection");
}

async function exchange(
  url: URL,
  { method, body }: Question,
  agent: Agent,
  signal: AbortSignal,
): Promise<Reply> {
  const headers = {
    "User-Agent": "latchkey",
    ...(body === undefined ? {} : { "Content-Type": "application/jose+json" }),
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request(url, { method, headers, agent, signal }, resolve);
    asking.on("error", reject);
    // An answer that switches protocols is neither: Node only closes the connection.
    asking.on("close", () => reject(new Error("it closes the connection without an HTTP answer")));
    asking.end(body);
  });
  const text = await textOf(answer);
  return {
    status: answer.statusCode ?? 0,
    text,
    header(name) {
      const value = answer.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) {
      throw new Fault("acme_answer_unusable", "the certificate authority's answer is too long");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
