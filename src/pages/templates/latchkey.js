// Pages work without this script. It only adds conveniences.
{
  const { show = "Show", hide = "Hide", capsLock = "" } = document.currentScript?.dataset ?? {};
  const locale = document.documentElement.lang;
  const region = getRegion();

  /**
   * Dates have the calendar and the digits of the server, also in a region with others.
   * @satisfies {Intl.DateTimeFormatOptions}
   */
  const DATE = /** @type {const} */ ({ calendar: "gregory", numberingSystem: "latn" });

  /** After this time, the user can submit a form again if the request was lost. */
  const RESUBMIT_AFTER_MS = 5000;

  /** From this failed sign-in on, the page explains the limit. */
  const SHOWN_FROM = 3;

  /** @type {readonly [Intl.RelativeTimeFormatUnit, number][]} */
  const UNITS = [
    ["year", 365 * 86_400_000],
    ["month", 30 * 86_400_000],
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ];

  const EYE =
    '<path d="M1.5 10C5 4 15 4 18.5 10 15 16 5 16 1.5 10Z"/><circle cx="10" cy="10" r="2.75"/>';
  const CROSSED = '<path d="m4 16.5 12-13"/>';

  /** @type {NodeListOf<HTMLInputElement>} */
  const passwords = document.querySelectorAll('input[type="password"]');
  for (const field of passwords) {
    addShowButton(field);
    addCapsLockHint(field);
  }
  for (const form of document.forms) {
    preventResubmit(form);
  }
  for (const time of document.querySelectorAll("time")) showAge(time);
  /** @type {NodeListOf<HTMLButtonElement>} */
  const tools = document.querySelectorAll("[data-copy], [data-print], [data-share]");
  for (const tool of tools) offerTool(tool);
  if (matchMedia("(max-width: 40rem)").matches) {
    for (const fold of document.querySelectorAll("details.fold")) {
      if (fold.querySelector('[role="alert"]') === null) fold.removeAttribute("open");
    }
  }
  // On a phone, the list of pages is a row that scrolls.
  document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest" });
  // Last, because it throws in a browser that blocks storage.
  keepUsername();

  /** @param {HTMLInputElement} field */
  function addShowButton(field) {
    const button = document.createElement("button");
    const label = field.labels?.[0]?.textContent ?? "";
    /** @param {"password" | "text"} type */
    const setType = (type) => {
      field.type = type;
      const isHidden = type === "password";
      button.title = isHidden ? show : hide;
      button.ariaLabel = `${button.title}: ${label}`;
      button.innerHTML = `<svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" aria-hidden="true">${EYE}${isHidden ? "" : CROSSED}</svg>`;
    };
    // A phone's keyboard would capitalize a shown password, which is a text field.
    field.autocapitalize = "none";
    button.type = "button";
    button.className = "show";
    button.setAttribute("aria-controls", field.id);
    button.addEventListener("click", () =>
      setType(field.type === "password" ? "text" : "password"),
    );
    // Browsers offer to save the value of a password field, but not of a text field.
    field.form?.addEventListener("submit", () => setType("password"));
    setType("password");
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
    const ready = () => {
      form.ariaBusy = null;
    };
    form.addEventListener("submit", (event) => {
      if (form.ariaBusy) return event.preventDefault();
      form.ariaBusy = "true";
      setTimeout(ready, RESUBMIT_AFTER_MS);
    });
    addEventListener("pageshow", ready);
  }

  /**
   * Shows how long ago it was, and the exact time on hover. Shows the exact time of what is to come.
   * @param {HTMLTimeElement} time */
  function showAge(time) {
    const age = Date.now() - new Date(time.dateTime).getTime();
    const [unit, length] = UNITS.find(([, ms]) => age >= ms) ?? [
      "second",
      Number.POSITIVE_INFINITY,
    ];
    const format = new Intl.RelativeTimeFormat(`${locale}-u-nu-latn`, {
      numeric: unit === "second" ? "auto" : "always",
    });
    // Of some times, only the day matters. The browser's region has its own way to write it.
    if (time.dataset.day !== undefined) {
      time.textContent = new Date(time.dateTime).toLocaleDateString(region, {
        ...DATE,
        dateStyle: "medium",
      });
      return;
    }
    // The clock can be slow by some minutes.
    if (age < -300_000) {
      time.textContent = new Date(time.dateTime).toLocaleString(region, {
        ...DATE,
        dateStyle: "medium",
        timeStyle: "short",
      });
      return;
    }
    time.title = new Date(time.dateTime).toLocaleString(region, DATE);
    time.textContent = format.format(-Math.floor(Math.max(age, 0) / length), unit);
  }

  /** The browser's region, if it is one of the page's language: `en-GB` on an English page. */
  function getRegion() {
    /** @param {string} language */
    const getScript = (language) => {
      const { language: spoken, script } = new Intl.Locale(language).maximize();
      return `${spoken}-${script}`;
    };
    const own = getScript(locale);
    return navigator.languages.find((language) => getScript(language) === own) ?? locale;
  }

  /**
   * Browsers copy and share only over HTTPS and on the same machine.
   * @param {HTMLButtonElement} button
   */
  function offerTool(button) {
    const { copy, share } = button.dataset;
    button.hidden =
      (copy !== undefined && !navigator.clipboard) || (share !== undefined && !navigator.share);
    button.addEventListener(
      "click",
      async () => {
        // It rejects if the person shares nothing.
        if (share !== undefined) return navigator.share({ url: share }).catch(() => {});
        if (copy === undefined) return print();
        await navigator.clipboard.writeText(copy);
        button.textContent += " ✓";
      },
      { once: copy !== undefined },
    );
  }

  /**
   * A failed sign-in redirects to the empty form, without the username in the URL. The limit of
   * attempts is explained when it is near.
   */
  function keepUsername() {
    const KEY = "latchkey-username";
    const [, failed = "", kept = ""] = /^(\d)(.*)/s.exec(sessionStorage.getItem(KEY) ?? "") ?? [];
    const attempts = new URLSearchParams(location.search).get("error") ? Number(failed) : 0;
    sessionStorage.removeItem(KEY);
    /** @type {HTMLFormElement | null} */
    const form = document.querySelector('form[action$="/login"]');
    const username = form?.elements.namedItem("username");
    const password = form?.elements.namedItem("password");
    if (!(username instanceof HTMLInputElement && password instanceof HTMLInputElement)) return;
    const next = Math.min(attempts + 1, SHOWN_FROM);
    form?.addEventListener("submit", () => sessionStorage.setItem(KEY, `${next}${username.value}`));
    if (attempts === 0) return;
    /** @type {HTMLElement | null} */
    const limit = document.querySelector("[data-attempts]");
    if (limit) limit.hidden = attempts < SHOWN_FROM;
    username.value = kept;
    // After the browser has followed the autofocus of the username.
    requestAnimationFrame(() => password.focus());
  }
}
