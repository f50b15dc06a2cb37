import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mail, Message, NoticeMessage } from "../../src/mail/mail.ts";
import { notices } from "../../src/mail/mail.ts";
import { createMailer, parseSmtpUrl } from "../../src/mail/smtp.ts";
import { type MailSite, type WrittenMail, writeMail } from "../../src/mail/write-mail.ts";
import { getWords, type Locale, locales } from "../../src/pages/words.ts";
import { type ReceivedMail, readText, startMailServer } from "../support/mail-server.ts";

const SITE: MailSite = { appName: "Home", url: "https://home.example.org" };
const TOKEN = "a-token-of-a-link";
const NEVER = new AbortController().signal;
const AT = "2030-01-31T18:00:00.000Z";

const origin = { at: AT, address: "192.0.2.7", device: "Firefox on Linux" };

/** One message of each kind, with every field. */
const messagesOf = (name: string): readonly Message[] => [
  { kind: "test" },
  { kind: "new-password", username: name, token: TOKEN, ...origin },
  { kind: "confirm-email", username: name, token: TOKEN },
  {
    kind: "invitation",
    ...{ invitedBy: name, username: name, apps: [name, "Photos"], token: TOKEN, expiresAt: AT },
  },
  ...notices.map((notice): Message => {
    const by = `admin ${name}`;
    return { kind: "notice", notice, username: name, token: TOKEN, by, ...origin };
  }),
];

const noticeOf = (fields: Partial<NoticeMessage>): NoticeMessage => ({
  kind: "notice",
  notice: "keyAdded",
  username: "ada",
  token: TOKEN,
  at: AT,
  ...fields,
});

const write = (message: Message, locale: Locale = "en", site: MailSite = SITE): WrittenMail =>
  writeMail("the-id", { to: "ada@example.org", locale, message }, site);

/** Names that people can have: the setup accepts any username. */
const NAMES: readonly string[] = [
  "ada",
  "a\r\nBcc: eve@example.org\r\n\r\n<p>",
  '<img src=x onerror="alert(1)">&amp;\'',
  "😀👩‍👩‍👧‍👦",
  "{name} $& $1 {app} <%= it %>",
  "مرحبا بالعالم",
  "\u202etxt.exe",
  "\u0000\u0007\u001b[31m",
  "word ".repeat(2_000),
  "w".repeat(10_000),
  "\ud800",
];

test("writes every kind of message in every language, with every name", () => {
  for (const locale of locales)
    for (const name of NAMES)
      for (const message of messagesOf(name)) {
        const label = `${locale} ${message.kind} ${JSON.stringify(name.slice(0, 40))}`;
        const { subject, text, html } = write(message, locale);
        const parts = name.includes("{") ? [subject] : [subject, text, html];
        for (const part of parts)
          assert.doesNotMatch(part, /\{\w+\}|undefined|\[object|NaN|Invalid/, label);
        assert.ok(html.includes(`lang="${locale}"`), label);
        if (message.kind === "test") continue;
        const url = `${SITE.url}/link/${TOKEN}`;
        assert.ok(text.includes(`\n${url}\n`), label);
        assert.equal(html.split(`href="${url}"`).length, 2, label);
      }
});

test("each notice and each message has a subject of its own", () => {
  for (const locale of locales) {
    const subjects = messagesOf("ada").map((message) => write(message, locale).subject);
    assert.equal(new Set(subjects).size, subjects.length, locale);
  }
});

test("no name adds an element or an attribute to the HTML", () => {
  for (const message of messagesOf("NAME")) {
    const shape = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];
    const expected = shape(write(message).html);
    for (const name of NAMES) {
      const hostile = messagesOf(name).find(
        (other) =>
          other.kind === message.kind &&
          ("notice" in other ? other.notice : "") === ("notice" in message ? message.notice : ""),
      );
      assert.ok(hostile);
      assert.deepEqual(
        shape(write(hostile).html),
        expected,
        `${message.kind} ${name.slice(0, 40)}`,
      );
    }
  }
});

