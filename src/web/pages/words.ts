/**
 * Every text that a person meets on a page. What a rule has to say is fixed in English and stands
 * under `said`. No text has a character that HTML would escape: quotes and apostrophes are the
 * typographic ones.
 */
const en = {
  direction: "ltr",

  signInTo: (app: string): string => `Sign in to ${app}`,
  username: "Username",
  password: "Password",
  signIn: "Sign in",
  signInFailed: "That did not work. Check both fields, or wait a minute and try again.",
  noAccountYet: "There is no account yet.",
  setUpFirst: "Set up the first one",

  setUpApp: (app: string): string => `Set up ${app}`,
  setUpAbout: "This account opens everything behind this door.",
  setupToken: "Setup token",
  setupTokenHint: "It stands in the link that the person who runs this server has.",
  passwordAgain: "Password again",
  domain: "Domain (optional)",
  domainHint: "The name under which this place is to be reached.",
  createAccount: "Create account",

  accountAt: (app: string): string => `Your account at ${app}`,
  signedInAs: (username: string): string => `Signed in as ${username}`,
  signOut: "Sign out",
  changePassword: "Change password",
  currentPassword: "Current password",
  newPassword: "New password",
  newPasswordHint: "At least 8 characters.",
  newPasswordAgain: "New password again",
  passwordIsChanged: "Your password has been changed.",
  recentActivity: "Recent activity",
  activityUnreadable: "The log cannot be read just now.",
  someoneSignedIn: (username: string): string => `${username} signed in`,
  someoneWasSlowedDown: (address: string): string => `Too many sign-ins from ${address}`,
  accountWasCreated: (username: string): string => `The account ${username} was created`,
  passwordWasChanged: "The password was changed",
  accountWasAdded: (username: string): string => `The account ${username} was added`,
  passwordWasSet: (username: string): string => `The password of ${username} was set anew`,
  accountWasRenamed: (username: string): string => `An account was renamed to ${username}`,
  accountWasRemoved: (username: string): string => `The account ${username} was removed`,
  sessionsWereEnded: (username: string): string => `All sessions of ${username} were ended`,
  allSessionsWereEnded: "All sessions were ended",
  accountsWereImported: (count: string): string => `Accounts imported: ${count}`,
  entriesWereImported: (count: string): string => `Log entries imported: ${count}`,

  problemAt: (app: string): string => `Something went wrong at ${app}`,
  problemIn: (title: string): string => `Problem: ${title}`,
  quoteRequest: (id: string): string => `If you report this, quote ${id}`,
  backToStart: "Back to the start",
  backToSetup: "Back to the setup",
  backToSignIn: "Back to the sign-in",

  show: "Show",
  hide: "Hide",
  capsLock: "Caps lock is on.",

  said: {
    invalidSetupToken: "invalid setup token",
    usernameOrPasswordMissing: "username and password are required",
    passwordsDiffer: "passwords do not match",
    fieldMissing: "all fields are required",
    currentPasswordIncorrect: "current password is incorrect",
    newPasswordsDiffer: "new passwords do not match",
    newPasswordTooShort: "password must be at least 8 characters",
    noSuchPage: "there is no such page",
    methodNotAllowed: "this method is not allowed here",
    crossSite: "this form was sent from another site",
    hostNotAllowed:
      "requests for this host name are refused; the operator can allow it with ALLOWED_HOSTS or PUBLIC_URL",
    formTooLarge: (bytes: number): string => `a form may have ${bytes} bytes at most`,
    formNotUtf8: "the form is not valid UTF-8",
    formNotWhole: "the form did not arrive whole",
  },
};

