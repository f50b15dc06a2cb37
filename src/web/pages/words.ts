/**
 * Every text on the pages. The English `messages` are fixed. No text contains a character that HTML
 * would escape: quotes and apostrophes are typographic.
 */
const en = {
  direction: "ltr",

  signInTo: (app: string): string => `Sign in to ${app}`,
  username: "Username",
  password: "Password",
  signIn: "Sign in",
  signInFailed: "That did not work. Check both fields, or wait a minute and try again.",
  noAccountYet: "There is no account yet.",
  setUpFirst: "Create the first account",

  setUpApp: (app: string): string => `Set up ${app}`,
  setUpAbout: "With this account you sign in to everything that this server protects.",
  setupToken: "Setup token",
  setupTokenHint: "Copy it from the setup link (ask your administrator).",
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
  newPasswordHint: "At least 8 characters.",
  newPasswordAgain: "Repeat new password",
  passwordIsChanged: "Your password has been changed.",
  recentActivity: "Recent activity",
  activityUnreadable: "The log cannot be read right now.",
  someoneSignedIn: (username: string): string => `${username} signed in`,
  someoneWasSlowedDown: (address: string): string => `Too many sign-ins from ${address}`,
  accountWasCreated: (username: string): string => `Account ${username} was created`,
  passwordWasChanged: "The password was changed",
  accountWasAdded: (username: string): string => `Account ${username} was added`,
  passwordWasSet: (username: string): string => `The password of ${username} was reset`,
  accountWasRenamed: (username: string): string => `An account was renamed to ${username}`,
  accountWasRemoved: (username: string): string => `Account ${username} was removed`,
  sessionsWereEnded: (username: string): string => `${username} was signed out everywhere`,
  allSessionsWereEnded: "All users were signed out",
  accountsWereImported: (count: string): string => `Accounts imported: ${count}`,
  entriesWereImported: (count: string): string => `Log entries imported: ${count}`,

  problemAt: (app: string): string => `Something went wrong in ${app}`,
  problemIn: (title: string): string => `Problem: ${title}`,
  quoteRequest: (id: string): string => `If you report this problem, include the ID ${id}`,
  backToStart: "Back to the start page",
  backToSetup: "Back to setup",
  backToSignIn: "Back to sign-in",

  show: "Show",
  hide: "Hide",
  capsLock: "Caps Lock is on.",

  messages: {
    invalidSetupToken: "invalid setup token",
    usernameOrPasswordMissing: "username and password are required",
    passwordsDiffer: "passwords do not match",
    fieldMissing: "all fields are required",
    currentPasswordIncorrect: "current password is incorrect",
    newPasswordsDiffer: "new passwords do not match",
    newPasswordTooShort: "password must be at least 8 characters",
    noSuchPage: "page not found",
    methodNotAllowed: "this method is not allowed here",
    crossSite: "this form was sent from another site",
    hostNotAllowed:
      "requests for this host name are refused; the operator can allow it with ALLOWED_HOSTS or PUBLIC_URL",
    formTooLarge: (bytes: number): string => `the form is too large (at most ${bytes} bytes)`,
    formNotUtf8: "the form is not valid UTF-8",
    formNotWhole: "the form arrived incomplete",
  },
};

/** The texts of one language. A missing text is a type error. */
export type Words = Texts<typeof en>;

type Texts<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer Given) => string
      ? (...args: Given) => string
      : Texts<T[K]>;
};

const de: Words = {
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
  someoneSignedIn: (username) => `${username} hat sich angemeldet`,
  someoneWasSlowedDown: (address) => `Zu viele Anmeldeversuche von ${address}`,
  accountWasCreated: (username) => `Konto ${username} wurde angelegt`,
  passwordWasChanged: "Das Passwort wurde geändert",
  accountWasAdded: (username) => `Konto ${username} wurde hinzugefügt`,
  passwordWasSet: (username) => `Das Passwort von ${username} wurde zurückgesetzt`,
  accountWasRenamed: (username) => `Ein Konto heißt jetzt ${username}`,
  accountWasRemoved: (username) => `Konto ${username} wurde entfernt`,
  sessionsWereEnded: (username) => `${username} wurde überall abgemeldet`,
  allSessionsWereEnded: "Alle Benutzer wurden abgemeldet",
  accountsWereImported: (count) => `Importierte Konten: ${count}`,
  entriesWereImported: (count) => `Importierte Protokolleinträge: ${count}`,

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
    formTooLarge: (bytes) => `das Formular ist zu groß (höchstens ${bytes} Bytes)`,
    formNotUtf8: "das Formular ist kein gültiges UTF-8",
    formNotWhole: "das Formular ist unvollständig angekommen",
  },
};

