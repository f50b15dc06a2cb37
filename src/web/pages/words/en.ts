import { MAX_BODY_BYTES } from "../../request/form.ts";

/**
 * Every text on the pages. The English `messages` are fixed. No text contains a character that HTML
 * would escape: quotes and apostrophes are typographic.
 */
export const en = {
  direction: "ltr",

  signInTo: (app: string): string => `Sign in to ${app}`,
  toContinueTo: (host: string): string => `to continue to ${host}`,
  or: "or",
  username: "Username",
  password: "Password",
  signIn: "Sign in",
  signInFailed:
    "That didn’t work. Check your username and password. After five attempts, wait a minute.",
  codeSignInFailed:
    "That didn’t work. Check your username, password and code. After five attempts, wait a minute.",
  welcomeBack: "Welcome back",
  confirm: "Confirm it’s you",
  confirmAbout: "To change how you sign in, sign in once more.",
  continue: "Continue",
  useAnotherAccount: "Use another account",
  noAccountYet: "There is no account yet.",
  setUpFirst: "Create the first account",

  setUpApp: (app: string): string => `Set up ${app}`,
  setUpAbout: "With this account you sign in to everything that this server protects.",
  setupToken: "Setup token",
  setupTokenHint: "Copy it from the setup link (ask your administrator).",
  passwordHint: "Use 8 or more characters.",
  passwordAgain: "Repeat password",
  domain: "Domain (optional)",
  domainHint: "Public host name, for example example.com.",
  createAccount: "Create account",

  accountAt: (app: string): string => `Your ${app} account`,
  signedInAs: (username: string): string => `Signed in as ${username}`,
  signOut: "Sign out",
  changePassword: "Change password",
  currentPassword: "Current password",
  newPassword: "New password",
  newPasswordHint: "At least 8 characters; an é or ü counts as two.",
  newPasswordAgain: "Repeat new password",
  sessions: "Sessions",
  active: (count: string): string => `${count} active`,
  thisDevice: "This device",
  unknownDevice: "Unknown device",
  on: "on",
  endSession: (device: string): string => `Sign out: ${device}`,
  endOtherSessions: "Sign out everywhere else",
  endOthers: "Sign out other devices",
  sessionsUnreadable: "The sessions cannot be read right now.",
  codes: "One-time codes",
  off: "Off",
  codesOffNext: "After that, you sign in with your password only.",
  turnOnCodes: "Turn on one-time codes",
  turnOffCodes: "Turn off one-time codes",
  cancel: "Cancel",
  codesAbout:
    "An app on your phone shows a new code every 30 seconds. Signing in then asks for your password and a code.",
  oneTimeCode: "One-time code",
  codeHint: "Only if your account uses one-time codes.",
  scanCode: "Scan this with your authenticator app:",
  qrCode: "QR code for your authenticator app",
  openInApp: "Open in an app on this device",
  enterSecret: "Or enter this key in the app:",
  confirmHint: "The six digits that the app shows now.",
  recoveryCodes: "Recovery codes",
  recoveryCodesAbout:
    "Without your phone, each of these codes signs you in once. Keep them in a safe place: they are not shown again.",
  codesKept: "I’ve saved them",
  newRecoveryCodes: "New recovery codes",
  recoveryCodesLeft: (count: string): string => `On, ${count} recovery codes left`,
  recentActivity: "Recent activity",
  activityUnreadable: "The log cannot be read right now.",
  events: {
    signin: (username: string): string => `${username} signed in`,
    signin_rate_limited: (address: string): string => `Too many sign-ins from ${address}`,
    signup: (username: string): string => `Account ${username} was created`,
    password_change: (username: string): string => `The password of ${username} was changed`,
    session_end: (username: string): string => `A session of ${username} was ended`,
    session_end_others: (username: string): string =>
      `The other sessions of ${username} were ended`,
    codes_on: (username: string): string => `${username} turned on one-time codes`,
    codes_off: (username: string): string => `One-time codes of ${username} were turned off`,
    code_rejected: (username: string): string =>
      `Wrong one-time code after the right password of ${username}`,
    codes_locked: (username: string): string =>
      `The one-time codes of ${username} are locked after 100 wrong ones. A recovery code unlocks them, or an administrator turns them off.`,
    recovery_code_used: (username: string): string => `${username} used a recovery code`,
    recovery_codes_new: (username: string): string =>
      `The recovery codes of ${username} were replaced`,
    passkey_add: (username: string): string => `${username} added a passkey`,
    passkey_remove: (username: string): string => `${username} removed a passkey`,
    user_add: (username: string): string => `Account ${username} was added`,
    user_password: (username: string): string => `The password of ${username} was reset`,
    user_groups: (username: string): string => `The groups of ${username} were changed`,
    user_rename: (username: string): string => `An account was renamed to ${username}`,
    user_remove: (username: string): string => `Account ${username} was removed`,
    user_sign_out: (username: string): string => `${username} was signed out everywhere`,
    user_sign_out_all: (): string => "All users were signed out",
    user_import: (count: string): string => `Accounts imported: ${count}`,
  },

  notices: {
    passwordIsChanged: "Your password has been changed.",
    sessionNotEnded:
      "You are signed out in this browser. Elsewhere, a copy of the session may stay valid until the server’s database is available again.",
    sessionIsEnded: "The session has been ended.",
    othersAreEnded: "You are signed out everywhere else.",
    codesAreOn: "One-time codes are on.",
    recoveryCodesAreNew: "These replace all earlier recovery codes.",
    codesAreOff: "One-time codes are off.",
    passkeyIsAdded: "The passkey has been added.",
    passkeyIsRenamed: "The passkey has a new name.",
    passkeyIsRemoved: "The passkey has been removed.",
    signedOut: "You are signed out.",
    sessionExpired: "Your session has ended, so nothing was saved. Sign in and try again.",
    isConfirmed: "Thank you. You can change how you sign in for ten minutes.",
  },

  titles: {
    noSuchPage: "Nothing here",
    methodNotAllowed: "Method not allowed",
    crossSite: "Form refused",
  },
  noAccess: "No access",
  mayNotOpen: (username: string, app: string): string =>
    `${username} isn’t allowed to open ${app}.`,
  thisApp: "this app",
  yourAccount: "Your account",
  wrongAddress: "Wrong address",
  hostNotAllowed: (host: string): string =>
    `This server doesn’t answer at ${host}. The operator can allow this name with ALLOWED_HOSTS or PUBLIC_URL.`,
  problemAt: (app: string): string => `Something went wrong in ${app}`,
  problemIn: (title: string): string => `Problem: ${title}`,
  quoteRequest: (id: string): string => `If you report this problem, include the ID ${id}.`,
  backToStart: "Back to the start page",
  backToSetup: "Back to setup",
  backToSignIn: "Back to sign-in",

  show: "Show",
  hide: "Hide",
  showAll: "Show all",
  copy: "Copy",
  download: "Download",
  print: "Print",
  rename: "Rename",
  remove: "Remove",
  capsLock: "Caps Lock is on.",

  passkeys: "Passkeys",
  passkeysAbout: "Sign in with your device instead of your password.",
  noneYet: "None yet",
  passkeyName: "Name of the passkey",
  addPasskey: "Add a passkey",
  removePasskey: "Remove the passkey",
  removePasskeyNext:
    "It no longer signs you in here. It stays on the device until you remove it there.",
  passkeyAdded: "added",
  passkeyUsed: "last used",
  usePasskey: "Use a passkey",
  passkeyFailed: "That didn’t work. Try again, or use your password.",

  messages: {
    invalidSetupToken: "invalid setup token",
    usernameOrPasswordMissing: "username and password are required",
    passwordsDiffer: "passwords do not match",
    fieldMissing: "all fields are required",
    currentPasswordIncorrect: "current password is incorrect",
    newPasswordsDiffer: "new passwords do not match",
    newPasswordTooShort: "password must be at least 8 characters",
    codeIncorrect: "The code is wrong or already used. After five attempts, wait a minute.",
    codesNotBegun: "Turning on one-time codes took too long. Start again.",
    passkeyRejected: "The passkey could not be added.",
    tooManyPasskeys: "This account has too many passkeys.",
    noSuchPage: "Page not found.",
    methodNotAllowed: "This method is not allowed here.",
    crossSite: "This form was sent from another site.",
    formTooLarge: `The form is too large (at most ${MAX_BODY_BYTES} bytes).`,
    formNotUtf8: "The form is not valid UTF-8.",
    formNotWhole: "The form arrived incomplete.",
    internalFailure: "The server could not answer this request.",
    unavailable: "The server cannot answer right now. Try again in a moment.",
  },
};

/** The texts of one language. A missing text is a type error. */
export type Words = typeof en;

/** A message of the error page or of a form. */
export type MessageName = keyof Words["messages"];
