import { explainFieldProblem, isFieldProblem } from "../../features/apps/explain-problem.ts";
import { type Accounts, createRefusal, quote } from "../accounts.ts";
import type { FieldChange, Step } from "./make-plan.ts";
import { explainProfile } from "./wanted-state.ts";

/** Says what was done, and why something was not: others have changed the same thing meanwhile. */
export type StepOutcome =
  | { readonly kind: "done"; readonly line: string }
  | { readonly kind: "refused"; readonly reason: string }
  /** The user exists, but the profile was refused. */
  | { readonly kind: "partly-done"; readonly line: string; readonly reason: string };

/** Runs one step by the functions that the other commands use. */
export async function runStep(accounts: Accounts, step: Step): Promise<StepOutcome> {
  switch (step.kind) {
    case "add-user":
      return addUser(accounts, step);
    case "set-groups": {
      const outcome = await accounts.users.setGroups(step.id, step.groups);
      return outcome === "set" ? done(step) : refuse(createRefusal(outcome, step.username));
    }
    case "set-profile": {
      const outcome = await accounts.users.setProfile(step.id, step.profile);
      if (outcome === "set") return done(step);
      return { kind: "refused", reason: explainProfile(outcome, step.username, step.profile) };
    }
    case "remove-user": {
      const outcome = await accounts.users.remove(step.id);
      // Somebody else has removed it.
      if (outcome === "removed" || outcome === "no-user") return done(step);
      return refuse(createRefusal(outcome, step.username));
    }
    case "add-app":
      return addApp(accounts, step);
    case "change-app":
      return changeApp(accounts, step);
    case "remove-app":
      await accounts.apps.remove(step.id);
      return done(step);
  }
}

type StepOf<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

const done = (step: Step, secret?: string): StepOutcome => {
  const line = formatStep(step, "done");
  const text =
    secret === undefined ? line : `${line}; its client secret, which is not shown again: ${secret}`;
  return { kind: "done", line: text };
};

const refuse = (error: Error): StepOutcome => ({ kind: "refused", reason: error.message });

async function addUser({ users }: Accounts, step: StepOf<"add-user">): Promise<StepOutcome> {
  const { username, groups = [], profile } = step.user;
  const added = await users.add({ username, groups });
  if (added.kind !== "added") return refuse(createRefusal(added.kind, username));
  if (profile === undefined) return done(step);
  const outcome = await users.setProfile(added.user.id, profile);
  if (outcome === "set") return done(step);
  const line = formatStep(step, "done");
  return { kind: "partly-done", line, reason: explainProfile(outcome, username, profile) };
}

async function addApp(accounts: Accounts, step: StepOf<"add-app">): Promise<StepOutcome> {
  const { id, fields, secret } = step.app;
  const outcome = await accounts.apps.add({ ...fields, id });
  if (isFieldProblem(outcome)) return refuse(new Error(explainFieldProblem(outcome)));
  if (outcome.kind !== "added") return refuse(new Error(`another app has the ID ${quote(id)}`));
  return giveSecret(accounts, step, { id, given: secret, made: outcome.secret });
}

async function changeApp(accounts: Accounts, step: StepOf<"change-app">): Promise<StepOutcome> {
  const { id, fields, secret } = step;
  const outcome = fields && (await accounts.apps.change(id, fields));
  if (outcome?.kind === "no-app") return refuse(createRefusal("app-unknown", id));
  if (outcome !== undefined && isFieldProblem(outcome))
    return refuse(new Error(explainFieldProblem(outcome)));
  return giveSecret(accounts, step, { id, given: secret, made: outcome?.secret });
}

/** Gives the app the secret of its file in place of the one that was just made, or prints that. */
async function giveSecret(
  { apps, setAppSecret }: Accounts,
  step: Step,
  secrets: {
    readonly id: string;
    readonly given: string | undefined;
    readonly made: string | undefined;
  },
): Promise<StepOutcome> {
  const { id, given, made } = secrets;
  if (given === undefined) return done(step, made);
  const outcome = await setAppSecret(id, given);
  switch (outcome) {
    case "set":
    case "unchanged":
      if (made !== undefined) await apps.revokeSecret(id);
      return done(step);
    case "taken":
      return refuse(new Error(`another app has the secret of ${quote(id)}`));
    case "no-app":
      return refuse(createRefusal("app-unknown", id));
    case "not-confidential":
      return refuse(new Error(`${quote(id)} is no longer an app with a secret`));
    case "secret-invalid":
      return refuse(new Error(`the secret of ${quote(id)} is not valid`));
  }
}

const VERBS = { add: "created", change: "changed", remove: "removed" } as const;
const PLANNED = { add: "would create", change: "would change", remove: "would remove" } as const;

/** Formats a step as one line. */
export function formatStep(step: Step, when: "done" | "planned"): string {
  const verbs = when === "done" ? VERBS : PLANNED;
  switch (step.kind) {
    case "add-user": {
      const { username, groups = [] } = step.user;
      const shown = groups.length === 0 ? "" : ` in ${groups.join(", ")}`;
      return `${verbs.add} user ${quote(username)}${shown}`;
    }
    case "set-groups":
    case "set-profile":
      return `${verbs.change} user ${quote(step.username)}: ${formatChanges(step.changes)}`;
    case "remove-user":
      return `${verbs.remove} user ${quote(step.username)}`;
    case "add-app":
      return `${verbs.add} app ${quote(step.app.id)}`;
    case "change-app":
      return `${verbs.change} app ${quote(step.id)}: ${formatChanges(step.changes)}`;
    case "remove-app":
      return `${verbs.remove} app ${quote(step.id)}`;
  }
}

const formatChanges = (changes: readonly FieldChange[]): string =>
  changes.map(({ field, from, to }) => `${field} ${from} → ${to}`).join("; ");
