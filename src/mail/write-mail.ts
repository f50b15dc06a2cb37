import { isolate } from "../pages/compile-text.ts";
import { type MailPage, renderMail } from "../pages/mail.ts";
import {
  formatDevice,
  formatList,
  formatTime,
  getWords,
  type Locale,
  shortenText,
  type Words,
} from "../pages/words.ts";
import type { Mail, Message, NoticeMessage } from "./mail.ts";

/** Describes the installation that sends mail. */
export interface MailSite {
  readonly appName: string;
  /** Links begin with this URL, which never comes from a request. */
  readonly url: string;
  readonly accentColor?: string | undefined;
}

/** Contains a message as a mail server gets it. */
export interface WrittenMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Formats a name inside of a sentence: as it is in a text, marked up in HTML. */
type FormatName = (name: string) => string;

/** Contains a message in the language of the reader, before it becomes text or HTML. */
type Letter = Omit<MailPage, "about" | "locale" | "site"> & {
  readonly about: (format: FormatName) => readonly string[];
};

/** Writes a message in the language of its reader, as text and as HTML. */
export function writeMail(id: string, { to, locale, message }: Mail, site: MailSite): WrittenMail {
  const letter = writeLetter(message, locale, site);
  return {
    ...{ id, to, subject: letter.title },
    text: formatText(letter, site, getWords(locale).direction),
    html: renderMail({ ...letter, about: letter.about(markUpName), locale, site }),
  };
}

function writeLetter(message: Message, locale: Locale, site: MailSite): Letter {
  const words = getWords(locale);
  const app = site.appName;
  const linkTo = (token: string): string => `${site.url}/link/${token}`;
  switch (message.kind) {
    case "test":
      return {
        title: words.mailTestTitle(app),
        about: () => [words.mailTestAbout],
        facts: [],
        notes: [],
        button: undefined,
      };
    case "new-password":
      return {
        title: words.mailNewPasswordTitle(app),
        about: (format) => [words.mailNewPasswordAbout(format(message.username))],
        facts: listFacts(message, locale),
        button: { text: words.changePassword, url: linkTo(message.token), means: "go-on" },
        notes: [words.mailNewPasswordNote],
      };
    case "confirm-email":
      return {
        title: words.mailConfirmTitle(app),
        about: (format) => [words.mailConfirmAbout(format(message.username))],
        facts: [],
        button: { text: words.confirmEmail, url: linkTo(message.token), means: "go-on" },
        notes: [words.mailConfirmNote],
      };
    case "invitation": {
      const { invitedBy, username, apps } = message;
      return {
        title: words.invitedTo(app),
        about: (format) => [
          ...(invitedBy === undefined ? [] : [words.invitedBy(format(invitedBy))]),
          ...(username === undefined ? [] : [words.usernameIs(format(username))]),
          ...(apps.length === 0
            ? []
            : [words.sentences(words.opensApps, formatList(locale, apps.map(format)))]),
        ],
        facts: [],
        button: { text: words.createAccount, url: linkTo(message.token), means: "go-on" },
        notes: [words.mailInvitationNote(formatTime(locale, new Date(message.expiresAt)).utc)],
      };
    }
    case "sign-up":
      return {
        title: words.mailSignUpTitle(app),
        about: () => [words.mailSignUpAbout],
        facts: [],
        button: { text: words.createAccount, url: linkTo(message.token), means: "go-on" },
        notes: [words.mailSignUpNote],
      };
    case "account-exists":
      return {
        title: words.mailAccountExistsTitle(app),
        about: () => [words.mailAccountExistsAbout],
        facts: [],
        button: { text: words.signIn, url: `${site.url}/login`, means: "go-on" },
        notes: [words.mailAccountExistsNote],
      };
    case "approved":
      return {
        title: words.mailApprovedTitle(app),
        about: (format) => [words.usernameIs(format(message.username))],
        facts: [],
        button: { text: words.signIn, url: `${site.url}/login`, means: "go-on" },
        notes: [],
      };
    case "approval-wanted":
      return {
        title: words.mailApprovalTitle(app),
        about: (format) => [words.mailApprovalAbout(format(message.username))],
        facts: [],
        button: { text: words.people, url: `${site.url}/account/people`, means: "go-on" },
        notes: [],
      };
    case "notice":
      return writeNotice(message, words, locale, linkTo(message.token));
  }
}

const writeNotice = (
  message: NoticeMessage,
  words: Words,
  locale: Locale,
  url: string,
): Letter => ({
  title: words.mailNotices[message.notice],
  about: (format) => [words.mailNoticeAbout(format(message.username))],
  facts: listFacts(message, locale),
  button: { text: words.notMe, url, means: "alarm" },
  notes: [words.mailNoticeNote],
});

/** Lists when, from where, and by whom something happened. */
function listFacts(
  message: Pick<NoticeMessage, "at" | "address" | "device" | "by">,
  locale: Locale,
): MailPage["facts"] {
  const words = getWords(locale);
  const { at, address, device, by } = message;
  return [
    { name: words.mailWhen, value: formatTime(locale, new Date(at)).utc },
    ...(device === undefined
      ? []
      : [{ name: words.mailDevice, value: formatDevice(locale, device) }]),
    ...(address === undefined ? [] : [{ name: words.mailAddress, value: address }]),
    ...(by === undefined ? [] : [{ name: words.mailBy, value: formatAuthor(words, by) }]),
  ];
}

/** Names the author of an entry of the audit log: an administrator, or the operator. */
const formatAuthor = (words: Words, author: string): string =>
  author.startsWith("admin ") ? author.slice("admin ".length) : words.byOperator;

/** Formats a message for programs that show no HTML, and for people who prefer this. */
function formatText(
  { title, about, facts, button, notes }: Letter,
  site: MailSite,
  direction: string,
): string {
  const isolate = direction === "rtl" ? isolateLine : isolateName;
  const parts = [
    title,
    ...about(isolate),
    facts.map(({ name, value }) => `${name}: ${isolate(value)}`).join("\n"),
    button === undefined ? "" : `${button.text}:\n${button.url}`,
    ...notes,
    `-- \n${site.appName}\n${site.url}`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const markUpName: FormatName = (name) => `<b><bdi>${escapeHtml(toLine(name))}</bdi></b>`;

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Keeps a name to its line, and its direction from the words around it. */
const isolateLine: FormatName = (name) => isolate(toLine(name));

/** Like `isolateLine`, between words from left to right, which most names do not turn. */
const isolateName: FormatName = (name) =>
  RIGHT_TO_LEFT.test(name) ? isolateLine(name) : toLine(name);

/** Matches what changes the direction of all that follows. Dates have marks, which change only their place. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a name as one short line: the setup accepts any username, which could otherwise look like
 * another part of the message.
 */
const toLine = (name: string): string =>
  shortenText(
    name
      .toWellFormed()
      .replace(DIRECTION_CONTROLS, "")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim(),
  );

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");
