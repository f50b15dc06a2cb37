import type { Key, Link, Passkey, Person, User } from "../db/records.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { QrCode } from "./qr-code.ts";
import type { Locale, ShownTime, Words } from "./words.ts";

/** Contains the values that every page gets, including pages of the app. */
export interface PageHelpers {
  readonly NeedsSetup: boolean;
  readonly HasError: boolean;
  readonly CurrentUser: User | undefined;
}

/** Contains the paths, the name and the texts that every page gets. */
export interface PageFrame {
  readonly basePath: string;
  /** This is `null` if there is no home page. */
  readonly homePath: string | null;
  readonly styleSheetUrl: string;
  /** Pages with the navigation also load this style sheet. */
  readonly shellStyleSheetUrl: string;
  /** Pages for a sign-in to an app also load this style sheet. */
  readonly appStyleSheetUrl: string;
  /** Pages with the buttons of other providers also load this style sheet. */
  readonly providerStyleSheetUrl: string;
  /** Pages load this style sheet, if it exists, after Latchkey's own. */
  readonly customStyleSheetUrl: string | undefined;
  readonly scriptUrl: string;
  readonly codeScriptUrl: string;
  readonly launcherScriptUrl: string;
  readonly passkeyScriptUrl: string;
  readonly logoUrl: string;
  /** Browsers that prefer a dark scheme show this logo, if it exists. */
  readonly darkLogoUrl: string | undefined;
  readonly appName: string;
  readonly locale: Locale;
  readonly words: Words;
  /** Lists the pages that the signed-in user can open. This is `undefined` for other visitors. */
  readonly navigation: Navigation | undefined;
}

/** Names the pages of the account, in the order of their navigation. */
export type AccountPage = "profile" | "signInMethods" | "devices" | "access" | "keys" | "history";

/** Names the pages for administrators, in the order of their navigation. */
export type AdminPage = "apps" | "people" | "links" | "activity";

/** Lists pages. The first page of a list leads to the others. */
export interface Navigation {
  /** The page of the apps that the user may open. */
  readonly launcher: string | undefined;
  readonly account: readonly NavigationLink<AccountPage>[];
  /** Empty if the user is not an administrator. */
  readonly admin: readonly NavigationLink<AdminPage>[];
}

export interface NavigationLink<Page extends AccountPage | AdminPage> {
  readonly page: Page;
  readonly path: string;
}

/** Names a message that a page shows once, after the redirect of a form. */
export type Notice = keyof Words["notices"];

/** Lists the fields to fill in again. The first field gets the message and the focus. */
export type FieldsOf<Field extends string> = readonly [Field, ...Field[]];

/** Says why a form is shown again. */
export interface FormProblem<Field extends string> {
  readonly message: string;
  readonly fields: FieldsOf<Field>;
}

export type SetupField = "token" | "username" | "password" | "confirm";
export type LinkField = "username" | "password";
export type PasswordField = "current_password" | "new_password" | "confirm_password";

export type ProfileField = "name" | "email";
export type KeyField = "key_name" | "key_hosts";
export type PersonField = "username" | "groups" | ProfileField | "remove";
export type NewLinkField = "username" | "email" | "groups" | "until" | "apps";

/** Identifies a form about how the user signs in that is shown again. */
export type SignInMethodForm =
  | { readonly form: "password"; readonly fields: FieldsOf<PasswordField> }
  | { readonly form: "codes"; readonly fields: readonly ["code"] | readonly [] };

/** Describes a request for an account. */
export interface ShownSignUp {
  readonly id: string;
  readonly username: string;
  readonly email: string | undefined;
  readonly emailIs: "verified" | "unverified";
  /** The person signs in with this provider. */
  readonly provider: string | undefined;
  readonly asked: ShownTime;
}

/** Lists with which accounts elsewhere a person signs in. */
export interface IdentitySection {
  readonly list: readonly {
    /** A form removes the account by sending this value in the field `identity`. */
    readonly id: string;
    readonly provider: string;
    readonly brand: ProviderBrand;
    readonly label: string;
    readonly added: ShownTime;
    readonly used: ShownTime | undefined;
  }[];
  /** The person can link an account at these providers. */
  readonly others: readonly Omit<ShownProvider, "url">[];
  readonly failedWith: string | undefined;
}

