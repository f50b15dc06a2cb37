// What pages can do without this script they do without it; it only makes them more pleasant.
{
  const { show = "Show", hide = "Hide", capsLock = "" } = document.currentScript?.dataset ?? {};

  /** A request that got lost on the way can be sent again after this time. */
  const SENT_FOR_MS = 5000;

  /** @type {NodeListOf<HTMLInputElement>} */
  const passwords = document.querySelectorAll('input[type="password"]');
  for (const field of passwords) {
    offerToShow(field);
    warnOfCapsLock(field);
  }
  for (const form of document.forms) sendOnce(form);
  for (const time of document.querySelectorAll("time")) tellLocally(time);

  /** @param {HTMLInputElement} field */
  function offerToShow(field) {
    const button = document.createElement("button");
    const label = field.labels?.[0]?.textContent ?? "";
    const say = () => {
      button.textContent = field.type === "password" ? show : hide;
      button.setAttribute("aria-label", `${button.textContent}: ${label}`);
    };
    // Once it is shown, it is text to a phone's keyboard.
    field.autocapitalize = "none";
    button.type = "button";
    button.className = "show";
    button.setAttribute("aria-controls", field.id);
    button.addEventListener("click", () => {
      field.type = field.type === "password" ? "text" : "password";
      say();
    });
    // Browsers offer to save what was typed into a password field, not into a plain one.
    field.form?.addEventListener("submit", () => {
      field.type = "password";
      say();
    });
    say();
    field.after(button);
  }

  /** @param {HTMLInputElement} field */
  function warnOfCapsLock(field) {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.role = "status";
    (field.closest(".control") ?? field).after(hint);
    /** @param {Event} event */
    const look = (event) => {
      // A browser that fills in a password makes key events that are none.
      if (!(event instanceof KeyboardEvent)) return;
      const text = event.getModifierState("CapsLock") ? capsLock : "";
      if (hint.textContent !== text) hint.textContent = text;
    };
    field.addEventListener("keydown", look);
    field.addEventListener("keyup", look);
    field.addEventListener("blur", () => {
      hint.textContent = "";
    });
  }

  /** @param {HTMLFormElement} form */
  function sendOnce(form) {
    const ready = () => delete form.dataset.sent;
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent !== undefined) return event.preventDefault();
      form.dataset.sent = "";
      setTimeout(ready, SENT_FOR_MS);
    });
    addEventListener("pageshow", ready);
  }

  /** @param {HTMLTimeElement} time */
  function tellLocally(time) {
    const format = new Intl.DateTimeFormat(document.documentElement.lang, {
      dateStyle: "medium",
      timeStyle: "short",
    });
    time.title = time.textContent;
    time.textContent = format.format(new Date(time.dateTime));
  }
}
