// Pages work without this script. It only adds conveniences.
{
  const { show = "Show", hide = "Hide", capsLock = "" } = document.currentScript?.dataset ?? {};

  /** After this time, the user can submit a form again if the request was lost. */
  const RESUBMIT_AFTER_MS = 5000;

  /** @type {NodeListOf<HTMLInputElement>} */
  const passwords = document.querySelectorAll('input[type="password"]');
  for (const field of passwords) {
    addShowButton(field);
    addCapsLockHint(field);
  }
  for (const form of document.forms) preventResubmit(form);
  for (const time of document.querySelectorAll("time")) showLocalTime(time);

  /** @param {HTMLInputElement} field */
  function addShowButton(field) {
    const button = document.createElement("button");
    const label = field.labels?.[0]?.textContent ?? "";
    const updateLabel = () => {
      button.textContent = field.type === "password" ? show : hide;
      button.setAttribute("aria-label", `${button.textContent}: ${label}`);
    };
    // A phone's keyboard would capitalize a shown password, which is a text field.
    field.autocapitalize = "none";
    button.type = "button";
    button.className = "show";
    button.setAttribute("aria-controls", field.id);
    button.addEventListener("click", () => {
      field.type = field.type === "password" ? "text" : "password";
      updateLabel();
    });
    // Browsers offer to save the value of a password field, but not of a text field.
    field.form?.addEventListener("submit", () => {
      field.type = "password";
      updateLabel();
    });
    updateLabel();
    field.after(button);
  }

  /** @param {HTMLInputElement} field */
  function addCapsLockHint(field) {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.role = "status";
    (field.closest(".control") ?? field).after(hint);
    /** @param {Event} event */
    const updateHint = (event) => {
      // When a browser fills in a password, it sends key events that are not KeyboardEvents.
      if (!(event instanceof KeyboardEvent)) return;
      const text = event.getModifierState("CapsLock") ? capsLock : "";
      if (hint.textContent !== text) hint.textContent = text;
    };
    field.addEventListener("keydown", updateHint);
    field.addEventListener("keyup", updateHint);
    field.addEventListener("blur", () => {
      hint.textContent = "";
    });
  }

  /** @param {HTMLFormElement} form */
  function preventResubmit(form) {
    const ready = () => delete form.dataset.sent;
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent !== undefined) return event.preventDefault();
      form.dataset.sent = "";
      setTimeout(ready, RESUBMIT_AFTER_MS);
    });
    addEventListener("pageshow", ready);
  }

  /** @param {HTMLTimeElement} time */
  function showLocalTime(time) {
    const format = new Intl.DateTimeFormat(document.documentElement.lang, {
      dateStyle: "medium",
      timeStyle: "short",
    });
    time.title = time.textContent;
    time.textContent = format.format(new Date(time.dateTime));
  }
}