/** Names the owner of the mark on a button. Any `other` provider has the initial of its label. */
export type ProviderBrand = "google" | "microsoft" | "apple" | "github" | "other";

/** Describes a provider with which people can sign in. */
export interface ShownProvider {
  readonly name: string;
  readonly label: string;
  readonly brand: ProviderBrand;
  /** The sign-in with this provider begins here. */
  readonly url: string;
}

/** Describes an app to the person who signs in to it. */
export interface ShownApp {
  readonly name: string;
  /** Pages show the first letter of the name if the app has no icon. */
  readonly iconUrl: string | undefined;
  /** Browsers that prefer a dark scheme show this icon, if it exists. */
  readonly darkIconUrl: string | undefined;
}

/** Describes an app to a person who may open it. */
export interface LauncherApp extends ShownApp {
  readonly url: string;
  readonly host: string;
  /** The app requires a sign-in with a second factor. */
  readonly needsFactor: boolean;
  /** False if a search on the page does not find the app. The page then hides it. */
  readonly isFound: boolean;
}

/** Names a field of the form for an app. */
export type AppField =
  | "name"
  | "id"
  | "url"
  | "who"
  | "groups"
  | "new_group"
  | "factor"
  | "redirects"
  | "section"
  | "upstream"
  | "sign_out_redirects"
  | "backchannel"
  | "public"
  | "consent"
  | "signing";

/**
 * Contains the values of the form for an app. A checkbox that is off has an empty value. `who` is
 * `everyone` or `groups`; `groups` contains the chosen groups, with commas between them.
 */
export type AppFormValues = Readonly<Record<AppField, string>>;

/** Describes an app to an administrator. */
export interface ListedApp extends ShownApp {
  readonly id: string;
  readonly host: string | undefined;
  /** If the list is empty, all users except guests may open the app. */
  readonly groups: readonly string[];
  readonly needsFactor: boolean;
  readonly usesOidc: boolean;
  /** Nobody may open the app. */
  readonly isOff: boolean;
}

/** Describes an app in the list of all apps. */
export interface UsedApp extends ListedApp {
  /** Says who has last opened the app. */
  readonly opened: (ShownTime & { readonly username: string }) | undefined;
  /** Names what an administrator should look at. */
  readonly troubles: readonly (keyof Words["appTroubles"])[];
}

/** Describes a person who has opened an app. */
export interface ShownUse extends ShownTime {
  readonly username: string;
  readonly isGuest: boolean;
  readonly device: string;
}

/** Describes a person to whom an app was refused, and who still may not open it. */
export interface ShownRefusal extends ShownTime {
  readonly userId: string;
  readonly username: string;
  /** Each of these groups would let the person in. */
  readonly groups: readonly string[];
  /** Only members of `admins` may open the app. */
  readonly needsAdmin: boolean;
}

/** Describes the redirect URI of the last sign-in that was refused because of it. */
export interface RefusedUri {
  readonly uri: string;
  readonly host: string;
  /** The host is neither that of the app nor that of another of its redirect URIs. */
  readonly isElsewhere: boolean;
}

/** Says how often an app was opened in the last seven days. */
export interface ShownWeek {
  readonly count: number;
  /** This many people have opened the app. */
  readonly people: number;
  /** Contains seven days, the last one today. */
  readonly days: readonly { readonly label: string; readonly count: number }[];
}

/** Says whether an app has acknowledged the end of a session. */
export interface ShownSignOut extends ShownTime {
  readonly state: "acknowledged" | "waiting" | "retrying" | "given-up";
  /** The account of the session, or its app. */
  readonly name: string;
  /** Says why the last request failed. */
  readonly problem: string | undefined;
}