/** What a language has to have. A missing text is a type error. */
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
    "Das hat nicht geklappt. Prüfe beide Felder, oder warte eine Minute und versuche es noch einmal.",
  noAccountYet: "Es gibt noch kein Konto.",
  setUpFirst: "Das erste einrichten",

  setUpApp: (app) => `${app} einrichten`,
  setUpAbout: "Dieses Konto öffnet alles, was hinter dieser Tür liegt.",
  setupToken: "Einrichtungscode",
  setupTokenHint: "Er steht in dem Link, den die Person hat, die diesen Server betreibt.",
  passwordAgain: "Passwort wiederholen",
  domain: "Domain (freiwillig)",
  domainHint: "Der Name, unter dem man hierher finden soll.",
  createAccount: "Konto anlegen",

  accountAt: (app) => `Dein Konto bei ${app}`,
  signedInAs: (username) => `Angemeldet als ${username}`,
  signOut: "Abmelden",
  changePassword: "Passwort ändern",
  currentPassword: "Bisheriges Passwort",
  newPassword: "Neues Passwort",
  newPasswordHint: "Mindestens 8 Zeichen.",
  newPasswordAgain: "Neues Passwort wiederholen",
  passwordIsChanged: "Dein Passwort ist geändert.",
  recentActivity: "Zuletzt geschehen",
  activityUnreadable: "Das Protokoll ist gerade nicht lesbar.",
  someoneSignedIn: (username) => `${username} hat sich angemeldet`,
  someoneWasSlowedDown: (address) => `Zu viele Anmeldungen von ${address}`,
  accountWasCreated: (username) => `Das Konto ${username} wurde angelegt`,
  passwordWasChanged: "Das Passwort wurde geändert",
  accountWasAdded: (username) => `Das Konto ${username} wurde hinzugefügt`,
  passwordWasSet: (username) => `Das Passwort von ${username} wurde neu gesetzt`,
  accountWasRenamed: (username) => `Ein Konto heißt jetzt ${username}`,
  accountWasRemoved: (username) => `Das Konto ${username} wurde entfernt`,
  sessionsWereEnded: (username) => `Alle Sitzungen von ${username} wurden beendet`,
  allSessionsWereEnded: "Alle Sitzungen wurden beendet",
  accountsWereImported: (count) => `Importierte Konten: ${count}`,
  entriesWereImported: (count) => `Importierte Protokolleinträge: ${count}`,

  problemAt: (app) => `Bei ${app} ist etwas schiefgegangen`,
  problemIn: (title) => `Fehler: ${title}`,
  quoteRequest: (id) => `Wenn du das meldest, gib ${id} an`,
  backToStart: "Zurück zum Anfang",
  backToSetup: "Zurück zur Einrichtung",
  backToSignIn: "Zurück zur Anmeldung",

  show: "Anzeigen",
  hide: "Verbergen",
  capsLock: "Die Feststelltaste ist an.",

  said: {
    invalidSetupToken: "der Einrichtungscode ist ungültig",
    usernameOrPasswordMissing: "Benutzername und Passwort sind nötig",
    passwordsDiffer: "die Passwörter sind nicht gleich",
    fieldMissing: "alle Felder sind nötig",
    currentPasswordIncorrect: "das bisherige Passwort stimmt nicht",
    newPasswordsDiffer: "die neuen Passwörter sind nicht gleich",
    newPasswordTooShort: "das Passwort muss mindestens 8 Zeichen haben",
    noSuchPage: "diese Seite gibt es nicht",
    methodNotAllowed: "diese Methode ist hier nicht erlaubt",
    crossSite: "dieses Formular kam von einer anderen Website",
    hostNotAllowed:
      "Anfragen unter diesem Hostnamen werden abgelehnt; der Betreiber kann ihn mit ALLOWED_HOSTS oder PUBLIC_URL erlauben",
    formTooLarge: (bytes) => `ein Formular darf höchstens ${bytes} Bytes haben`,
    formNotUtf8: "das Formular ist kein gültiges UTF-8",
    formNotWhole: "das Formular kam nicht vollständig an",
  },
};

