import type { User } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import type { ProfileField, ProfileForm } from "../../pages/page-data.ts";
import type { MessageName } from "../../pages/words.ts";
import { type ProfileChange, type SetProfileOutcome, toProfileVersion } from "./set-profile.ts";

interface ProfileProblem {
  readonly message: MessageName;
  readonly field: ProfileField;
}

/** Maps each refusal of a profile to its message. The person and administrators get the same. */
export const profileProblems: Readonly<
  Record<Exclude<SetProfileOutcome, "set" | "no-user" | "guest">, ProfileProblem>
> = {
  "name-invalid": { message: "nameInvalid", field: "name" },
  "email-invalid": { message: "emailInvalid", field: "email" },
  "email-missing": { message: "emailInvalid", field: "email" },
  "email-taken": { message: "emailTaken", field: "email" },
  "changed-meanwhile": { message: "changedMeanwhile", field: "name" },
};

/** Reads what the form of a profile changes. */
export const readProfileChange = (
  form: Form,
): ProfileChange & Record<ProfileField | "version", string> => ({
  name: form("name"),
  email: form("email"),
  version: form("version"),
});

/** Creates the form with the name and the address of the user. */
export function toProfileForm(user: User): ProfileForm {
  const { name = "", email = "", emailVerified } = user;
  const verification = emailVerified === true ? "verified" : "unverified";
  const emailIs = email === "" ? undefined : verification;
  return { name, email, emailIs, version: toProfileVersion(user) };
}

/** Returns the form with what was entered. */
export function addEnteredProfile(shown: ProfileForm, entered: Form): ProfileForm {
  const [name, email] = [entered("name"), entered("email")];
  return { ...shown, name, email, emailIs: email === shown.email ? shown.emailIs : undefined };
}