/** Contains the additional values of each page. */
export interface PageData {
  readonly consent: {
    readonly app: ShownApp;
    /** The app gets the values at this host. */
    readonly host: string;
    /** Contains the values that the app gets, in the order of the page. */
    readonly shares: readonly {
      readonly kind: "name" | "email" | "groups";
      readonly value: string;
    }[];
    /** True if the answer is kept, so that the app asks only once. */
    readonly isKept: boolean;
    /** True if the app stays signed in after a sign-out here. */
    readonly staysSignedIn: boolean;
    /** The form goes to this path, with the field `answer`, which is `yes` or `no`. */
    readonly formPath: string;
  };
  /** The page for a device without a browser of its own, such as a television. */
  readonly device:
    | {
        readonly kind: "enter-code";
        readonly formPath: string;
        /** This is the value of the hidden field `xsrf`. */
        readonly secret: string;
        readonly problem: FormProblem<"user_code"> | undefined;
      }
    | {
        readonly kind: "confirm";
        readonly app: ShownApp;
        readonly formPath: string;
        readonly secret: string;
        readonly userCode: string;
      }
    | { readonly kind: "signed-in"; readonly app: ShownApp }
    | { readonly kind: "stopped" };
  /** The page for a sign-out that an app has begun. */
  readonly signOut:
    | {
        readonly kind: "ask";
        readonly app: ShownApp | undefined;
        readonly formPath: string;
        /** This is the value of the hidden field `xsrf`. */
        readonly secret: string;
      }
    | { readonly kind: "signed-out" };
  readonly login: {
    /** The sign-in redirects to this page. */
    readonly returnTo?: string | undefined;
    /** This is the host of `returnTo` if it is another host. */
    readonly returnHost?: string | undefined;
    /** True if the handoff to that host was refused, so that the user tries again. */
    readonly handoffFailed?: boolean;
    /** For a user who is already signed in, a sign-in would redirect to this location. */
    readonly continueTo?: string | undefined;
    /** True if that user signs in again to confirm the next action. */
    readonly confirms?: boolean;
    /** This is the value of the hidden field `again` if `confirms` is true. Default: 1. */
    readonly again?: string | undefined;
    /** The form contains this username at first. */
    readonly username?: string | undefined;
    /**
     * True if the page shows the optional field `code`, because at least one account uses codes.
     */
    readonly asksCode: boolean;
    /** The sign-in is for this app. */
    readonly app?: ShownApp | undefined;
    /** True if the page also offers the field `remember_device`. */
    readonly remembersDevices: boolean;
    /** True if an account can sign in with a passkey here. */
    readonly offersPasskeys: boolean;
    /** True if the next page requires a code or a passkey. */
    readonly needsFactor?: boolean;
    /**
     * The next page requires a second factor, and the signed-in user has none. The paths, if there
     * are any, lead to where the user can get one. The page then has no form.
     */
    readonly lacksFactor?:
      | { readonly passkeys: string | undefined; readonly codes: string | undefined }
      | undefined;
    /** True if only a passkey leads on, so that the page has no field for the password. */
    readonly needsPasskey?: boolean;
    /** True if the signed-in user cannot confirm without a code. */
    readonly needsCode?: boolean;
    /** People can sign in with these providers. */
    readonly providers?: readonly ShownProvider[] | undefined;
    /** The sign-in with this provider has failed. */
    readonly failedWith?: string | undefined;
    /** True if the page leads to `/login/sign-up`, for a person who has no account. */
    readonly offersSignUp?: boolean;
    /** True if the page leads to `/login/forgot`, for a person who has forgotten the password. */
    readonly offersReset?: boolean;
    /** A signed-in user who does not confirm, or cannot, continues here. */
    readonly cancelTo?: string | undefined;
    readonly notice?: Notice | undefined;
  };
  readonly setup: {
    readonly tokenExpected: boolean;
    /** The token comes from the setup link, or the user has entered it before. */
    readonly token: string;
    readonly username: string;
    readonly domain: string;
    readonly offersDomain: boolean;
    readonly returnTo?: string | undefined;
    readonly problem?: FormProblem<SetupField> | undefined;
  };
  /** The page for a person who wants an account. */
  readonly signUp: {
    readonly email: string;
    /** Only addresses at these domains can register, if there are any. */
    readonly domains: readonly string[];
    /** True if a link can be sent to an address. */
    readonly takesAddress: boolean;
    readonly providers: readonly ShownProvider[];
    readonly problem?: FormProblem<"email"> | undefined;
  };
  /** The page that leads on to another provider, as the answer to a form. */
  readonly leadOn: { readonly provider: string; readonly url: string };
  /** The page for the one-time code of an account that has come back from its provider. */
  readonly codeStep: Readonly<Record<never, never>>;
  /** The page for a person who has forgotten the password. */
  readonly forgot: {
    readonly notice?: Notice | undefined;
  };
  readonly link: {
    readonly purpose: "invite" | "reset" | "guest" | "confirm-email" | "end-sessions";
    /** This is the username of the account, or the username that was entered before. */
    readonly username: string;
    /** True if the link already determines the username. */
    readonly isUsernameSet: boolean;
    /** The administrator who made the link on a page had this username. */
    readonly madeBy: string | undefined;
    /** An invitation can be accepted with an account at one of these providers. */
    readonly providers?: readonly ShownProvider[] | undefined;
    /** The way to this provider has failed. */
    readonly failedWith?: string | undefined;
    /** This is the address that a link with the purpose `confirm-email` confirms. */
    readonly email?: string | undefined;
    /** Lists the apps that the link is for. */
    readonly apps: readonly ShownApp[];
    readonly problem?: FormProblem<LinkField> | undefined;
  };
  /** The page of the apps that the person may open. */
  readonly launcher: {
    /** Lists sections in the order of the page. Apps without a section come first. */
    readonly sections: readonly {
      readonly name: string;
      readonly apps: readonly LauncherApp[];
    }[];
    /** The text of the search. This is `undefined` if there are few apps, and so no search. */
    readonly search: string | undefined;
    /**
     * True if the page suggests to add a passkey. The form that puts this off goes to
     * `/account/passkeys/later`.
     */
    readonly suggestsPasskey: boolean;
    /** What an administrator can do first, while there is no app. */
    readonly firstSteps:
      | { readonly hasOtherAccounts: boolean; readonly backupCommand: string }
      | undefined;
    /** A guest is signed in until then. This is `undefined` for other users. */
    readonly guestEnd: ShownTime | undefined;
    readonly notice?: Notice | undefined;
  };
  /** What the server knows about the account. */
  readonly profile: {
    readonly form: ProfileForm;
    readonly groups: readonly string[];
    /** Says when the account ends. */
    readonly end: ShownTime | undefined;
    /** Is absent if no mail is sent. */
    readonly mail?:
      | {
          /** This address is used once the person has confirmed it. */
          readonly pending: string | undefined;
          /** Lists what is always sent to the person. */
          readonly notices: readonly string[];
        }
      | undefined;
    readonly notice?: Notice | undefined;
    readonly problem?: FormProblem<ProfileField> | undefined;
  };
  /** How the user signs in: password, passkeys and one-time codes. */
  readonly signInMethods: {
    readonly codes: CodesSection;
    /** This is `undefined` if the account has no passkey and cannot add one here. */
    readonly passkeys: PasskeySection | undefined;
    /** Is absent if people cannot sign in with other providers. */
    readonly identities?: IdentitySection | undefined;
    /** With `none`, the account has no password that could be changed. */
    readonly password?: "set" | "none" | undefined;
    /**
     * True if the user must first turn on codes or add a passkey. The page then offers nothing
     * else.
     */
    readonly lacksFactor: boolean;
    /** The user returns to this page after turning on codes or adding a passkey. */
    readonly returnTo?: string | undefined;
    /** True if a new password can end the other sessions. */
    readonly listsSessions: boolean;
    readonly problem?: (SignInMethodForm & { readonly message: string }) | undefined;
    readonly notice?: Notice | undefined;
  };
  /** The sessions of the account. */
  readonly devices: {
    readonly sessions: readonly SessionEntry[];
    /** This is the number of sessions, followed by `+` if there are more. */
    readonly count: string;
    /** Lists the devices that need no one-time code. */
    readonly devices: readonly (ShownTime & {
      /** A form forgets the device by sending this value in the field `device`. */
      readonly id: string;
      readonly device: string;
    })[];
    readonly notice?: Notice | undefined;
  };
  /** What apps may learn about the person. */
  readonly access: {
    readonly apps: readonly (ShownApp & {
      /** A form takes the access back by sending this value in the field `app`. */
      readonly id: string;
      /** The app stays signed in after a sign-out here. */
      readonly staysSignedIn: boolean;
      /** This is the last sign-in to the app, or else the time of the consent. */
      readonly since: ShownTime;
      readonly isSignIn: boolean;
    })[];
    readonly signOuts: readonly ShownSignOut[];
    readonly notice?: Notice | undefined;
  };
  /** The user's API keys. */
  readonly keys:
    | {
        readonly kind: "list";
        /** Lists the API keys, each with the time of its last use, or else of its creation. */
        readonly list: readonly (ShownTime &
          Pick<Key, "id" | "name"> & {
            /** Empty if the key opens all hosts. */
            readonly hosts: readonly string[];
            readonly isUsed: boolean;
            /** This is `undefined` for a key that never expires. */
            readonly expires: ShownTime | undefined;
          })[];
        readonly problem?: FormProblem<KeyField> | undefined;
        readonly notice?: Notice | undefined;
      }
    /** The page shows a new API key, once. */
    | { readonly kind: "made"; readonly text: string };
  /** The user's own entries of the audit log, newest first. */
  readonly history: {
    readonly entries: readonly ActivityEntry[];
    /** These are the queries of the page with the newest entries, and of the next page. */
    readonly newest: string | undefined;
    readonly older: string | undefined;
    readonly notice?: Notice | undefined;
  };
  /** The page of all apps, for administrators. */
  readonly apps: {
    readonly apps: readonly UsedApp[];
    /** Names or addresses must contain this text to be listed. */
    readonly search: string;
    /** There are so many apps, and so many of them have troubles. */
    readonly count: number;
    readonly troubled: number;
    readonly notice?: Notice | undefined;
  };
  /** The page for a new app, for administrators. */
  readonly newApp: {
    readonly form: AppFormValues;
    /** Lists the groups of all accounts and apps. */
    readonly groups: readonly string[];
    /** True if apps can use OpenID Connect. */
    readonly offersOidc: boolean;
    /** The known app that is added. This is `undefined` for any other app. */
    readonly recipe: ShownRecipe | undefined;
    /** Lists the known apps whose names contain the text of the search. */
    readonly recipes: readonly ShownRecipe[];
    readonly search: string;
    readonly problem?: FormProblem<AppField> | undefined;
  };
  /** The page of an app, for administrators. */
  readonly app:
    | {
        readonly kind: "app";
        readonly app: ListedApp;
        readonly url: string | undefined;
        readonly form: AppFormValues;
        /** Lists the groups of all accounts and apps. */
        readonly groups: readonly string[];
        /** So many people and guests may open the app now. */
        readonly admitted: { readonly people: number; readonly guests: number };
        readonly offersOidc: boolean;
        /** Contains what to enter in the app. It is `undefined` without OpenID Connect. */
        readonly client: ShownClient | undefined;
        /** Says when each secret was made, the oldest first. */
        readonly secrets: readonly (ShownTime & {
          readonly id: string;
          /** Contains the last characters of the secret. */
          readonly ending: string | undefined;
        })[];
        readonly hasSecrets: boolean;
        readonly refusedUri: RefusedUri | undefined;
        readonly signOuts: readonly ShownSignOut[];
        readonly week: ShownWeek;
        readonly opened: readonly ShownUse[];
        readonly refused: readonly ShownRefusal[];
        readonly notice?: Notice | undefined;
        readonly problem?: FormProblem<AppProblemField> | undefined;
      }
    /** The page shows a new secret, once. */
    | {
        readonly kind: "secret";
        readonly id: string;
        readonly secret: string;
        readonly client: ShownClient;
      }
    /** The page shows what to enter in a known app that was added, also its secret, once. */
    | {
        readonly kind: "added";
        readonly id: string;
        readonly name: string;
        /** An app without OpenID Connect has none. */
        readonly secret: string | undefined;
        readonly places: readonly ShownPlace[];
        /** Contains sentences in English. */
        readonly advice: readonly string[];
      };
  /** The page of all accounts, for administrators. */
  readonly people: {
    /** These people have asked for an account, the oldest first. */
    readonly waiting?: readonly ShownSignUp[] | undefined;
    readonly people: readonly ShownPerson[];
    /** These are the numbers of all accounts, regardless of the search. */
    readonly count: { readonly people: number; readonly guests: number };
    /** Usernames must contain this text to be found. */
    readonly search: string;
    /** These are the queries of the pages before and after this page. */
    readonly previous?: string | undefined;
    readonly next?: string | undefined;
    readonly notice?: Notice | undefined;
  };
  /** The page of an account, for administrators. */
  readonly person: {
    readonly person: ShownPerson;
    /** Lists all groups that exist. */
    readonly groups: readonly Choice[];
    /** Contains the values of the form. `groups` contains the names of new groups. */
    readonly form: { readonly username: string; readonly groups: string };
    /**
     * This is the value of the hidden field `version`. A form of an account that has changed in the
     * meantime is refused.
     */
    readonly version: string;
    /** A guest has none. */
    readonly profile: ProfileForm | undefined;
    /** The person may open these apps. */
    readonly apps: readonly (ShownApp & { readonly id: string })[];
    /** Lists the newest entries of the audit log about the account. */
    readonly entries: readonly ActivityEntry[];
    readonly notice?: Notice | undefined;
    readonly problem?: FormProblem<PersonField> | undefined;
  };
  /** The page of one-time links, for administrators. */
  readonly links:
    | {
        readonly kind: "list";
        readonly links: readonly ShownLink[];
        /** These are the queries of the first page, if this page is a later one, and of the next. */
        readonly first: string | undefined;
        readonly next: string | undefined;
        /** Each form makes one kind of links. */
        readonly forms: Readonly<Record<"invite" | "guest", NewLinkForm>>;
        readonly notice?: Notice | undefined;
      }
    /** The page shows a new link, once. */
    | {
        readonly kind: "made";
        readonly purpose: Link["purpose"];
        readonly url: string;
        readonly qr: QrCode;
        readonly end: ShownTime;
        /** This page follows. */
        readonly donePath: string;
      };
  readonly activity: {
    /** Lists the entries, the newest first. */
    readonly entries: readonly ActivityEntry[];
    /** Only entries of this username are shown. It is empty if all accounts are shown. */
    readonly name: string;
    /** Only entries about this app are shown. An app that was removed has its ID as name. */
    readonly app: { readonly id: string; readonly name: string } | undefined;
    /** Only entries of this kind are shown. */
    readonly kind: ActivityKind | undefined;
    readonly kinds: readonly ActivityKind[];
    /** These are the queries of the page with the newest entries, and of the next page. */
    readonly newest: string | undefined;
    readonly next: string | undefined;
  };
  readonly error: {
    readonly status: number;
    /** Without a title, the page says that something went wrong. */
    readonly title?: string | undefined;
    readonly message: string;
    /** For an internal failure, this is the ID of its line in the server log. */
    readonly requestId?: string;
    /** True for a signed-in user whom an app does not admit. */
    readonly offersSignOut?: boolean;
    /** This is the URL of the sign-out if it is not Latchkey's own sign-out. */
    readonly signOutUrl?: string | undefined;
    /** This is the sign-in page, if Latchkey would refuse a sign-out from the page's host. */
    readonly signInUrl?: string | undefined;
    /** This is the first page of the signed-in user, or of every user on the page for a host. */
    readonly home?: { readonly page: "apps" | "account"; readonly url: string } | undefined;
    /** After an internal failure, the same request can be repeated here. It is empty for the page itself. */
    readonly retryUrl?: string | undefined;
    /** This is Latchkey's own URL, for a request at a host that is not allowed. */
    readonly publicUrl?: string | undefined;
    /**
     * This is the app that does not admit the user, or the host that is not allowed or has no app.
     */
    readonly host?: string | undefined;
    /** True if the request is for a host without an app. */
    readonly hasNoApp?: boolean;
  };
}

