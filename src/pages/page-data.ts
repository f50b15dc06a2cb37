import type { Key, Link, Passkey, Person, User } from "../db/records.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { QrCode } from "./qr-code.ts";
import type { Locale, ShownTime, Words } from "./words.ts";

/** The values that every page gets, also a page of the app. */
export interface PageHelpers {
  readonly NeedsSetup: boolean;
  readonly HasError: boolean;
  readonly CurrentUser: User | undefined;
}

/** The paths, name and texts that every page gets. */
export interface PageFrame {
  readonly basePath: string;
  /** `null` if there is no home page. */
  readonly homePath: string | null;
  readonly styleSheetUrl: string;
  /** The style sheet to load after the other one, if there is one. */
  readonly customStyleSheetUrl: string | undefined;
  readonly scriptUrl: string;
  readonly codeScriptUrl: string;
  readonly passkeyScriptUrl: string;
  readonly logoUrl: string;
  /** For a dark scheme, if there is one. */
  readonly darkLogoUrl: string | undefined;
  readonly appName: string;
  readonly locale: Locale;
  readonly words: Words;
}

/** What a page shows once, after the redirect of a form. */
export type Notice = keyof Words["notices"];

/** The fields to fill in again. The first one gets the message and the focus. */
export type FieldsOf<Field extends string> = readonly [Field, ...Field[]];

/** Why a form is shown again. */
export interface FormProblem<Field extends string> {
  readonly message: string;
  readonly fields: FieldsOf<Field>;
}

export type SetupField = "token" | "username" | "password" | "confirm";
export type LinkField = "username" | "password";
export type PasswordField = "current_password" | "new_password" | "confirm_password";

/** A form on the home page that is shown again. */
export type HomeForm =
  | { readonly form: "password"; readonly fields: FieldsOf<PasswordField> }
  | { readonly form: "codes"; readonly fields: readonly ["code"] | readonly [] }
  | { readonly form: "keys"; readonly fields: FieldsOf<"key_name" | "key_hosts"> };

/** The further values of each page. */
export interface PageData {
  readonly login: {
    /** The page to go back to after sign-in. */
    readonly returnTo?: string | undefined;
    /** Its host, if that is another one. */
    readonly returnHost?: string | undefined;
    /** Whether the handoff to that host was refused, so that the user tries again. */
    readonly handoffFailed?: boolean;
    /** For a user who is already signed in: where a sign-in would redirect to. */
    readonly continueTo?: string | undefined;
    /** Whether that user signs in again, to confirm what comes next. */
    readonly confirms?: boolean;
    /** Whether to show the optional field `code`: while at least one account uses codes. */
    readonly asksCode: boolean;
    /** Whether to offer the field `remember_device` with it. */
    readonly remembersDevices: boolean;
    /** Whether an account can sign in with a passkey here. */
    readonly offersPasskeys: boolean;
    /** Whether what comes next needs a code or a passkey. */
    readonly needsFactor?: boolean;
    readonly notice?: Notice | undefined;
  };
  readonly setup: {
    readonly tokenExpected: boolean;
    /** From the setup link, or as entered before. */
    readonly token: string;
    readonly username: string;
    readonly domain: string;
    readonly offersDomain: boolean;
    readonly returnTo?: string | undefined;
    readonly problem?: FormProblem<SetupField> | undefined;
  };
  readonly link: {
    readonly purpose: "invite" | "reset" | "guest";
    /** Of the account, or as entered before. */
    readonly username: string;
    /** Whether the link settles the username. */
    readonly isUsernameSet: boolean;
    readonly problem?: FormProblem<LinkField> | undefined;
  };
  readonly home: {
    readonly activity: Activity;
    readonly sessions: SessionSection;
    readonly notice?: Notice | undefined;
    readonly codes: CodesSection;
    readonly problem?: (HomeForm & { readonly message: string }) | undefined;
    /** `undefined` if the account has no passkey and cannot add one here. */
    readonly passkeys?: PasskeySection | undefined;
    /** Whether the user has to turn on codes or add a passkey first: the rest is not offered. */
    readonly lacksFactor?: boolean | undefined;
    /** Where the user wanted to go, and first turns on codes or adds a passkey. */
    readonly returnTo?: string | undefined;
    /** `undefined` where keys are off. */
    readonly keys?: KeySection | undefined;
    /** The text of a new key, in place of everything else. */
    readonly madeKey?: string | undefined;
    /** The page for administrators, for those. */
    readonly peoplePath?: string | undefined;
  };
  readonly people: {
    readonly people: readonly ShownPerson[];
    /** The part of usernames by which people are found. */
    readonly search: string;
    /** The queries of the pages around this one. */
    readonly previous?: string | undefined;
    readonly next?: string | undefined;
    /** The query of the first links, if these come later, and of the next ones. */
    readonly firstLinks?: string | undefined;
    readonly nextLinks?: string | undefined;
    readonly links: readonly (Pick<Link, "id" | "purpose" | "name"> & {
      /** Of the account that it makes. */
      readonly groups: readonly string[];
      /** `undefined` for a link of a command. */
      readonly madeBy: string | undefined;
      readonly end: string;
    })[];
    /** A new link, in place of everything else. */
    readonly made?: Pick<Link, "purpose"> & { readonly url: string; readonly end: string };
    readonly notice?: Notice | undefined;
    /** With what the form had, by the names of its fields. */
    readonly problem?: FormProblem<string> & { readonly entered: Readonly<Record<string, string>> };
  };
  readonly activity: {
    /** Newest first, each with who did it and where from. */
    readonly entries: readonly (ActivityEntry & { readonly detail: string })[];
    /** The username of the only person, otherwise empty. */
    readonly name: string;
    /** The only type. */
    readonly type: string | undefined;
    readonly types: readonly string[];
    readonly next: string | undefined;
  };
  readonly error: {
    readonly status: number;
    /** Without it, something went wrong. */
    readonly title?: string | undefined;
    readonly message: string;
    /** For an internal failure: the ID of its line in the server log. */
    readonly requestId?: string;
    /** For a signed-in user whom an app does not admit. */
    readonly offersSignOut?: boolean;
    /** Where that is, if not at the sign-out of Latchkey. */
    readonly signOutUrl?: string | undefined;
    /** The sign-in page, if Latchkey would refuse a sign-out from the page's host. */
    readonly signInUrl?: string | undefined;
    /** The home page, for that user. */
    readonly accountUrl?: string | undefined;
    /** The app that does not admit the user, or the host that is not allowed. */
    readonly host?: string | undefined;
  };
}

