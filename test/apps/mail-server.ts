import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { RecipeSite } from "./recipe-app.ts";
import { AS_NOBODY, giveAway, requireProgram, serveProgram } from "./server-program.ts";

const run = promisify(execFile);

const TOKENS = "/etc/dovecot/dovecot-oauth2.conf.ext";
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

export interface MailServer {
  readonly port: number;
  /** Opens a mailbox with a token, and returns what the server says to it, such as `OK` or `NO`. */
  signIn(address: string, token: string): Promise<string>;
  readLog(): Promise<string>;
}

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Starts Dovecot with the lines of the recipe, and a message in a mailbox. */
export async function startMailServer(
  t: TestContext,
  { linesOf, caFile }: RecipeSite,
  message: Message,
): Promise<MailServer> {
  const program = requireProgram("dovecot", "dovecot-imapd");
  const folder = await tempDir(t);
  const port = await freePort();
  const tokens = join(folder, "dovecot-oauth2.conf.ext");
  const authority = join(folder, "authority");
  await copyFile(caFile, authority);
  await writeFile(tokens, linesOf(TOKENS).join("\n").replace(AUTHORITIES, authority));
  const read = (number: string): string =>
    linesOf(`/etc/dovecot/conf.d/${number}-oauth2.conf (Dovecot 2.3)`).join("\n");
  const before = read("05").replace(TOKENS, tokens);
  const file = join(folder, "dovecot.conf");
  await writeFile(file, configure(folder, port, [before, SYSTEM, read("90")]));
  await giveAway(folder);
  await serveProgram(t, program, {
    ...{ args: ["-F", "-c", file], cwd: folder, port },
    logs: [join(folder, "log")],
  });
  // Delivers it as a mail server does, so that its index is complete when the first client comes.
  const delivery = run("doveadm", ["-c", file, "save", "-u", message.to], {
    cwd: folder,
    ...AS_NOBODY,
  });
  delivery.child.stdin?.end(formatMessage(message));
  await delivery;
  return {
    port,
    signIn: (address, token) => signIn(port, address, token),
    readLog: () => readFile(join(folder, "log"), "utf8"),
  };
}

/** What Debian has in the files between those of the recipe. */
const SYSTEM = `
auth_mechanisms = plain
passdb {
  driver = pam
}
`;

/** The settings of a Dovecot without root, with a mailbox for each address. */
function configure(folder: string, port: number, files: readonly string[]): string {
  const user = AS_NOBODY.uid === undefined ? userInfo().username : "nobody";
  const group = AS_NOBODY.gid === undefined ? String(userInfo().gid) : "nogroup";
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
mail_location = maildir:${folder}/mail/%u
userdb {
  driver = static
  args = allow_all_users=yes uid=${user} gid=${group} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  # Without it, each refusal makes the next answer slower.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
auth_failure_delay = 0
auth_verbose = yes
${files.join("\n")}
`;
}

const formatMessage = ({ to, subject, text }: Message): string =>
  [
    `From: The postmaster <postmaster@example.org>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    "Date: Mon, 02 Nov 2026 10:00:00 +0000",
    "Message-ID: <1@example.org>",
    "Content-Type: text/plain; charset=utf-8",
    "",
    text,
    "",
  ].join("\n");

/** Speaks IMAP as any mail program with XOAUTH2 does. */
async function signIn(port: number, address: string, token: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    await lines.next();
    const sent = Buffer.from(`user=${address}\x01auth=Bearer ${token}\x01\x01`).toString("base64");
    socket.write(`a AUTHENTICATE XOAUTH2 ${sent}\r\n`);
    for await (const line of { [Symbol.asyncIterator]: () => lines }) {
      // After a failure, the client confirms that it has read why.
      if (line.startsWith("+")) socket.write("\r\n");
      const [, outcome] = /^a (\w+)/.exec(line) ?? [];
      if (outcome !== undefined) return outcome;
    }
    return "closed";
  } finally {
    socket.destroy();
  }
}