/** Names a field of the forms on the page of an app. */
export type AppProblemField = AppField | "secret" | "icon" | "redirect" | "refused";

/** Names a known app. */
export interface ShownRecipe {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
}

/** Says what to enter in one place of an app. The texts are in English, as the app has them. */
export interface ShownPlace {
  readonly title: string;
  /** Lists labels, each with what to enter. */
  readonly fields: readonly (readonly [label: string, value: string])[];
  /** Contains the lines to enter as they are. */
  readonly text: string;
}

/** Contains what an administrator enters in an app. */
export interface ShownClient {
  readonly clientId: string;
  /** These are `undefined` without a public URL, which OpenID Connect needs. */
  readonly issuer: string | undefined;
  readonly discoveryUrl: string | undefined;
}

export type PageName = keyof PageData;

/** Describes a session. The time of its last use is known to the hour. */
export interface SessionEntry extends ShownTime {
  /** A form ends the session by sending this value in the field `session`. */
  readonly id: string;
  readonly device: string;
  readonly address: string;
  /** True if this is the session of the request. */
  readonly isCurrent: boolean;
  /** The session is for this host of another domain. */
  readonly host?: string | undefined;
}

/** Describes the account's one-time codes; `none` if codes are not offered. */
export type CodesSection =
  | { readonly kind: "none" }
  | { readonly kind: "off" }
  | {
      readonly kind: "begun";
      /** The secret is in base32, in groups of four letters. */
      readonly secret: string;
      /** This URI opens an authenticator app on the same device. */
      readonly uri: string;
      /** The QR code contains the URI. */
      readonly qr: QrCode;
      /** This is the value of the hidden field `sealed`. */
      readonly sealed: string;
    }
  /** The page shows the codes once, with the host, the time and the username in `of`. */
  | { readonly kind: "turned-on"; readonly recoveryCodes: readonly string[]; readonly of: string }
  | { readonly kind: "on"; readonly recoveryCodesLeft: number };