const fr: Words = {
  direction: "ltr",

  signInTo: (app) => `Connexion à ${app}`,
  username: "Nom d’utilisateur",
  password: "Mot de passe",
  signIn: "Se connecter",
  signInFailed:
    "Cela n’a pas fonctionné. Vérifiez les deux champs, ou attendez une minute avant de réessayer.",
  noAccountYet: "Il n’y a pas encore de compte.",
  setUpFirst: "Créer le premier",

  setUpApp: (app) => `Configurer ${app}`,
  setUpAbout: "Ce compte ouvre tout ce qui se trouve derrière cette porte.",
  setupToken: "Code de configuration",
  setupTokenHint: "Il figure dans le lien que possède la personne qui gère ce serveur.",
  passwordAgain: "Répétez le mot de passe",
  domain: "Domaine (facultatif)",
  domainHint: "Le nom sous lequel on doit trouver ce lieu.",
  createAccount: "Créer le compte",

  accountAt: (app) => `Votre compte sur ${app}`,
  signedInAs: (username) => `Connecté en tant que ${username}`,
  signOut: "Se déconnecter",
  changePassword: "Changer le mot de passe",
  currentPassword: "Mot de passe actuel",
  newPassword: "Nouveau mot de passe",
  newPasswordHint: "Au moins 8 caractères.",
  newPasswordAgain: "Répétez le nouveau mot de passe",
  passwordIsChanged: "Votre mot de passe a été changé.",
  recentActivity: "Activité récente",
  activityUnreadable: "Le journal est illisible pour le moment.",
  someoneSignedIn: (username) => `Connexion de ${username}`,
  someoneWasSlowedDown: (address) => `Trop de tentatives de connexion depuis ${address}`,
  accountWasCreated: (username) => `Création du compte ${username}`,
  passwordWasChanged: "Changement du mot de passe",
  accountWasAdded: (username) => `Ajout du compte ${username}`,
  passwordWasSet: (username) => `Nouveau mot de passe pour ${username}`,
  accountWasRenamed: (username) => `Un compte s’appelle désormais ${username}`,
  accountWasRemoved: (username) => `Suppression du compte ${username}`,
  sessionsWereEnded: (username) => `Fin de toutes les sessions de ${username}`,
  allSessionsWereEnded: "Fin de toutes les sessions",
  accountsWereImported: (count) => `Comptes importés : ${count}`,
  entriesWereImported: (count) => `Entrées de journal importées : ${count}`,

  problemAt: (app) => `Un problème est survenu sur ${app}`,
  problemIn: (title) => `Problème : ${title}`,
  quoteRequest: (id) => `Pour signaler ce problème, indiquez ${id}`,
  backToStart: "Retour à l’accueil",
  backToSetup: "Retour à la configuration",
  backToSignIn: "Retour à la connexion",

  show: "Afficher",
  hide: "Masquer",
  capsLock: "Le verrouillage des majuscules est actif.",

  said: {
    invalidSetupToken: "le code de configuration n’est pas valable",
    usernameOrPasswordMissing: "le nom d’utilisateur et le mot de passe sont obligatoires",
    passwordsDiffer: "les mots de passe ne sont pas identiques",
    fieldMissing: "tous les champs sont obligatoires",
    currentPasswordIncorrect: "le mot de passe actuel est incorrect",
    newPasswordsDiffer: "les nouveaux mots de passe ne sont pas identiques",
    newPasswordTooShort: "le mot de passe doit avoir au moins 8 caractères",
    noSuchPage: "cette page n’existe pas",
    methodNotAllowed: "cette méthode n’est pas permise ici",
    crossSite: "ce formulaire a été envoyé depuis un autre site",
    hostNotAllowed:
      "les requêtes pour ce nom d’hôte sont refusées ; l’administrateur peut l’autoriser avec ALLOWED_HOSTS ou PUBLIC_URL",
    formTooLarge: (bytes) => `un formulaire peut avoir ${bytes} octets au plus`,
    formNotUtf8: "le formulaire n’est pas en UTF-8 valide",
    formNotWhole: "le formulaire n’est pas arrivé en entier",
  },
};

