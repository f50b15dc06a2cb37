// Asks for the one-time code in a second step. Without this script, its field is on the first one.
{
  /** @type {HTMLFormElement | null} */
  const signIn = document.querySelector("form[data-recovery]");
  if (signIn?.dataset.code) askCodeLast(signIn);
  if (signIn) offerRecoveryCode(signIn);

  /**
   * The code is a second step, before anything is sent, so that no step tells whether the password
   * was right. A form that the password manager has filled in with a code is sent at once.
   * @param {HTMLFormElement} form
   */
  function askCodeLast(form) {
    /** @type {NodeListOf<HTMLElement>} */
    const steps = form.querySelectorAll("[data-step]");
    const [first, second] = steps;
    /** @type {HTMLInputElement | null} */
    const code = form.querySelector('[name="code"]');
    const hint = second?.querySelector(".hint");
    const pill = second?.querySelector("button");
    const send = form.querySelector(":scope > button");
    const heading = document.querySelector("h1");
    if (!first || !second || !code || !hint || !pill || !send || !heading) return;
    const title = heading.textContent;
    const isQuiet = () => send.classList.contains("quiet");
    let wasQuiet = false;
    /** @type {HTMLElement[]} */
    let aside = [];
    second.hidden = true;
    hint.className = "about";
    hint.textContent = form.dataset.hint ?? "";
    pill.before(hint);

    /** @param {boolean} isCode */
    const show = (isCode) => {
      for (const step of steps) step.hidden = (step === first) === isCode;
      pill.hidden = !isCode;
      code.required = isCode;
      code.value = "";
      heading.textContent = (isCode && form.dataset.code) || title;
      document.title = heading.textContent;
      // What belongs to the first step, such as the button for passkeys.
      if (isCode) {
        wasQuiet = isQuiet();
        /** @type {NodeListOf<HTMLElement>} */
        const around = document.querySelectorAll(
          "main > :not(picture, .meet, h1), main > details > *",
        );
        aside = [...around].filter((element) => !element.hidden && !element.contains(form));
      }
      for (const element of aside) element.hidden = isCode;
      send.classList.toggle("quiet", !isCode && wasQuiet);
    };

    form.addEventListener("submit", (event) => {
      if (first.hidden || code.value !== "") return;
      event.preventDefault();
      form.ariaBusy = null;
      const username = form.elements.namedItem("username");
      const name = username instanceof HTMLInputElement ? username.value : "";
      pill.children[0]?.setAttribute(
        "data-initial",
        ([...name][0] ?? "").toLocaleUpperCase(document.documentElement.lang),
      );
      pill.children[1]?.replaceChildren(name);
      show(true);
      code.focus();
    });
    pill.addEventListener("click", () => {
      show(false);
      /** @type {HTMLElement | null} */
      const field = first.querySelector("input:not([type=hidden], [hidden])");
      field?.focus();
    });
    code.addEventListener("input", () => {
      const isWhole = /^\d{6}$/.test(code.value.replaceAll(" ", ""));
      if (first.hidden && code.inputMode === "numeric" && isWhole) form.requestSubmit();
    });
  }

  /**
   * Lets a person enter a recovery code instead, which has digits too, but more than six.
   * @param {HTMLFormElement} form
   */
  function offerRecoveryCode(form) {
    /** @type {HTMLInputElement | null} */
    const code = form.querySelector('[name="code"]');
    const hint = document.getElementById("code-hint");
    /** @type {HTMLButtonElement | null} */
    const swap = form.querySelector("[data-other]");
    if (!code || !hint || !swap) return;
    const { hint: appHint = "", recovery: recoveryHint = "" } = form.dataset;
    swap.hidden = false;
    swap.addEventListener("click", () => {
      const { label = "", other = "" } = swap.dataset;
      const isRecovery = code.inputMode === "numeric";
      code.inputMode = isRecovery ? "text" : "numeric";
      code.value = "";
      hint.textContent = isRecovery ? recoveryHint : appHint;
      swap.dataset.label = code.labels?.[0]?.textContent ?? "";
      swap.dataset.other = swap.textContent;
      code.labels?.[0]?.replaceChildren(label);
      swap.textContent = other;
      code.focus();
    });
  }
}