/** Describes an entry of the audit log. */
export interface ActivityEntry extends ShownTime {
  readonly text: string;
  /** Says whom it concerns, who made the change, and from which device and address. */
  readonly details: readonly string[];
  /** The entry can mean an attack. */
  readonly isAlarming: boolean;
  /** So many equal entries followed each other. */
  readonly count: number;
  /** Administrators see whom the entry concerns. */
  readonly person?: ActivityPerson | undefined;
}

/** Identifies the account that an entry of the audit log concerns. */
export interface ActivityPerson {
  readonly username: string;
  readonly id: string;
}

/** Names a kind of entries of the audit log. */
export type ActivityKind = keyof Words["activityKinds"];

export interface PasskeySection {
  readonly list: readonly (Pick<Passkey, "id" | "name"> & {
    readonly added: ShownTime;
    readonly used?: ShownTime | undefined;
  })[];
  /** Browsers add passkeys only at a host name, over HTTPS or on the same machine. */
  readonly canAdd: boolean;
  /**
   * A new passkey gets this name if the user enters none. `maxName` limits the length of a name.
   */
  readonly newName: string;
  readonly maxName: number;
}

/** Describes a person. Long texts that users have chosen are shortened. */
export interface ShownPerson extends Omit<Person, "endsAt" | "signedInAt"> {
  readonly signedIn: ShownTime | undefined;
  /** Says on which day the account ends. */
  readonly end: ShownTime | undefined;
  /** The account has ended, and counts as removed. */
  readonly hasEnded: boolean;
}

