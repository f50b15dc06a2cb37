import type { Form } from "../../http/form.ts";
import { type Answer, redirect, respondJson } from "../../http/responses.ts";
import { readReturnTarget } from "../../http/return-to.ts";
import { logRefusal } from "../../http/warnings.ts";
import type { MessageName } from "../../pages/words.ts";
import type { Context, UserContext } from "../context.ts";
import { redirectToAccount, renewSessionCookies } from "../redirects.ts";
import { getRelyingParty } from "../relying-party.ts";
import { getLimitedClient, respondToSignIn } from "../sign-in/sign-in-pages.ts";
import { addPasskey, beginPasskey, removePasskey, renamePasskey } from "./manage-passkeys.ts";
import { signInWithPasskey } from "./sign-in-with-passkey.ts";

/**
 * Signs in with a passkey. The script requests a challenge first, and the response to the challenge
 * arrives as a form.
 */
export async function postPasskeySignIn(context: Context, form: Form): Promise<Answer> {
  const { rules, request, warnOfProxy } = context;
  warnOfProxy(request);
  const party = getRelyingParty(context);
  if (form("credential") === "") {
    return respondJson({ challenge: rules.challenges.issue("sign-in"), rpId: party?.id }, 200);
  }
  const response = {
    id: form("credential"),
    userHandle: form("user_handle"),
    clientData: form("client_data"),
    authenticatorData: form("authenticator_data"),
    signature: form("signature"),
  };
  const client = await getLimitedClient(context);
  return respondToSignIn(context, form, await signInWithPasskey(rules, response, party, client));
}

/** Sends the script the options for the browser, or a message to show. */
export async function postBeginPasskey(context: UserContext): Promise<Answer> {
  const party = getRelyingParty(context);
  const respondProblem = (name: MessageName): Answer =>
    respondJson({ message: context.views.message(context.request, name) }, 422);
  if (party === undefined) return respondProblem("passkeyRejected");
  const outcome = await beginPasskey(context.rules, context.user.id);
  switch (outcome.kind) {
    case "no-user":
      return redirect(context.paths.login);
    case "too-many":
      return respondProblem("tooMany");
    case "begun": {
      const { challenge, existing, user } = outcome;
      const { id: rpId } = party;
      const userId = Buffer.from(user.id).toString("base64url");
      return respondJson({ challenge, rpId, existing, userId, username: user.username }, 200);
    }
  }
}

export async function postAddPasskey(context: UserContext, form: Form): Promise<Answer> {
  const { views, rules, request, user, client } = context;
  const party = getRelyingParty(context);
  if (party === undefined) return views.error(context, 422, "passkeyRejected");
  const passkey = {
    name: form("name"),
    clientData: form("client_data"),
    attestation: form("attestation"),
  };
  switch (await addPasskey(rules, user.id, passkey, { party, client })) {
    case "no-user":
      return redirect(context.paths.login);
    case "name-invalid":
      return views.error(context, 422, "nameInvalid");
    case "rejected":
      logRefusal(context, request, "passkey change rejected");
      return views.error(context, 422, "passkeyRejected");
    case "added": {
      const target = readReturnTarget(context);
      const cookies = renewSessionCookies(context);
      return target === undefined
        ? redirectToAccount("signInMethods", context, { notice: "passkeyIsAdded", cookies })
        : redirect(target, cookies);
    }
  }
}

export async function postRenamePasskey(context: UserContext, form: Form): Promise<Answer> {
  switch (await renamePasskey(context.rules, context.user.id, form("passkey"), form("name"))) {
    case "no-passkey":
      return redirectToAccount("signInMethods", context);
    case "name-invalid":
      return context.views.error(context, 422, "nameInvalid");
    case "renamed":
      return redirectToAccount("signInMethods", context, { notice: "passkeyIsRenamed" });
  }
}

export async function postRemovePasskey(context: UserContext, form: Form): Promise<Answer> {
  await removePasskey(context.rules, context.user, form("passkey"), context.client);
  return redirectToAccount("signInMethods", context, { notice: "passkeyIsRemoved" });
}
