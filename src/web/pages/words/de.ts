import { MAX_BODY_BYTES } from "../../request/form.ts";
import type { Words } from "./en.ts";

export const de: Words = {
  direction: "ltr",

  signInTo: (app) => `Anmelden bei ${app}`,
  username: "Benutzername",
  password: "Passwort",
  signIn: "Anmelden",
  signInFailed:
    "Das hat nicht geklappt. Prüfe beide Felder oder warte eine Minute und versuche es noch einmal.",
  noAccountYet: "Es gibt noch kein Konto.",
  setUpFirst: "Erstes Konto anlegen",

  setUpApp: (app) => `${app} einrichten`,
  setUpAbout: "Mit diesem Konto meldest du dich bei allem an, was dieser Server schützt.",
  setupToken: "Einrichtungscode",
  setupTokenHint: "Du findest ihn im Einrichtungslink (frag deinen Administrator).",
  passwordAgain: "Passwort wiederholen",
  domain: "Domain (kann leer bleiben)",
  domainHint: "Öffentlicher Hostname, zum Beispiel example.com.",
  createAccount: "Konto anlegen",

  accountAt: (app) => `Dein Konto bei ${app}`,
  signedInAs: (username) => `Angemeldet als ${username}`,
  signOut: "Abmelden",
  changePassword: "Passwort ändern",
  currentPassword: "Aktuelles Passwort",
  newPassword: "Neues Passwort",
  newPasswordHint: "Mindestens 8 Zeichen.",
  newPasswordAgain: "Neues Passwort wiederholen",
  passwordIsChanged: "Dein Passwort wurde geändert.",
  recentActivity: "Letzte Aktivitäten",
  activityUnreadable: "Das Protokoll kann gerade nicht gelesen werden.",
  events: {
    signin: (username) => `${username} hat sich angemeldet`,
    signin_rate_limited: (address) => `Zu viele Anmeldeversuche von ${address}`,
    signup: (username) => `Konto ${username} wurde angelegt`,
    password_change: () => "Das Passwort wurde geändert",
    user_add: (username) => `Konto ${username} wurde hinzugefügt`,
    user_password: (username) => `Das Passwort von ${username} wurde zurückgesetzt`,
    user_rename: (username) => `Ein Konto heißt jetzt ${username}`,
    user_remove: (username) => `Konto ${username} wurde entfernt`,
    user_sign_out: (username) => `${username} wurde überall abgemeldet`,
    user_sign_out_all: () => "Alle Benutzer wurden abgemeldet",
    user_import: (count) => `Importierte Konten: ${count}`,
    log_import: (count) => `Importierte Protokolleinträge: ${count}`,
  },

  problemAt: (app) => `Bei ${app} ist etwas schiefgelaufen`,
  problemIn: (title) => `Fehler: ${title}`,
  quoteRequest: (id) => `Wenn du das Problem meldest, gib die ID ${id} an`,
  backToStart: "Zurück zur Startseite",
  backToSetup: "Zurück zur Einrichtung",
  backToSignIn: "Zurück zur Anmeldung",

  show: "Anzeigen",
  hide: "Verbergen",
  capsLock: "Die Feststelltaste ist aktiv.",

  messages: {
    invalidSetupToken: "der Einrichtungscode ist ungültig",
    usernameOrPasswordMissing: "Benutzername und Passwort sind erforderlich",
    passwordsDiffer: "die Passwörter stimmen nicht überein",
    fieldMissing: "alle Felder müssen ausgefüllt sein",
    currentPasswordIncorrect: "das aktuelle Passwort ist falsch",
    newPasswordsDiffer: "die neuen Passwörter stimmen nicht überein",
    newPasswordTooShort: "das Passwort muss mindestens 8 Zeichen lang sein",
    noSuchPage: "diese Seite gibt es nicht",
    methodNotAllowed: "diese Methode ist hier nicht erlaubt",
    crossSite: "dieses Formular wurde von einer anderen Website gesendet",
    hostNotAllowed:
      "Anfragen an diesen Hostnamen werden abgelehnt; der Betreiber kann ihn mit ALLOWED_HOSTS oder PUBLIC_URL erlauben",
    formTooLarge: `das Formular ist zu groß (höchstens ${MAX_BODY_BYTES} Bytes)`,
    formNotUtf8: "das Formular ist kein gültiges UTF-8",
    formNotWhole: "das Formular ist unvollständig angekommen",
  },
};