/** Contains the form for the name and the e-mail address of an account. */
export interface ProfileForm {
  readonly name: string;
  readonly email: string;
  /**
   * Says whether the stored address is known to belong to the person. This is `undefined` if there is
   * none, or if another one was entered.
   */
  readonly emailIs: "verified" | "unverified" | undefined;
  /**
   * This is the value of the hidden field `version`. A form of a profile that has changed in the
   * meantime is refused.
   */
  readonly version: string;
}

/** Describes a checkbox. */
export interface Choice {
  readonly name: string;
  readonly isChecked: boolean;
}

/** Describes a one-time link that can still be used. */
export interface ShownLink {
  readonly id: string;
  readonly purpose: Link["purpose"];
  /** The username of the account, or the label of a guest. Empty if the person chooses it. */
  readonly name: string;
  /** These are the groups of the account that the link makes. */
  readonly groups: readonly string[];
  /** These are the names of the apps that the link is for. */
  readonly apps: readonly string[];
  /** This is `undefined` for a link that was made by a command. */
  readonly madeBy: string | undefined;
  readonly end: ShownTime;
}

/** Describes the form for a new link. */
export interface NewLinkForm {
  readonly username: string;
  /** The invitation is sent to this address. This is `undefined` if it cannot be sent. */
  readonly email?: string | undefined;
  readonly groups: readonly Choice[];
  /** Contains the names of new groups. */
  readonly newGroups: string;
  readonly until: string;
  /** The link can be for these apps. */
  readonly apps: readonly (ShownApp & { readonly id: string; readonly isChecked: boolean })[];
  readonly problem?: FormProblem<NewLinkField> | undefined;
}

/** Contains all values of a page. */
export type PageContents<Name extends PageName> = PageFrame & PageHelpers & PageData[Name];

/**
 * Renders a page in place of Latchkey's own. The function gets the same values, in the reader's
 * language, and returns the whole HTML document. It must escape every value that it puts into HTML.
 * If it fails or does not return text, the request fails.
 */
export type PageFunction<Name extends PageName> = (
  page: PageContents<Name>,
) => MaybePromise<string>;

/**
 * Contains the pages that an app replaces. If a form was rejected, `problem.message` says why, and
 * the function must show it.
 */
export type PageFunctions = {
  readonly [Name in PageName]?: PageFunction<Name> | undefined;
};
