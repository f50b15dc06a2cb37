import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { getErrorReason } from "../../src/lib/fault.ts";
import { GiveUp } from "../../src/mail/give-up.ts";
import { createMailer, parseMailFrom, parseSmtpUrl, type SmtpServer } from "../../src/mail/smtp.ts";
import {
  CA_CERTIFICATE,
  makeCertificate,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from "../support/certificates.ts";
import { startMailServer } from "../support/mail-server.ts";

const FROM = { name: "Home", address: "home@example.org" };
const PASSWORD = "p@ss:wörd";
const NEVER = new AbortController().signal;

const MESSAGE = {
  id: "0123456789abcdef",
  to: "ada@example.org",
  subject: "A subject",
  text: "A text\n",
  html: "<p>A text</p>",
};

/** A message that fits into no buffer between two processes. */
const LARGE_MESSAGE = { ...MESSAGE, text: "A line of the text.\n".repeat(500_000) };

/** The server of a URL that can be used. */
function serverAt(url: string): SmtpServer {
  const server = parseSmtpUrl(url);
  assert.ok(server, url);
  return server;
}

/** Why a mailer fails. */
async function reasonOf(sending: Promise<unknown>): Promise<string> {
  const error = await sending.then(
    () => assert.fail("it was sent"),
    (thrown: unknown) => thrown,
  );
  return getErrorReason(error);
}

/** A server that follows no rule. It keeps everything that clients write. */
async function startRawServer(
  t: TestContext,
  onLine: (line: string, socket: Socket) => void,
  greeting = "220 raw.example.org\r\n",
) {
  const events = new EventTarget();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    let rest = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      raw.seen += text;
      const lines = (rest + text).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line, socket);
    });
    socket.write(greeting);
    events.dispatchEvent(new Event("connection"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const raw = { seen: "", port: address.port, events, sockets };
  return raw;
}

/** Answers each command as a server that takes everything, up to the content of the message. */
function answerCommand(line: string, socket: Socket): void {
  if (/^EHLO/.test(line)) socket.write("250-raw.example.org\r\n250 8BITMIME\r\n");
  else if (/^(MAIL|RCPT)/.test(line)) socket.write("250 ok\r\n");
  else if (line === "DATA") socket.write("354 go on\r\n");
}

test("reads a server from its URL", () => {
  const rows: readonly [string, SmtpServer][] = [
    ["smtps://mail.example.org", { host: "mail.example.org", port: 465, protection: "tls" }],
    ["smtps://mail.example.org:2465/", { host: "mail.example.org", port: 2465, protection: "tls" }],
    ["smtp://mail.example.org", { host: "mail.example.org", port: 587, protection: "starttls" }],
    ["smtp://mail.example.org:25", { host: "mail.example.org", port: 25, protection: "starttls" }],
    ["smtp+insecure://mail", { host: "mail", port: 587, protection: "insecure" }],
    ["smtp+insecure://127.0.0.1:25", { host: "127.0.0.1", port: 25, protection: "insecure" }],
    ["smtp://localhost", { host: "localhost", port: 25, protection: "none" }],
    ["smtp://LOCALHOST", { host: "LOCALHOST", port: 25, protection: "none" }],
    ["smtp://127.0.0.1:1025", { host: "127.0.0.1", port: 1025, protection: "none" }],
    ["smtp://[::1]", { host: "::1", port: 25, protection: "none" }],
    ["smtp://[2001:db8::1]:26", { host: "2001:db8::1", port: 26, protection: "starttls" }],
    ["smtps://localhost", { host: "localhost", port: 465, protection: "tls" }],
  ];
  for (const [url, server] of rows) assert.deepEqual(parseSmtpUrl(url), server, url);
});

test("a host is on this machine only if its name or address says so", () => {
  for (const host of ["127.1", "0.0.0.0", "localhost.example.org", "[::]", "[::ffff:8.8.8.8]"])
    assert.equal(parseSmtpUrl(`smtp://${host}`)?.protection, "starttls", host);
});

test("reads a user and a password with escapes", () => {
  const url = `smtps://ada%40example.org:${encodeURIComponent(PASSWORD)}@mail.example.org`;
  const { user, password } = serverAt(url);
  assert.deepEqual({ user, password }, { user: "ada@example.org", password: PASSWORD });
});

test("refuses URLs that are no server", () => {
  const wrong = [
    ...["", "mail.example.org", "mail.example.org:25", "https://mail.example.org", "smtp://"],
    ...["smtp:mail.example.org", "smtp+starttls://mail.example.org", "smtps://mail.example.org:0"],
    ...["smtps://mail.example.org:65536", "smtps://mail.example.org/path"],
    ...["smtps://mail.example.org?tls=no", "smtps://mail.example.org#tls"],
    ...["smtps://ada@mail.example.org", "smtps://:secret@mail.example.org"],
    ...["smtps://ada:%@mail.example.org", "smtps://ada:%0D%0AQUIT@mail.example.org"],
    ...["smtps://a%00b:secret@mail.example.org", "smtps://-mail.example.org"],
    ...["smtps://mail_example.org", "smtps://mail%0D.example.org", "smtps://mail.example.org,x"],
    // A slash, a question mark or a number sign in a password must be escaped.
    ...["smtps://ada:se/cret@mail.example.org", "smtps://ada:se#cret@mail.example.org"],
  ];
  for (const url of wrong) assert.equal(parseSmtpUrl(url), undefined, url);
});

test("reads the sender of mail", () => {
  const rows: readonly [string, { name: string; address: string } | undefined][] = [
    ["home@example.org", { name: "", address: "home@example.org" }],
    ["<home@example.org>", { name: "", address: "home@example.org" }],
    ["Home <home@example.org>", { name: "Home", address: "home@example.org" }],
    ["Home, sweet home   <home@example.org>", { name: "Home, sweet home", address: FROM.address }],
    ["بيتنا <home@example.org>", { name: "بيتنا", address: "home@example.org" }],
    ["Home", undefined],
    ["Home <home>", undefined],
    ["Home <home@example.org> x", undefined],
    ["Home <home@example.org>, <other@example.org>", undefined],
    ["home@example.org, other@example.org", undefined],
    ["Home\r\nBcc: x <home@example.org>", undefined],
    ["Home <home@example.org\r\nBcc: x>", undefined],
    ["a\u202eb <home@example.org>", undefined],
    [`${"x".repeat(256)} <home@example.org>`, undefined],
  ];
  for (const [text, from] of rows) assert.deepEqual(parseMailFrom(text), from, text);
});

test("sends a message with the user and the password", async (t) => {
  const seen: unknown[] = [];
  const mail = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      seen.push([username, password]);
      done(null, { user: username });
    },
  });
  const url = `smtp://ada%40example.org:${encodeURIComponent(PASSWORD)}@127.0.0.1:${mail.port}`;
  const mailer = createMailer(serverAt(url), FROM);
  await mailer.check();
  await mailer.send(MESSAGE, NEVER);
  const [sent] = await mail.waitFor(1);
  assert.deepEqual([sent?.from, sent?.to], [FROM.address, [MESSAGE.to]]);
  assert.deepEqual(seen, [
    ["ada@example.org", PASSWORD],
    ["ada@example.org", PASSWORD],
  ]);
  assert.equal(mail.received.length, 1, "a check sends nothing");
});

