import { isUsableEmail } from "../lib/email.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { isUsableName } from "../lib/names.ts";
import { GiveUp } from "./give-up.ts";
import type { WrittenMail } from "./write-mail.ts";

/** Says which server takes the mail, and how the connection is protected. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * With `tls`, the connection is encrypted from its start. With `starttls`, it must become
   * encrypted before anything is sent. Both require a valid certificate. With `insecure`, it becomes
   * encrypted if the server offers that, with any certificate. A server on this machine needs `none`.
   */
  readonly protection: "tls" | "starttls" | "insecure" | "none";
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

const SUBMISSION = 587;
const SUBMISSION_WITH_TLS = 465;
const LOCAL = 25;

/** Parses the URL of a mail server. Returns `undefined` for a URL that cannot be used. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text);
  const protection = url && findProtection(url);
  if (!protection || !/^(\[[\da-f:.]+\]|[a-z\d]([a-z\d.-]*[a-z\d])?)$/i.test(url.hostname))
    return undefined;
  if (url.search !== "" || url.hash !== "" || !["", "/"].includes(url.pathname)) return undefined;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined) return undefined;
  if ((user === "") !== (password === "")) return undefined;
  if (url.port === "0") return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? getDefaultPort(protection) : Number(url.port),
    protection,
    ...(user !== "" && { user, password }),
  };
}

function findProtection({ protocol, hostname }: URL): SmtpServer["protection"] | undefined {
  switch (protocol) {
    case "smtps:":
      return "tls";
    case "smtp+insecure:":
      return "insecure";
    case "smtp:":
      return isLoopbackHost(hostname) ? "none" : "starttls";
    default:
      return undefined;
  }
}

function getDefaultPort(protection: SmtpServer["protection"]): number {
  if (protection === "none") return LOCAL;
  return protection === "tls" ? SUBMISSION_WITH_TLS : SUBMISSION;
}

/** Returns `undefined` for a text with a wrong escape, or with a character that ends a line. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return /\p{Cc}/u.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Describes the sender of all messages. */
export interface MailFrom {
  readonly name: string;
  readonly address: string;
}

/** Parses a sender such as `latchkey@example.org` or `Home <latchkey@example.org>`. */
export function parseMailFrom(text: string): MailFrom | undefined {
  const [, name = "", bracketed] = /^([^<>"]*?)\s*<([^<>]*)>$/.exec(text) ?? [];
  const address = bracketed ?? text;
  return isUsableEmail(address) && isUsableName(name) ? { name, address } : undefined;
}

/** Limits how long a mail server may take. */
interface MailerLimits {
  /** The server must say something within this time. */
  readonly silenceMs: number;
  /** A message in transit must have ended before another instance may send it. */
  readonly sendWithinMs: number;
}

const LIMITS: MailerLimits = { silenceMs: 20_000, sendWithinMs: 120_000 };

/** Sends messages, or fails. */
export interface Mailer {
  /** @throws {GiveUp} if the server refuses the message for good. */
  send(mail: WrittenMail, stop: AbortSignal): Promise<void>;
  /** Connects and authenticates, without sending anything. Rejects if the server refuses. */
  check(): Promise<void>;
}

/**
 * Creates a mailer. `nodemailer` is loaded with the first message. The mailer opens a connection for
 * each message: an installation sends few, and a kept connection may have been closed.
 */
export function createMailer(
  server: SmtpServer,
  from: MailFrom,
  { silenceMs, sendWithinMs }: MailerLimits = LIMITS,
): Mailer {
  const { host, port, protection, user, password } = server;
  const connection = {
    host,
    port,
    secure: protection === "tls",
    requireTLS: protection === "starttls",
    ignoreTLS: protection === "none",
    tls: { rejectUnauthorized: protection !== "insecure" },
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    // Without authentication, a server would refuse every recipient, and each message be given up.
    forceAuth: user !== undefined,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    dnsTimeout: silenceMs,
    socketTimeout: silenceMs,
    // Nothing in a message comes from a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    async check() {
      const { createTransport } = await import("nodemailer");
      await createTransport(connection).verify();
    },

    async send({ id, to, subject, text, html }, stop) {
      const { createTransport } = await import("nodemailer");
      const signal = AbortSignal.any([stop, AbortSignal.timeout(sendWithinMs)]);
      const domain = from.address.slice(from.address.indexOf("@") + 1);
      try {
        await createTransport(connection).sendMail({
          from,
          to: { name: "", address: to },
          subject,
          text,
          html,
          // A program that gets the message twice, after a crash, recognizes it by its ID.
          messageId: `<${id}@${domain}>`,
          // Programs that answer mail by themselves leave this message alone.
          headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
          signal,
        });
      } catch (error) {
        if (isRefusedRecipient(error)) throw new GiveUp(getReply(error), { cause: error });
        throw error;
      }
    },
  };
}

/** Contains what `nodemailer` says about a failure. */
interface SmtpError {
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

/**
 * Returns whether the server refuses this recipient. Another refusal, for example of the password
 * or the sender, can end when the operator changes a setting.
 */
function isRefusedRecipient(error: unknown): boolean {
  const { command, responseCode } = error as SmtpError;
  return command === "RCPT TO" && typeof responseCode === "number" && responseCode >= 500;
}

const getReply = (error: unknown): string => {
  const { response } = error as SmtpError;
  return typeof response === "string" ? response : String(error);
};
