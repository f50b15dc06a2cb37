/** Searches the index that Pagefind has made of the pages. It is loaded when the dialog opens. */
const MAX_RESULTS = 10;
const PAUSE_MS = 100;

class SiteSearch extends HTMLElement {
  connectedCallback() {
    this.dialog = this.querySelector("dialog");
    this.status = this.querySelector("[role=status]");
    this.list = this.querySelector("ol");
    this.querySelector("button").addEventListener("click", () => this.open());
    const input = this.querySelector("input");
    input.addEventListener("input", () => this.find(input.value));
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.list.querySelector("a")?.click();
    });
    this.addEventListener("click", (event) => {
      // A click beside the dialog, or on a heading of the current page.
      if (event.target === this.dialog || event.target.closest("a")) this.dialog.close();
    });
    document.addEventListener("keydown", (event) => {
      const hasModifier = event.ctrlKey || event.metaKey;
      const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
      const opens = hasModifier ? event.key === "k" : event.key === "/" && !isTyping;
      if (!opens) return;
      event.preventDefault();
      this.open();
    });
  }

  open() {
    const base = this.dataset.base.replace(/\/?$/, "/");
    this.pagefind ??= import(/* @vite-ignore */ `${base}pagefind/pagefind.js`);
    // A failure is shown once something is searched.
    this.pagefind.catch(() => undefined);
    if (!this.dialog.open) this.dialog.showModal();
  }

  async find(text) {
    try {
      await this.show(text);
    } catch {
      // A browser keeps the failed script until the page is loaded again.
      this.status.textContent = "The search could not be loaded. Reload the page to try again.";
    }
  }

  async show(text) {
    const pagefind = await this.pagefind;
    const found = await pagefind.debouncedSearch(text, {}, PAUSE_MS);
    // More was typed meanwhile.
    if (found === null) return;
    const shown = found.results.slice(0, MAX_RESULTS);
    const pages = await Promise.all(shown.map((result) => result.data()));
    this.list.replaceChildren(...pages.map(itemOf));
    const count = found.results.length;
    this.status.textContent = text.trim() && `${count} ${count === 1 ? "page" : "pages"}`;
  }
}

/** Its section that fits best, with the title of the page. */
function itemOf({ meta, url, excerpt, sub_results }) {
  const page = { title: meta.title, url, excerpt };
  const [section = page] = sub_results.toSorted((one, other) => scoreOf(other) - scoreOf(one));
  const link = document.createElement("a");
  link.href = section.url;
  link.textContent = section.title === meta.title ? meta.title : `${meta.title}: ${section.title}`;
  const text = document.createElement("p");
  // Pagefind escapes the text and marks the words.
  text.innerHTML = section.excerpt;
  const item = document.createElement("li");
  item.append(link, text);
  return item;
}

/** Words in headings have more weight. */
const scoreOf = ({ weighted_locations }) =>
  weighted_locations.reduce((sum, { balanced_score }) => sum + balanced_score, 0);

customElements.define("site-search", SiteSearch);
