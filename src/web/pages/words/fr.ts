import { MAX_BODY_BYTES } from "../../request/form.ts";
import type { Words } from "./en.ts";

export const fr: Words = {
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
  events: {
    signin: (username) => `Connexion de ${username}`,
    signin_rate_limited: (address) => `Trop de tentatives de connexion depuis ${address}`,
    signup: (username) => `Création du compte ${username}`,
    password_change: () => "Modification du mot de passe",
    user_add: (username) => `Ajout du compte ${username}`,
    user_password: (username) => `Réinitialisation du mot de passe de ${username}`,
    user_rename: (username) => `Un compte a été renommé en ${username}`,
    user_remove: (username) => `Suppression du compte ${username}`,
    user_sign_out: (username) => `Déconnexion de ${username} sur tous les appareils`,
    user_sign_out_all: () => "Déconnexion de tous les utilisateurs",
    user_import: (count) => `Comptes importés : ${count}`,
    log_import: (count) => `Entrées du journal importées : ${count}`,
  },

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
    formTooLarge: `le formulaire est trop volumineux (${MAX_BODY_BYTES} octets au maximum)`,
    formNotUtf8: "le formulaire n’est pas en UTF-8 valide",
    formNotWhole: "le formulaire est arrivé incomplet",
  },
};