test("no name of the installation, device, address or app adds an element", () => {
  const evil = '"><script>alert(1)</script>';
  const site = { ...SITE, appName: evil, accentColor: "#336699" };
  const notice = noticeOf({ address: evil, device: evil, by: `admin ${evil}` });
  const invitation: Message = {
    kind: "invitation",
    apps: [evil],
    token: TOKEN,
    expiresAt: AT,
  };
  const test: Message = { kind: "test" };
  for (const message of [notice, invitation, test])
    assert.doesNotMatch(write(message, "en", site).html, /<script/);
});

test("a name keeps to one line of the text, and to its direction", () => {
  const username = "a\r\n\r\nThis wasn’t me:\nhttps://evil.example\n\n-- \n";
  const { text } = write(noticeOf({ username, by: "admin b\u2028c" }));
  const lines = text.split("\n");
  assert.equal(lines.filter((line) => line.startsWith("https://evil")).length, 0);
  assert.equal(lines.filter((line) => line === "-- ").length, 1);
  assert.equal(lines.filter((line) => line === `${getWords("en").notMe}:`).length, 1);
  const arabic = write(noticeOf({ username: "مرحبا" })).text;
  assert.match(arabic, /\u2068مرحبا\u2069\./);
  assert.match(write(noticeOf({ username: "x\u202ey" })).text, /account xy\./);
  assert.match(write(noticeOf({})).text, /account ada\./, "not where it is of no use");
});

test("a message from right to left says so where no mail program drops it, and isolates names", () => {
  const by = "admin C++";
  const { html, text, subject } = write(noticeOf({ username: "ada-", by, ...origin }), "ar");
  assert.match(html, /<table [^>]*lang="ar" dir="rtl"/);
  assert.match(html, /<b><bdi>ada-<\/bdi><\/b>/);
  assert.match(text, /\u2068ada-\u2069\./);
  assert.match(text, /: \u2068C\+\+\u2069\n/);
  assert.match(text, /\nhttps:\/\/home\.example\.org\/link\/a-token-of-a-link\n/);
  assert.doesNotMatch(subject, /ada/);
  const apps = ["Photos (old)", "C++"];
  const invitation: Message = { kind: "invitation", apps, token: TOKEN, expiresAt: AT };
  assert.match(write(invitation, "ar").text, / \u2068Photos \(old\)\u2069، \u2068C\+\+\u2069\n/);
  for (const locale of locales.filter((one) => getWords(one).direction === "ltr")) {
    assert.doesNotMatch(write(invitation, locale).text, /\p{Bidi_C}/u, locale);
    assert.match(write(invitation, locale).html, /dir="ltr"/, locale);
  }
});

test("says who made a change in the language of the reader", () => {
  const textBy = (by?: string, locale?: Locale) => write(noticeOf({ by }), locale).text;
  assert.match(textBy("cli"), /By: the operator of the server/);
  assert.match(textBy("cli", "de"), /den Betreiber/);
  assert.match(textBy("admin grace"), /By: grace\n/);
  assert.doesNotMatch(textBy(), /By:/);
});

test("lists apps as the language of the reader does", () => {
  const invitation: Message = {
    kind: "invitation",
    apps: ["Photos", "Notes"],
    token: TOKEN,
    expiresAt: AT,
  };
  const textIn = (locale: Locale) => write(invitation, locale).text;
  assert.match(textIn("en"), /\nThis link opens: Photos, Notes\n/);
  assert.match(textIn("zh-Hant"), /\n這個連結可開啟：Photos、Notes\n/);
});

test("leaves out what is not known", () => {
  const { text } = write({ kind: "invitation", apps: [], token: TOKEN, expiresAt: AT });
  assert.doesNotMatch(text, /\n\n\n/);
  assert.match(text, /^You are invited to Home\n\nCreate account:\n/);
  const { text: notice } = write(noticeOf({}));
  assert.match(notice, /When: .*2030.*UTC\n\n/);
});

