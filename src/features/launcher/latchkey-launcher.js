// Finds apps while the user types. Without this script, the server answers the form.
{
  /** @type {HTMLFormElement | null} */
  const form = document.querySelector("form.find");
  const field = form?.querySelector("input");
  /** @type {HTMLElement | null} */
  const none = document.querySelector(".none");
  if (form && field && none) findApps(form, field, none);

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLInputElement} field
   * @param {HTMLElement} none
   */
  function findApps(form, field, none) {
    const tiles = [...document.querySelectorAll("a.tile")].map((tile) => ({
      tile,
      item: tile.closest("li"),
      text: fold([...tile.querySelectorAll("b, small")].map((part) => part.textContent).join(" ")),
    }));
    /** @type {NodeListOf<HTMLElement>} */
    const sections = document.querySelectorAll("section:has(a.tile)");

    const find = () => {
      const words = fold(field.value).trim().split(/\s+/);
      for (const { item, text } of tiles) {
        if (item) item.hidden = !words.every((word) => text.includes(word));
      }
      for (const section of sections) section.hidden = !section.querySelector("li:not([hidden])");
      none.hidden = tiles.some(({ item }) => item?.hidden === false);
    };

    field.addEventListener("input", find);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      form.ariaBusy = null;
      find();
      const first = tiles.find(({ item }) => item?.hidden === false)?.tile;
      if (first instanceof HTMLAnchorElement && field.value.trim() !== "") first.click();
    });
    // The browser restores the field when the user comes back from an app.
    addEventListener("pageshow", find);
  }

  /** Ignores case and accents, as the server does. @param {string} text */
  function fold(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  }
}