export type PageName = keyof PageData;

/** The user's sessions, this one first; `none` if the store keeps no sessions. */
export type SessionSection =
  | {
      readonly kind: "sessions";
      readonly sessions: readonly SessionEntry[];
      /** How many there are, such as `3`; `50+` if there are more than are listed. */
      readonly count: string;
      /** Those on which the account needs no code, with the time from which on. */
      readonly devices: readonly (ShownTime & Pick<SessionEntry, "id" | "device">)[];
    }
  | { readonly kind: "none" };

/** With the time of the last use, known to the hour. */
export interface SessionEntry extends ShownTime {
  /** The value of the field `session` that ends it. */
  readonly id: string;
  readonly device: string;
  readonly address: string;
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean;
  /** The host of another domain that it is for. */
  readonly host?: string | undefined;
}

/** The account's one-time codes; `none` if they are not offered. */
export type CodesSection =
  | { readonly kind: "none" }
  | { readonly kind: "off" }
  | {
      readonly kind: "begun";
      /** In base32, in groups of four letters. */
      readonly secret: string;
      /** Opens an authenticator app on the same device. */
      readonly uri: string;
      /** The address as a QR code. */
      readonly qr: QrCode;
      /** For the hidden field `sealed`. */
      readonly sealed: string;
    }
  /** Shown once, with the host, the username and the time that they are of. */
  | { readonly kind: "turned-on"; readonly recoveryCodes: readonly string[]; readonly of: string }
  | { readonly kind: "on"; readonly recoveryCodesLeft: number };

/** The newest log entries, newest first; `none` while a second factor has to be turned on, or is. */
export type Activity =
  | { readonly kind: "entries"; readonly entries: readonly ActivityEntry[] }
  | { readonly kind: "none" };

export interface ActivityEntry extends ShownTime {
  readonly text: string;
}

export interface PasskeySection {
  readonly list: readonly (Pick<Passkey, "id" | "name"> & {
    readonly added: ShownTime;
    readonly used?: ShownTime | undefined;
  })[];
  /** Browsers add passkeys only at a host name, over HTTPS or on the same machine. */
  readonly canAdd: boolean;
  /** The name that a new one gets if the user enters no other, and how long a name can be. */
  readonly newName: string;
  readonly maxName: number;
}

/** Cut where they are long, as are other texts that somebody has chosen. */
export interface ShownPerson extends Omit<Person, "endsAt" | "signedInAt"> {
  readonly signedIn: ShownTime | undefined;
  /** When the account ends, formatted for the reader. */
  readonly end: string | undefined;
}

export interface KeySection {
  /** With the time of the last use, otherwise of the addition. */
  readonly list: readonly (ShownTime &
    Pick<Key, "id" | "name"> & {
      /** Empty for a key that opens all. */
      readonly hosts: string;
      readonly isUsed: boolean;
      /** Formatted for the reader; `undefined` for a key that never expires. */
      readonly expiresAt: string | undefined;
    })[];
}

/** All values of a page. */
export type PageContents<Name extends PageName> = PageFrame & PageHelpers & PageData[Name];

/**
 * A page as a function of the app. It gets all that Latchkey's own page would get, in the reader's
 * language, and returns the whole HTML document. No value is escaped: the function must escape each
 * one that it puts into HTML. If it fails, or returns anything but text, the request fails.
 */
export type PageFunction<Name extends PageName> = (
  page: PageContents<Name>,
) => MaybePromise<string>;

/**
 * The pages that an app replaces. If a form was rejected, `problem.message` says why: the function
 * must show it.
 */
export type PageFunctions = {
  readonly [Name in PageName]?: PageFunction<Name> | undefined;
};
