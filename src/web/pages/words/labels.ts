/**
 * The short texts on the pages, in the languages of `locales` and in their order. Sentences are in the
 * file of their language.
 */
export const labels = {
  direction: ["ltr", "ltr", "ltr", "ltr"],
  or: ["or", "oder", "ou", "o"],
  username: ["Username", "Benutzername", "Nom d’utilisateur", "Nombre de usuario"],
  password: ["Password", "Passwort", "Mot de passe", "Contraseña"],
  signIn: ["Sign in", "Anmelden", "Se connecter", "Iniciar sesión"],
  welcomeBack: ["Welcome back", "Willkommen zurück", "Bon retour parmi nous", "Hola de nuevo"],
  continue: ["Continue", "Weiter", "Continuer", "Continuar"],
  back: ["Back", "Zurück", "Retour", "Atrás"],
  domain: ["Domain (optional)", "Domain, optional", "Domaine (facultatif)", "Dominio (opcional)"],
  createAccount: ["Create account", "Konto anlegen", "Créer le compte", "Crear cuenta"],
  recentActivity: ["Recent activity", "Letzte Aktivität", "Activité récente", "Actividad reciente"],
  codesKept: ["I’ve saved them", "Ich habe sie gesichert", "Je les ai notés", "Los he guardado"],
  signOut: ["Sign out", "Abmelden", "Se déconnecter", "Cerrar sesión"],
  signOutHere: ["Sign out here", "Hier abmelden", "Se déconnecter ici", "Cerrar sesión aquí"],
  newPassword: ["New password", "Neues Passwort", "Nouveau mot de passe", "Nueva contraseña"],
  sessions: ["Sessions", "Sitzungen", "Sessions ouvertes", "Sesiones"],
  thisDevice: ["This device", "Dieses Gerät", "Cet appareil", "Este dispositivo"],
  on: ["on", "auf", "sur", "en"],
  codes: ["One-time codes", "Einmalcodes", "Codes à usage unique", "Códigos de un solo uso"],
  off: ["Off", "Aus", "Désactivés", "Desactivados"],
  change: ["Change", "Ändern", "Changer", "Cambiar"],
  cancel: ["Cancel", "Abbrechen", "Annuler", "Cancelar"],
  oneTimeCode: ["One-time code", "Einmalcode", "Code à usage unique", "Código de un solo uso"],

  noAccess: ["No access", "Kein Zugriff", "Accès refusé", "Sin acceso"],
  thisApp: ["this app", "diese Anwendung", "cette application", "esta aplicación"],
  yourAccount: ["Your account", "Dein Konto", "Votre compte", "Tu cuenta"],
  wrongAddress: ["Wrong address", "Falsche Adresse", "Mauvaise adresse", "Dirección incorrecta"],

  show: ["Show", "Anzeigen", "Afficher", "Mostrar"],
  hide: ["Hide", "Verbergen", "Masquer", "Ocultar"],
  showAll: ["Show all", "Alle anzeigen", "Tout afficher", "Mostrar todas"],
  copy: ["Copy", "Kopieren", "Copier", "Copiar"],
  download: ["Download", "Herunterladen", "Télécharger", "Descargar"],
  print: ["Print", "Drucken", "Imprimer", "Imprimir"],
  name: ["Name", "Bezeichnung", "Nom", "Nombre"],
  rename: ["Rename", "Umbenennen", "Renommer", "Cambiar el nombre"],
  remove: ["Remove", "Entfernen", "Supprimer", "Quitar"],

  passkeys: ["Passkeys", "Passkeys", "Clés d’accès", "Llaves de acceso"],
  noneYet: ["None yet", "Noch keine", "Aucune", "Ninguna"],
  passkeyAdded: ["added", "hinzugefügt", "ajoutée", "añadida"],
  passkeyUsed: ["last used", "zuletzt benutzt", "dernière utilisation", "último uso"],
  keys: ["Keys for programs", "Programmschlüssel", "Clés pour programmes", "Claves para programas"],
  expires: ["Expires", "Läuft ab", "Expire", "Caduca"],
  never: ["never", "nie", "jamais", "nunca"],
  addKey: ["Make a key", "Schlüssel erstellen", "Créer une clé", "Crear una clave"],

  people: ["People", "Personen", "Personnes", "Personas"],
  search: ["Search", "Suchen", "Rechercher", "Buscar"],
  lastSignIn: ["Last sign-in", "Letzte Anmeldung", "Dernière connexion", "Último inicio de sesión"],
  groups: ["Groups", "Gruppen", "Groupes", "Grupos"],
  save: ["Save", "Speichern", "Enregistrer", "Guardar"],
  removeAccount: ["Remove account", "Konto entfernen", "Supprimer le compte", "Eliminar la cuenta"],
  guest: ["Guest", "Gast", "Invité", "Invitado"],
  invite: ["Invite somebody", "Jemanden einladen", "Inviter quelqu’un", "Invitar a alguien"],
  openLinks: ["Open links", "Offene Links", "Liens ouverts", "Enlaces abiertos"],
  revoke: ["Revoke", "Widerrufen", "Révoquer", "Revocar"],
  allTypes: ["All types", "Alle Arten", "Tous les types", "Todos los tipos"],
} as const;

/** The titles of error pages, by the names of their messages. */
export const titles = {
  noSuchPage: ["Nothing here", "Hier ist nichts", "Il n’y a rien ici", "Aquí no hay nada"],
  methodNotAllowed: [
    "Method not allowed",
    "Methode nicht erlaubt",
    "Méthode non autorisée",
    "Método no permitido",
  ],
  linkGone: ["Link not valid", "Link ungültig", "Lien non valable", "Enlace no válido"],
  crossSite: ["Form refused", "Formular abgelehnt", "Formulaire refusé", "Formulario rechazado"],
} as const;
