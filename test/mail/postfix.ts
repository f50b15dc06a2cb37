import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { foundProgram } from "../proxies/program.ts";
import { SERVER_CERTIFICATE, SERVER_KEY } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A mailbox on this machine: Postfix takes mail for it, and Dovecot gives it to programs. */
export interface Mailbox {
  /** The port where Postfix takes mail with TLS, from users that Dovecot knows. */
  readonly smtpsPort: number;
  readonly user: string;
  readonly password: string;
  /** Reads all messages by IMAP, as a mail program does. */
  read(): Promise<readonly string[]>;
  /** What Postfix has logged. */
  readonly logFile: string;
}

const run = promisify(execFile);

/** The account `nobody`, which owns the mail. */
const NOBODY = 65_534;
const USER = "ada@example.test";
const PASSWORD = "a-password-of-mail";

const mainSettings = (dir: string, authPort: number): Readonly<Record<string, string>> => ({
  compatibility_level: "3.6",
  queue_directory: join(dir, "queue"),
  data_directory: join(dir, "data"),
  maillog_file: join(dir, "postfix.log"),
  maillog_file_prefixes: dir,
  myhostname: "mail.example.test",
  mydestination: "",
  inet_interfaces: "127.0.0.1",
  inet_protocols: "ipv4",
  virtual_mailbox_domains: "example.test",
  virtual_mailbox_base: join(dir, "mail"),
  virtual_mailbox_maps: "static:ada/",
  virtual_uid_maps: `static:${NOBODY}`,
  virtual_gid_maps: `static:${NOBODY}`,
  smtpd_tls_cert_file: join(dir, "cert.pem"),
  smtpd_tls_key_file: join(dir, "key.pem"),
  smtpd_sasl_auth_enable: "yes",
  smtpd_sasl_type: "dovecot",
  smtpd_sasl_path: `inet:127.0.0.1:${authPort}`,
  smtpd_relay_restrictions: "permit_sasl_authenticated, reject",
  smtpd_recipient_restrictions: "permit_sasl_authenticated, reject",
});

const services = (port: number): string => `
127.0.0.1:${port} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

const dovecotSettings = (dir: string, imapPort: number, authPort: number): string => `
base_dir = ${dir}/run
log_path = ${dir}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${dir}/mail/ada
auth_mechanisms = plain login
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${dir}/mail
}
service imap-login {
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = 0
  }
}
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${authPort}
  }
}
`;

/** Starts both servers, which end with the test. Only root can start Postfix. */
export async function startMailbox(t: TestContext): Promise<Mailbox> {
  // Before the folder is removed, which is the next hook.
  let stop: () => Promise<unknown> = async () => {};
  t.after(() => stop());
  const dir = await tempDir(t);
  const [smtpsPort, imapPort, authPort] = [await freePort(), await freePort(), await freePort()];
  await chmod(dir, 0o755);
  for (const name of ["queue", "data", "mail", "etc", "run"]) await mkdir(join(dir, name));
  await chown(join(dir, "mail"), NOBODY, NOBODY);
  await run("chown", ["postfix", join(dir, "data")]);
  await writeFile(join(dir, "cert.pem"), SERVER_CERTIFICATE);
  await writeFile(join(dir, "key.pem"), SERVER_KEY, { mode: 0o600 });
  const settings = Object.entries(mainSettings(dir, authPort));
  const etc = join(dir, "etc");
  await writeFile(join(etc, "main.cf"), settings.map((pair) => `${pair.join(" = ")}\n`).join(""));
  await writeFile(join(etc, "master.cf"), services(smtpsPort));
  const dovecotFile = join(dir, "dovecot.conf");
  await writeFile(dovecotFile, dovecotSettings(dir, imapPort, authPort));

  const dovecot = startProgram(t, foundProgram("dovecot") ?? "", ["-F", "-c", dovecotFile], {});
  const postfix = foundProgram("postfix") ?? "";
  stop = () => run(postfix, ["-c", etc, "stop"]);
  await run(postfix, ["-c", etc, "start"]);
  const read = () => Promise.race([readByImap(imapPort), dovecot.ended.then(() => [])]);
  await eventually(() => read().catch(() => undefined));
  return {
    ...{ smtpsPort, user: USER, password: PASSWORD, read },
    logFile: join(dir, "postfix.log"),
  };
}

/** Reads all messages of the inbox. */
async function readByImap(port: number): Promise<readonly string[]> {
  const socket = connect(port, "127.0.0.1");
  let seen = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    seen += text;
  });
  const commands = [
    `LOGIN "${USER}" "${PASSWORD}"`,
    "SELECT INBOX",
    "FETCH 1:* BODY.PEEK[]",
    "LOGOUT",
  ];
  socket.write(commands.map((command, number) => `a${number} ${command}\r\n`).join(""));
  await once(socket, "close");
  if (!/^a0 OK/m.test(seen)) throw new Error(`no mailbox: ${seen}`);
  return [...seen.matchAll(/^\* \d+ FETCH .*\{(\d+)\}\r\n/gm)].map((match) => {
    const from = match.index + match[0].length;
    return Buffer.from(seen.slice(from, from + Number(match[1])), "latin1").toString();
  });
}