test("gives up when the recipient is refused for good, and only then", async (t) => {
  const refusing = async (
    at: "onRcptTo" | "onMailFrom" | "onData",
    responseCode: number,
  ): Promise<unknown> => {
    const error = Object.assign(new Error("no mailbox here"), { responseCode });
    const mail = await startMailServer(t, {
      [at]: (...given: unknown[]) => {
        const stream = given[0];
        if (at === "onData" && stream instanceof Object && "resume" in stream)
          (stream as NodeJS.ReadableStream).resume();
        (given.at(-1) as (error: Error) => void)(error);
      },
    });
    const sending = createMailer(serverAt(mail.url), FROM).send(MESSAGE, NEVER);
    return sending.catch((thrown: unknown) => thrown);
  };
  const refused = await refusing("onRcptTo", 550);
  assert.ok(refused instanceof GiveUp);
  assert.match(refused.message, /^550 no mailbox here$/);
  assert.ok((await refusing("onRcptTo", 553)) instanceof GiveUp);
  for (const [at, code] of [
    ["onRcptTo", 450],
    ["onRcptTo", 421],
    // The sender is a setting, and the content may please the server again.
    ["onMailFrom", 550],
    ["onMailFrom", 451],
    ["onData", 554],
    ["onData", 452],
  ] as const) {
    const error = await refusing(at, code);
    assert.ok(error instanceof Error && !(error instanceof GiveUp), `${at} ${code}`);
    assert.match(error.message, new RegExp(`${code}`));
  }
});