const es: Words = {
  direction: "ltr",

  signInTo: (app) => `Iniciar sesión en ${app}`,
  username: "Nombre de usuario",
  password: "Contraseña",
  signIn: "Iniciar sesión",
  signInFailed:
    "No ha funcionado. Revisa los dos campos, o espera un minuto y vuelve a intentarlo.",
  noAccountYet: "Todavía no hay ninguna cuenta.",
  setUpFirst: "Crear la primera",

  setUpApp: (app) => `Configurar ${app}`,
  setUpAbout: "Esta cuenta abre todo lo que hay detrás de esta puerta.",
  setupToken: "Código de configuración",
  setupTokenHint: "Está en el enlace que tiene la persona que lleva este servidor.",
  passwordAgain: "Repite la contraseña",
  domain: "Dominio (opcional)",
  domainHint: "El nombre con el que se llegará a este lugar.",
  createAccount: "Crear la cuenta",

  accountAt: (app) => `Tu cuenta en ${app}`,
  signedInAs: (username) => `Sesión iniciada como ${username}`,
  signOut: "Cerrar sesión",
  changePassword: "Cambiar la contraseña",
  currentPassword: "Contraseña actual",
  newPassword: "Contraseña nueva",
  newPasswordHint: "Al menos 8 caracteres.",
  newPasswordAgain: "Repite la contraseña nueva",
  passwordIsChanged: "Tu contraseña ha cambiado.",
  recentActivity: "Actividad reciente",
  activityUnreadable: "El registro no se puede leer en este momento.",
  someoneSignedIn: (username) => `${username} inició sesión`,
  someoneWasSlowedDown: (address) => `Demasiados intentos de inicio de sesión desde ${address}`,
  accountWasCreated: (username) => `Se creó la cuenta ${username}`,
  passwordWasChanged: "Se cambió la contraseña",
  accountWasAdded: (username) => `Se añadió la cuenta ${username}`,
  passwordWasSet: (username) => `Se fijó una contraseña nueva para ${username}`,
  accountWasRenamed: (username) => `Una cuenta se llama ahora ${username}`,
  accountWasRemoved: (username) => `Se eliminó la cuenta ${username}`,
  sessionsWereEnded: (username) => `Se cerraron todas las sesiones de ${username}`,
  allSessionsWereEnded: "Se cerraron todas las sesiones",
  accountsWereImported: (count) => `Cuentas importadas: ${count}`,
  entriesWereImported: (count) => `Entradas de registro importadas: ${count}`,

  problemAt: (app) => `Algo ha fallado en ${app}`,
  problemIn: (title) => `Problema: ${title}`,
  quoteRequest: (id) => `Para informar de este fallo, indica ${id}`,
  backToStart: "Volver al inicio",
  backToSetup: "Volver a la configuración",
  backToSignIn: "Volver al inicio de sesión",

  show: "Mostrar",
  hide: "Ocultar",
  capsLock: "El bloqueo de mayúsculas está activado.",

  said: {
    invalidSetupToken: "el código de configuración no es válido",
    usernameOrPasswordMissing: "hacen falta un nombre de usuario y una contraseña",
    passwordsDiffer: "las contraseñas no coinciden",
    fieldMissing: "hay que rellenar todos los campos",
    currentPasswordIncorrect: "la contraseña actual no es correcta",
    newPasswordsDiffer: "las contraseñas nuevas no coinciden",
    newPasswordTooShort: "la contraseña debe tener al menos 8 caracteres",
    noSuchPage: "esta página no existe",
    methodNotAllowed: "este método no se permite aquí",
    crossSite: "este formulario se envió desde otro sitio",
    hostNotAllowed:
      "se rechazan las peticiones para este nombre de host; el administrador puede permitirlo con ALLOWED_HOSTS o PUBLIC_URL",
    formTooLarge: (bytes) => `un formulario puede tener ${bytes} bytes como máximo`,
    formNotUtf8: "el formulario no es UTF-8 válido",
    formNotWhole: "el formulario no llegó entero",
  },
};

export const locales = ["en", "de", "fr", "es"] as const;

export type Locale = (typeof locales)[number];

const all: Readonly<Record<Locale, Words>> = { en, de, fr, es };

export const wordsIn = (locale: Locale): Words => all[locale];