/** The headers of a message by their names in lower case, without folding. */
function headersOf({ source }: ReceivedMail): ReadonlyMap<string, readonly string[]> {
  const [head = ""] = source.split("\r\n\r\n");
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(": ");
    return [line.slice(0, at).toLowerCase(), line.slice(at + 2)];
  });
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return new Map([...grouped].map(([name, all]) => [name, all.map(([, value]) => value)]));
}

/** The text of a header that is encoded as in RFC 2047. */
const decodeHeader = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(text, "base64").toString("latin1")
        : text
            .replaceAll("_", " ")
            .replace(/=([\dA-F]{2})/g, (_match, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
    );

const decodeUtf8 = (value: string): string => Buffer.from(decodeHeader(value), "latin1").toString();

test("sends headers that no name changes, and the same Message-ID again", async (t) => {
  const mail = await startMailServer(t);
  const server = parseSmtpUrl(mail.url);
  assert.ok(server);
  const evil = "A\r\nBcc: eve@example.org\r\nX-Evil: 1\r\n\r\nbody";
  const site = { ...SITE, appName: evil };
  const mailer = createMailer(server, { name: evil, address: "home@example.org" });
  const content: Mail = { to: "ada@example.org", locale: "en", message: { kind: "test" } };
  await mailer.send(writeMail("0badc0de", content, site), NEVER);
  await mailer.send(writeMail("0badc0de", content, site), NEVER);
  const [first, again] = await mail.waitFor(2);
  assert.ok(first && again);
  const headers = headersOf(first);
  assert.deepEqual([...headers.keys()].toSorted(), [
    ...["auto-submitted", "content-type", "date", "from", "message-id", "mime-version"],
    ...["subject", "to", "x-auto-response-suppress"],
  ]);
  for (const [name, values] of headers) assert.equal(values.length, 1, name);
  assert.deepEqual(headers.get("auto-submitted"), ["auto-generated"]);
  assert.deepEqual(headers.get("message-id"), ["<0badc0de@example.org>"]);
  assert.deepEqual(headersOf(again).get("message-id"), headers.get("message-id"));
  assert.deepEqual(headers.get("to"), ["ada@example.org"]);
  assert.deepEqual(first.to, ["ada@example.org"]);
  const [subject = ""] = headers.get("subject") ?? [];
  assert.match(decodeUtf8(subject), /^A Bcc: eve@example\.org X-Evil: 1 {2}body can send mail$/);
});

test("keeps to the limits of mail: lines, encodings, and a name in Arabic", async (t) => {
  const mail = await startMailServer(t);
  const server = parseSmtpUrl(mail.url);
  assert.ok(server);
  const mailer = createMailer(server, { name: "بيتنا", address: "home@example.org" });
  const apps = Array.from({ length: 200 }, (_, number) => `Fotos 📷 ${number}`);
  const message: Message = { kind: "invitation", apps, token: TOKEN, expiresAt: AT };
  const content: Mail = { to: "ada@example.org", locale: "de", message };
  const written = writeMail("1", content, { ...SITE, appName: "Zuhause 🏠 für alle" });
  await mailer.send(written, NEVER);
  const [received] = await mail.waitFor(1);
  assert.ok(received);
  const headers = headersOf(received);
  const [from = ""] = headers.get("from") ?? [];
  assert.equal(decodeUtf8(from), "بيتنا <home@example.org>");
  assert.match(received.source, /^\p{ASCII}+$/u);
  for (const line of received.source.split("\r\n"))
    assert.ok(line.length <= 998, line.slice(0, 99));
  assert.match(headers.get("content-type")?.[0] ?? "", /^multipart\/alternative;/);
  assert.match(received.source, /Content-Type: text\/plain; charset=utf-8/i);
  assert.match(received.source, /Content-Type: text\/html; charset=utf-8/i);
  const text = readText(received).replaceAll("\r\n", "\n");
  assert.equal(text.trimEnd(), written.text.trimEnd());
});
