/**
 * Shows the recipes that fit what is typed: rows of tables, or entries of a list, which is empty before.
 * Without this script, the tables have all of them.
 */
class RecipeSearch extends HTMLElement {
  connectedCallback() {
    this.entries = [...this.querySelectorAll("tbody tr, li")];
    this.input = document.createElement("input");
    this.input.type = "search";
    this.input.autocomplete = "off";
    const label = document.createElement("label");
    label.append("Find your app ", this.input);
    this.status = document.createElement("p");
    this.status.role = "status";
    this.prepend(label, this.status);
    this.input.addEventListener("input", () => this.update());
    this.update();
  }

  update() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isEmpty = words.length === 0;
    const fits = ({ textContent }) =>
      words.every((word) => textContent.toLowerCase().includes(word));
    for (const entry of this.entries)
      entry.hidden = isEmpty ? this.dataset.list !== undefined : !fits(entry);
    for (const table of this.querySelectorAll("table")) {
      table.hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
      table.previousElementSibling.hidden = table.hidden;
    }
    const all = this.entries.length;
    const shown = this.entries.filter((entry) => !entry.hidden).length;
    this.status.textContent = isEmpty
      ? `${all} recipes`
      : shown === 0
        ? "No recipe. Most other apps work too: by OpenID Connect, or behind the proxy."
        : `${shown} of ${all} recipes`;
  }
}

customElements.define("recipe-search", RecipeSearch);
