import { homeLocation } from "../answers/location.ts";
import { type Answer, redirect, respondJson } from "../answers/responses.ts";
import type { MessageName } from "../pages/words/en.ts";
import { wordsIn } from "../pages/words.ts";
import type { PasskeyRules, WebPorts } from "../ports.ts";
import type { Form } from "../request/form.ts";
import { clientOf } from "../request/remote-address.ts";
import { noteRefusal } from "../request/warnings.ts";
import type { AdmittedRequest, WebRequest } from "../request/web-request.ts";
import { homeWithProblem } from "./home.ts";
import { answerSignIn } from "./login.ts";
import { partyOf } from "./passkeys-offered.ts";

type PasskeyPorts = WebPorts & { readonly passkeys: PasskeyRules };

/** The script asks for a challenge first; the answer to it arrives as a form. */
export async function postPasskeyLogin(
  ports: PasskeyPorts,
  request: WebRequest,
  form: Form,
): Promise<Answer> {
  const party = partyOf(ports, request);
  if (form("credential") === "") {
    return respondJson({ challenge: ports.passkeys.challenge(), rpId: party?.id }, 200);
  }
  const answer = {
    id: form("credential"),
    userHandle: form("user_handle"),
    clientData: form("client_data"),
    authenticatorData: form("authenticator_data"),
    signature: form("signature"),
  };
  const client = {
    ...clientOf(request, ports.proxies),
    // Read by the rule after the count of accounts, since it throws for an unknown address.
    get remoteAddress() {
      return ports.proxies.remoteAddress(request);
    },
  };
  return answerSignIn(ports, request, form, await ports.passkeys.signIn(answer, party, client));
}

/** The script sends the password for a challenge first; the new passkey arrives as a form. */
export async function postAddPasskey(
  ports: PasskeyPorts,
  request: AdmittedRequest,
  form: Form,
): Promise<Answer> {
  const { views, passkeys, paths } = ports;
  const party = partyOf(ports, request);
  if (party === undefined) return views.error(request, 422, "passkeyRejected");
  if (form("client_data") === "") return beginAdding(ports, request, form, party.id);
  const passkey = {
    name: form("name"),
    clientData: form("client_data"),
    authenticatorData: form("authenticator_data"),
    publicKey: form("public_key"),
  };
  switch (await passkeys.add(request.user.id, passkey, party)) {
    case "no-user":
      return redirect(paths.login);
    case "rejected":
      noteRefusal(ports, request, "passkey change rejected");
      return views.error(request, 422, "passkeyRejected");
    case "added":
      return backToPasskeys(ports, request);
  }
}

/** Answers the script with the options for the browser, or with a message to show. */
async function beginAdding(
  ports: PasskeyPorts,
  request: AdmittedRequest,
  form: Form,
  rpId: string,
): Promise<Answer> {
  const { messages } = wordsIn(ports.views.locale(request));
  const client = clientOf(request, ports.proxies);
  const entered = { currentPassword: form("current_password"), code: form("code") };
  const outcome = await ports.passkeys.begin(request.user.id, entered, client);
  switch (outcome.kind) {
    case "no-user":
      return redirect(ports.paths.login);
    case "current-password-incorrect":
      noteRefusal(ports, request, "passkey change rejected");
      return respondJson({ message: messages.currentPasswordIncorrect }, 422);
    case "code-incorrect":
      noteRefusal(ports, request, "passkey change rejected");
      return respondJson({ message: messages.codeIncorrect }, 422);
    case "too-many":
      return respondJson({ message: messages.tooManyPasskeys }, 422);
    case "begun": {
      const { challenge, existing, user } = outcome;
      const userId = Buffer.from(user.id).toString("base64url");
      return respondJson({ challenge, rpId, existing, userId, username: user.username }, 200);
    }
  }
}

export async function postRemovePasskey(
  ports: PasskeyPorts,
  request: AdmittedRequest,
  form: Form,
): Promise<Answer> {
  const client = clientOf(request, ports.proxies);
  const { id } = request.user;
  const password = form("current_password");
  switch (await ports.passkeys.remove(id, form("passkey"), password, client)) {
    case "no-user":
      return redirect(ports.paths.login);
    case "current-password-incorrect": {
      noteRefusal(ports, request, "passkey change rejected");
      const name: MessageName = "currentPasswordIncorrect";
      return ports.paths.home === null
        ? ports.views.error(request, 422, name)
        : homeWithProblem(ports, request, {
            form: "passkeys",
            message: name,
            fields: ["passkey_remove_password"],
          });
    }
    case "removed":
      return backToPasskeys(ports, request);
  }
}

/** The fragment unfolds the section. */
function backToPasskeys({ paths, options }: PasskeyPorts, request: AdmittedRequest): Answer {
  const home = homeLocation(paths, options, request.user);
  return redirect(paths.home === null ? home : `${home}#your-passkeys`);
}