const fr: Words = {
  direction: "ltr",

  signInTo: (app) => `Connexion à ${app}`,
  username: "Nom d’utilisateur",
  password: "Mot de passe",
  signIn: "Se connecter",
  signInFailed:
    "La connexion a échoué. Vérifiez les deux champs ou attendez une minute avant de réessayer.",
  noAccountYet: "Il n’existe pas encore de compte.",
  setUpFirst: "Créer le premier compte",

  setUpApp: (app) => `Configurer ${app}`,
  setUpAbout: "Ce compte vous connecte à tout ce que ce serveur protège.",
  setupToken: "Code de configuration",
  setupTokenHint: "Il se trouve dans le lien de configuration (demandez à votre administrateur).",
  passwordAgain: "Confirmez le mot de passe",
  domain: "Domaine (facultatif)",
  domainHint: "Nom d’hôte public, par exemple example.com.",
  createAccount: "Créer le compte",

  accountAt: (app) => `Votre compte sur ${app}`,
  signedInAs: (username) => `Connecté en tant que ${username}`,
  signOut: "Se déconnecter",
  changePassword: "Modifier le mot de passe",
  currentPassword: "Mot de passe actuel",
  newPassword: "Nouveau mot de passe",
  newPasswordHint: "Au moins 8 caractères.",
  newPasswordAgain: "Confirmez le nouveau mot de passe",
  passwordIsChanged: "Votre mot de passe a été modifié.",
  recentActivity: "Activité récente",
  activityUnreadable: "Le journal ne peut pas être lu pour le moment.",
  someoneSignedIn: (username) => `Connexion de ${username}`,
  someoneWasSlowedDown: (address) => `Trop de tentatives de connexion depuis ${address}`,
  accountWasCreated: (username) => `Création du compte ${username}`,
  passwordWasChanged: "Modification du mot de passe",
  accountWasAdded: (username) => `Ajout du compte ${username}`,
  passwordWasSet: (username) => `Réinitialisation du mot de passe de ${username}`,
  accountWasRenamed: (username) => `Un compte a été renommé en ${username}`,
  accountWasRemoved: (username) => `Suppression du compte ${username}`,
  sessionsWereEnded: (username) => `Déconnexion de ${username} sur tous les appareils`,
  allSessionsWereEnded: "Déconnexion de tous les utilisateurs",
  accountsWereImported: (count) => `Comptes importés : ${count}`,
  entriesWereImported: (count) => `Entrées du journal importées : ${count}`,

  problemAt: (app) => `Un problème est survenu sur ${app}`,
  problemIn: (title) => `Problème : ${title}`,
  quoteRequest: (id) => `Si vous signalez ce problème, indiquez l’identifiant ${id}`,
  backToStart: "Retour à l’accueil",
  backToSetup: "Retour à la configuration",
  backToSignIn: "Retour à la connexion",

  show: "Afficher",
  hide: "Masquer",
  capsLock: "Le verrouillage des majuscules est activé.",

  messages: {
    invalidSetupToken: "le code de configuration n’est pas valide",
    usernameOrPasswordMissing: "le nom d’utilisateur et le mot de passe sont obligatoires",
    passwordsDiffer: "les mots de passe ne correspondent pas",
    fieldMissing: "tous les champs sont obligatoires",
    currentPasswordIncorrect: "le mot de passe actuel est incorrect",
    newPasswordsDiffer: "les nouveaux mots de passe ne correspondent pas",
    newPasswordTooShort: "le mot de passe doit contenir au moins 8 caractères",
    noSuchPage: "cette page n’existe pas",
    methodNotAllowed: "cette méthode n’est pas autorisée ici",
    crossSite: "ce formulaire a été envoyé depuis un autre site",
    hostNotAllowed:
      "les requêtes pour ce nom d’hôte sont refusées ; l’administrateur peut l’autoriser avec ALLOWED_HOSTS ou PUBLIC_URL",
    formTooLarge: (bytes) => `le formulaire est trop volumineux (${bytes} octets au maximum)`,
    formNotUtf8: "le formulaire n’est pas en UTF-8 valide",
    formNotWhole: "le formulaire est arrivé incomplet",
  },
};