test("a wrong password is a failure that may end", async (t) => {
  const mail = await startMailServer(t, { authOptional: false, allowInsecureAuth: true });
  const url = (password: string) => `smtp://ada:${password}@127.0.0.1:${mail.port}`;
  const mailer = createMailer(serverAt(url("wrong-password")), FROM);
  for (const attempt of [mailer.check(), mailer.send(MESSAGE, NEVER)]) {
    const error = await attempt.then(
      () => assert.fail("it was sent"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof Error && !(error instanceof GiveUp));
    assert.match(error.message, /535/);
    assert.doesNotMatch(error.message, /wrong-password|d3JvbmctcGFzc3dvcmQ/);
  }
  await createMailer(serverAt(url("right")), FROM).check();
  assert.deepEqual(mail.received, []);
});

test("a password that the server does not ask for is a failure, not an anonymous message", async (t) => {
  const mail = await startMailServer(t, { disabledCommands: ["STARTTLS", "AUTH"] });
  const mailer = createMailer(serverAt(`smtp://ada:secret@127.0.0.1:${mail.port}`), FROM);
  await assert.rejects(mailer.check());
  await assert.rejects(mailer.send(MESSAGE, NEVER), (error) => !(error instanceof GiveUp));
  assert.deepEqual(mail.received, []);
});

test("gives a silent server up: before the greeting, in the message, and after it", async (t) => {
  const limits = { silenceMs: 50, sendWithinMs: 60_000 };
  const silent = await startRawServer(t, () => {}, "");
  const inside = await startRawServer(t, (line, socket) => {
    answerCommand(line, socket);
    if (line === "DATA") socket.pause();
  });
  const afterwards = await startRawServer(t, answerCommand);
  for (const [{ port }, message] of [
    [silent, MESSAGE],
    [inside, LARGE_MESSAGE],
    [afterwards, MESSAGE],
  ] as const) {
    const mailer = createMailer(serverAt(`smtp://127.0.0.1:${port}`), FROM, limits);
    assert.match(await reasonOf(mailer.send(message, NEVER)), /timeout|never received/i);
  }
});

test("gives a server up that says something again and again", async (t) => {
  const chatty = await startRawServer(t, (line, socket) => {
    if (!line.startsWith("EHLO")) return;
    const timer = setInterval(() => socket.write("250-and so on\r\n"), 5);
    t.after(() => clearInterval(timer));
  });
  const limits = { silenceMs: 60_000, sendWithinMs: 100 };
  const mailer = createMailer(serverAt(`smtp://127.0.0.1:${chatty.port}`), FROM, limits);
  assert.match(await reasonOf(mailer.send(MESSAGE, NEVER)), /timeout/);
});

test("ends an attempt with its signal, and the connection with it", async (t) => {
  const stop = new AbortController();
  const silent = await startRawServer(t, (line, socket) => {
    answerCommand(line, socket);
    if (line === ".") stop.abort(new Error("the gate stops"));
  });
  const mailer = createMailer(serverAt(`smtp://127.0.0.1:${silent.port}`), FROM);
  assert.equal(await reasonOf(mailer.send(MESSAGE, stop.signal)), "the gate stops");
  const [socket] = silent.sockets;
  assert.ok(socket);
  if (!socket.closed) await once(socket, "close");
  await assert.rejects(mailer.send(MESSAGE, stop.signal), "a signal that has aborted before");
  assert.equal(silent.sockets.size, 1);
});

test("a connection that ends after the message leaves it open whether it was taken", async (t) => {
  const dropping = await startRawServer(t, (line, socket) => {
    answerCommand(line, socket);
    if (line === ".") socket.destroy();
  });
  const mailer = createMailer(serverAt(`smtp://127.0.0.1:${dropping.port}`), FROM);
  await assert.rejects(mailer.send(MESSAGE, NEVER), (error) => !(error instanceof GiveUp));
  assert.match(dropping.seen, /Message-ID: <0123456789abcdef@example\.org>/i);
});

/** Replies of each kind of failure come to the log, so they must not contain the password. */
const user = { user: "ada", password: "the password" };

const serverOn = (
  port: number,
  protection: SmtpServer["protection"],
  host = "localhost",
): SmtpServer => ({ host, port, protection, ...user });

test("accepts only a valid certificate, and no other server gets the password", async (t) => {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, CA_CERTIFICATE]);
  t.after(() => setDefaultCACertificates(before));
  const expired = makeCertificate({ names: ["localhost"], until: new Date("2021-01-01") });
  const selfSigned = makeCertificate({ names: ["localhost"] });
  const valid = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
  for (const [cert, host, expected] of [
    [valid, "localhost", "accepted"],
    [valid, "127.0.0.1", "refused"],
    [selfSigned, "localhost", "refused"],
    [expired, "localhost", "refused"],
  ] as const) {
    for (const protection of ["tls", "starttls", "insecure"] as const) {
      const passwords: unknown[] = [];
      const mail = await startMailServer(t, {
        ...cert,
        secure: protection === "tls",
        authOptional: false,
        disabledCommands: [],
        onAuth({ username, password }, { secure }, done) {
          passwords.push({ password, secure });
          done(null, { user: username });
        },
      });
      const label = `${protection} ${host} ${expected}`;
      const mailer = createMailer(serverOn(mail.port, protection, host), FROM);
      if (expected === "accepted" || protection === "insecure") {
        await mailer.check();
        await mailer.send(MESSAGE, NEVER);
        const both = { password: user.password, secure: true };
        assert.deepEqual(passwords, [both, both], label);
      } else {
        assert.match(await reasonOf(mailer.check()), /certificate|altnames/i, label);
        assert.match(await reasonOf(mailer.send(MESSAGE, NEVER)), /certificate|altnames/i, label);
        assert.deepEqual([passwords, mail.received], [[], []], label);
      }
    }
  }
});

