// Shows the forms for passkeys where the browser has them: they do nothing without this script.
if (typeof PublicKeyCredential === "function") {
  /** Before the challenge expires, which is after five minutes. */
  const RENEW_AFTER_MS = 4 * 60_000;

  const REQUIRED = "required";
  const PUBLIC_KEY = "public-key";
  const USED = "latchkey-passkey";
  const BY_PASSKEY = "1";
  const BY_PASSWORD = "0";

  /** @type {HTMLFormElement | null} */
  const signIn = document.querySelector('form[action$="/login/passkey"]');
  /** @type {HTMLFormElement | null} */
  const add = document.querySelector("form[data-begin]");
  if (signIn) offerSignIn(signIn);
  if (add) offerAdding(add);

  // Answers are read by their fields: those of password managers may be plain objects, without the
  // methods that browsers add.

  /** @param {HTMLFormElement} form */
  function offerSignIn(form) {
    let isChosen = false;
    let waiting = new AbortController();

    /** @param {CredentialMediationRequirement} mediation */
    async function signInWith(mediation) {
      // The browser answers one request at a time.
      waiting.abort();
      waiting = new AbortController();
      const { signal } = waiting;
      const { challenge, rpId } = await fetchChallenge(form);
      /** @type {PublicKeyCredentialRequestOptions} */
      const publicKey = { challenge: decode(challenge), rpId, userVerification: REQUIRED };
      const credential = await navigator.credentials.get({ mediation, signal, publicKey });
      /** @type {{ id: string, response: AuthenticatorAssertionResponse }} */
      const { id, response } = Object(credential);
      const userHandle = response.userHandle ?? new ArrayBuffer(0);
      const { user = "" } = form.dataset;
      // Who confirms stays the same user.
      if (user && user !== new TextDecoder().decode(userHandle)) throw new TypeError("other user");
      send(form, {
        credential: id,
        user_handle: encode(userHandle),
        client_data: encode(response.clientDataJSON),
        authenticator_data: encode(response.authenticatorData),
        signature: encode(response.signature),
      });
      // Not here: what it throws in a browser that blocks storage would look like a failure.
      queueMicrotask(() => localStorage.setItem(USED, BY_PASSKEY));
    }

    /** Lets the browser list passkeys below the username. Without any, nothing is shown. */
    function autofill() {
      if (isChosen || document.hidden) return;
      signInWith("conditional").catch(() => {});
    }

    async function offerAutofill() {
      const username = document.querySelector('input[autocomplete="username"]');
      if (!username || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
      username.setAttribute("autocomplete", "username webauthn");
      autofill();
      setInterval(autofill, RENEW_AFTER_MS);
    }

    onSubmit(form, async () => {
      isChosen = true;
      try {
        await signInWith("optional");
      } catch (error) {
        isChosen = false;
        autofill();
        throw error;
      }
    });
    offerAutofill();
    // Last, because it throws in a browser that blocks storage.
    showFirst(form);
  }

  /**
   * Comes before the password, unless the last sign-in in this browser was by password.
   * @param {HTMLFormElement} form
   */
  function showFirst(form) {
    const password = document.querySelector('form[action$="/login"]');
    if (!password) return;
    password.addEventListener("submit", () => localStorage.setItem(USED, BY_PASSWORD));
    if (localStorage.getItem(USED) === BY_PASSWORD) return;
    password.before(form);
    form.append(form.querySelector(".or") ?? "");
    for (const one of [form, password]) {
      one.querySelector('[type="submit"]')?.classList.toggle("quiet");
    }
  }

  /** @param {HTMLFormElement} form */
  function offerAdding(form) {
    for (const folded of [form.closest("section"), form.closest("details")]) {
      if (folded) folded.hidden = false;
    }
    onSubmit(form, async () => {
      const answer = await fetchChallenge(form);
      const { message, challenge, rpId, userId, username, existing } = answer;
      if (answer.location) return location.assign(answer.location);
      if (message) return message;
      const created = navigator.credentials.create({
        publicKey: {
          challenge: decode(challenge),
          rp: { id: rpId, name: form.dataset.app ?? rpId },
          user: { id: decode(userId), name: username, displayName: username },
          // EdDSA, ES256, RS256.
          pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: PUBLIC_KEY, alg })),
          excludeCredentials: existing.map((id) => ({ type: PUBLIC_KEY, id: decode(id) })),
          authenticatorSelection: { residentKey: REQUIRED, userVerification: REQUIRED },
        },
      });
      const credential = await created.catch(ifNotCancelled);
      if (credential === "cancelled") return;
      /** @type {{ response: AuthenticatorAttestationResponse }} */
      const { response } = Object(credential);
      queueMicrotask(() => localStorage.setItem(USED, BY_PASSKEY));
      send(form, {
        client_data: encode(response.clientDataJSON),
        attestation: encode(response.attestationObject),
      });
    });
  }

  /**
   * Shows the form, and works instead of sending it. The work returns or throws a problem.
   * @param {HTMLFormElement} form
   * @param {() => Promise<string | void>} work
   */
  function onSubmit(form, work) {
    const problem = document.createElement("p");
    problem.className = "problem";
    problem.role = "alert";
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      // It is being sent already.
      if (event.defaultPrevented) return;
      event.preventDefault();
      problem.remove();
      problem.textContent = (await work().catch(() => form.dataset.failed)) ?? "";
      if (problem.textContent !== "") event.submitter?.after(problem);
      form.ariaBusy = null;
    });
  }

  /** @param {unknown} error */
  function ifNotCancelled(error) {
    if (Object(error).name === "NotAllowedError") return "cancelled";
    throw error;
  }

  /**
   * Fetches the challenge, and what else the browser needs, from the server.
   * @param {HTMLFormElement} form
   * @returns {Promise<Readonly<{ message?: string, location?: string, challenge: string, rpId: string, userId: string, username: string, existing: readonly string[] }>>}
   */
  async function fetchChallenge(form) {
    // A page that the back button shows again has the fields of the last answer.
    for (const input of form.querySelectorAll(".answer")) input.remove();
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    const body = new URLSearchParams(fields);
    return (await fetch(form.dataset.begin ?? form.action, { method: "POST", body })).json();
  }

  /**
   * @param {HTMLFormElement} form
   * @param {Readonly<Record<string, string>>} fields
   */
  function send(form, fields) {
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement("input");
      input.className = "answer";
      input.type = "hidden";
      input.name = name;
      input.value = value;
      form.append(input);
    }
    form.submit();
  }

  /** @param {ArrayBuffer} buffer */
  function encode(buffer) {
    const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
    return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  /** @param {string} text */
  function decode(text) {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  }
}