const es: Words = {
  direction: "ltr",

  signInTo: (app) => `Iniciar sesión en ${app}`,
  username: "Nombre de usuario",
  password: "Contraseña",
  signIn: "Iniciar sesión",
  signInFailed: "No ha funcionado. Revisa los dos campos o espera un minuto y vuelve a intentarlo.",
  noAccountYet: "Todavía no hay ninguna cuenta.",
  setUpFirst: "Crear la primera cuenta",

  setUpApp: (app) => `Configurar ${app}`,
  setUpAbout: "Con esta cuenta accedes a todo lo que protege este servidor.",
  setupToken: "Código de configuración",
  setupTokenHint: "Lo encontrarás en el enlace de configuración (pregunta a tu administrador).",
  passwordAgain: "Repite la contraseña",
  domain: "Dominio (opcional)",
  domainHint: "Nombre de host público, por ejemplo example.com.",
  createAccount: "Crear cuenta",

  accountAt: (app) => `Tu cuenta en ${app}`,
  signedInAs: (username) => `Sesión iniciada como ${username}`,
  signOut: "Cerrar sesión",
  changePassword: "Cambiar contraseña",
  currentPassword: "Contraseña actual",
  newPassword: "Nueva contraseña",
  newPasswordHint: "Al menos 8 caracteres.",
  newPasswordAgain: "Repite la nueva contraseña",
  passwordIsChanged: "Tu contraseña se ha cambiado.",
  recentActivity: "Actividad reciente",
  activityUnreadable: "El registro no se puede leer en este momento.",
  someoneSignedIn: (username) => `${username} inició sesión`,
  someoneWasSlowedDown: (address) => `Demasiados intentos de inicio de sesión desde ${address}`,
  accountWasCreated: (username) => `Se creó la cuenta ${username}`,
  passwordWasChanged: "Se cambió la contraseña",
  accountWasAdded: (username) => `Se añadió la cuenta ${username}`,
  passwordWasSet: (username) => `Se restableció la contraseña de ${username}`,
  accountWasRenamed: (username) => `Se cambió el nombre de una cuenta a ${username}`,
  accountWasRemoved: (username) => `Se eliminó la cuenta ${username}`,
  sessionsWereEnded: (username) => `Se cerró la sesión de ${username} en todos los dispositivos`,
  allSessionsWereEnded: "Se cerró la sesión de todos los usuarios",
  accountsWereImported: (count) => `Cuentas importadas: ${count}`,
  entriesWereImported: (count) => `Entradas del registro importadas: ${count}`,

  problemAt: (app) => `Ha habido un problema en ${app}`,
  problemIn: (title) => `Problema: ${title}`,
  quoteRequest: (id) => `Si informas de este problema, indica el identificador ${id}`,
  backToStart: "Volver al inicio",
  backToSetup: "Volver a la configuración",
  backToSignIn: "Volver al inicio de sesión",

  show: "Mostrar",
  hide: "Ocultar",
  capsLock: "Bloq Mayús está activado.",

  messages: {
    invalidSetupToken: "el código de configuración no es válido",
    usernameOrPasswordMissing: "el nombre de usuario y la contraseña son obligatorios",
    passwordsDiffer: "las contraseñas no coinciden",
    fieldMissing: "todos los campos son obligatorios",
    currentPasswordIncorrect: "la contraseña actual es incorrecta",
    newPasswordsDiffer: "las nuevas contraseñas no coinciden",
    newPasswordTooShort: "la contraseña debe tener al menos 8 caracteres",
    noSuchPage: "esta página no existe",
    methodNotAllowed: "este método no está permitido aquí",
    crossSite: "este formulario se envió desde otro sitio",
    hostNotAllowed:
      "se rechazan las peticiones para este nombre de host; el administrador puede permitirlo con ALLOWED_HOSTS o PUBLIC_URL",
    formTooLarge: (bytes) => `el formulario es demasiado grande (${bytes} bytes como máximo)`,
    formNotUtf8: "el formulario no es UTF-8 válido",
    formNotWhole: "el formulario llegó incompleto",
  },
};

export const locales = ["en", "de", "fr", "es"] as const;

export type Locale = (typeof locales)[number];

const all: Readonly<Record<Locale, Words>> = { en, de, fr, es };

export const wordsIn = (locale: Locale): Words => all[locale];
