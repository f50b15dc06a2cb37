import type { User } from "../../core/store.ts";
import type { Locale, Words } from "./words.ts";

/** What every page gets, a replaced one too. */
export interface PageHelpers {
  readonly NeedsSetup: boolean;
  readonly HasError: boolean;
  readonly CurrentUser: User | undefined;
}

/** What every page needs to find its way, and to speak the reader's language. */
export interface PageFrame {
  readonly basePath: string;
  /** `null` where there is none. */
  readonly homePath: string | null;
  readonly styleSheetUrl: string;
  readonly scriptUrl: string;
  readonly logoUrl: string;
  readonly appName: string;
  readonly locale: Locale;
  readonly words: Words;
}

/** Why a form comes back: what is wrong, and the fields that have to be filled in again. */
export interface FormProblem<Field extends string> {
  readonly message: string;
  /** The first of them gets the message beside it, and the focus. */
  readonly fields: readonly [Field, ...Field[]];
}

export type SetupField = "token" | "username" | "password" | "confirm";
export type PasswordField = "current_password" | "new_password" | "confirm_password";

/** What a page gets besides. */
export interface PageData {
  /** `returnTo` is the page that was asked for, where the sign-in leads back to one. */
  readonly login: { readonly returnTo: string | undefined };
  readonly setup: {
    readonly tokenExpected: boolean;
    /** What the link brought along, or was typed before. */
    readonly token: string;
    readonly username: string;
    readonly domain: string;
    readonly offersDomain: boolean;
    readonly returnTo: string | undefined;
    readonly problem: FormProblem<SetupField> | undefined;
  };
  readonly home: {
    readonly activity: Activity;
    readonly notice: "password-changed" | undefined;
    readonly problem: FormProblem<PasswordField> | undefined;
  };
  readonly error: {
    readonly status: number;
    readonly message: string;
    /** Of an internal failure: the ID under which the server log has it. */
    readonly requestId?: string;
  };
}

export type PageName = keyof PageData;

/** The newest log entries, newest first; `none` where the store has no way to read them. */
export type Activity =
  | { readonly kind: "entries"; readonly entries: readonly ActivityEntry[] }
  | { readonly kind: "unreadable" }
  | { readonly kind: "none" };

export interface ActivityEntry {
  readonly text: string;
  /** In ISO 8601, for the script that turns it into the reader's own time. */
  readonly at: string;
  /** The same for people, in UTC. */
  readonly utc: string;
}

/** All that a page has at hand. */
export type PageContents<Name extends PageName> = PageFrame & PageHelpers & PageData[Name];

/** Pages that an application writes itself: each gets all that the template would get. */
export type PageFunctions = {
  readonly [Name in PageName]?: (page: PageContents<Name>) => string;
};