test("never sends anything in clear to a server without STARTTLS", async (t) => {
  const withAuth = (line: string, socket: Socket): void => {
    if (/^EHLO/.test(line)) socket.write("250-raw.example.org\r\n250 AUTH PLAIN LOGIN\r\n");
    // A wrong answer, as from somebody between both.
    else if (line === "STARTTLS") socket.write("454 not now\r\n");
    else socket.write("250 ok\r\n");
  };
  const plain = await startRawServer(t, withAuth);
  const mailer = createMailer(serverOn(plain.port, "starttls", "127.0.0.1"), FROM);
  await assert.rejects(mailer.check());
  await assert.rejects(mailer.send(MESSAGE, NEVER));
  assert.match(plain.seen, /^EHLO \S+\r\nSTARTTLS\r\n/);
  assert.doesNotMatch(plain.seen, /AUTH|MAIL|the password|dGhlIHBhc3N3b3Jk/);
});

test("a server that only knows HELO gets nothing when encryption is required", async (t) => {
  const old = await startRawServer(t, (line, socket) => {
    socket.write(/^HELO/.test(line) ? "250 old.example.org\r\n" : "502 what?\r\n");
  });
  const mailer = createMailer(serverOn(old.port, "starttls", "127.0.0.1"), FROM);
  await assert.rejects(mailer.send(MESSAGE, NEVER));
  assert.doesNotMatch(old.seen, /AUTH|MAIL|the password/);
});

test("takes no commands that come before the encryption", async (t) => {
  // What follows `220` in clear must not count as said by the encrypted server.
  const injecting = await startRawServer(t, (line, socket) => {
    if (/^EHLO/.test(line)) socket.write("250-raw.example.org\r\n250 STARTTLS\r\n");
    if (line === "STARTTLS") socket.write("220 go on\r\n250 AUTH PLAIN\r\n235 welcome\r\n");
  });
  const limits = { silenceMs: 200, sendWithinMs: 60_000 };
  const mailer = createMailer(serverOn(injecting.port, "starttls", "127.0.0.1"), FROM, limits);
  await assert.rejects(mailer.send(MESSAGE, NEVER));
  assert.doesNotMatch(injecting.seen, /AUTH|MAIL|the password/);
});

test("a server on this machine needs no encryption, and its certificate does not matter", async (t) => {
  const { cert, key } = makeCertificate({ names: ["localhost"] });
  const secured: boolean[] = [];
  const mail = await startMailServer(t, {
    ...{ cert, key },
    disabledCommands: [],
    onMailFrom(_address, { secure }, done) {
      secured.push(secure);
      done();
    },
  });
  await createMailer(serverAt(mail.url), FROM).send(MESSAGE, NEVER);
  assert.deepEqual(secured, [false]);
});
