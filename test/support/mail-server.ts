import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

/** Describes a message that the server has taken. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The message with its headers. */
  readonly source: string;
}

export interface MailServer {
  /** The URL of the server, with a user and a password if it requires them. */
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** Receives a message. `done` is called when all of it has arrived. */
  readonly take: (stream: Readable, session: SMTPServerSession, done: () => void) => void;
  /** Resolves once this many messages have arrived. */
  waitFor(count: number): Promise<readonly ReceivedMail[]>;
}

/** A message that does not come must not keep the test waiting for ever. */
const WAIT_MS = 20_000;

/** Starts a mail server on a free port of loopback. It takes every message. */
export async function startMailServer(
  t: Pick<TestContext, "after">,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const arrived = new EventTarget();
  const take: MailServer["take"] = (stream, { envelope: { mailFrom, rcptTo } }, done) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      received.push({
        from: mailFrom === false ? "" : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        source: Buffer.concat(chunks).toString(),
      });
      done();
      arrived.dispatchEvent(new Event("mail"));
    });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    onAuth(auth, _session, done) {
      done(auth.password === "right" ? null : new Error("wrong"), { user: auth.username });
    },
    onData: take,
    ...options,
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    take,
    async waitFor(count) {
      const signal = AbortSignal.timeout(WAIT_MS);
      while (received.length < count) await once(arrived, "mail", { signal });
      return received;
    },
  };
}

/** Returns the text of a message without its headers and its encoding. */
export function readText({ source }: ReceivedMail): string {
  const [, boundary = ""] = /boundary="?([^"\r\n;]+)/.exec(source) ?? [];
  const part = source
    .split(`--${boundary}`)
    .find((text) => /^\s*Content-Type: text\/plain/i.test(text));
  const [head = "", ...body] = (part ?? "").split("\r\n\r\n");
  const text = body.join("\r\n\r\n");
  if (/base64/i.test(head)) return Buffer.from(text, "base64").toString();
  const bytes = text
    .replace(/=\r\n/g, "")
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** Returns the one-time link of a message. */
export function readLink(mail: ReceivedMail): string {
  const [url] = /https?:\/\/\S+\/link\/[\w-]+/.exec(readText(mail)) ?? [];
  if (url === undefined) throw new Error(`there is no link in: ${readText(mail)}`);
  return url;
}
