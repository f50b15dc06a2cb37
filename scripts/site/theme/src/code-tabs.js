/**
 * Shows one of several blocks, with a tab for each. Without this script all of them are shown. The
 * choice applies to every such element, and is kept for the next visit.
 */
const KEPT = "code-tab";

class CodeTabs extends HTMLElement {
  connectedCallback() {
    this.panels = [...this.querySelectorAll(":scope > [data-label]")];
    const list = document.createElement("div");
    list.role = "tablist";
    list.ariaLabel = "Program";
    this.tabs = this.panels.map((panel) => this.makeTab(panel));
    list.append(...this.tabs);
    list.addEventListener("keydown", (event) => this.move(event));
    this.prepend(list);
    this.show(localStorage.getItem(KEPT));
  }

  makeTab(panel) {
    const { label } = panel.dataset;
    panel.id = `tab-${all().indexOf(this)}-${label}`;
    panel.role = "tabpanel";
    panel.ariaLabel = label;
    const tab = document.createElement("button");
    tab.type = "button";
    tab.role = "tab";
    tab.textContent = label;
    tab.setAttribute("aria-controls", panel.id);
    tab.addEventListener("click", () => choose(label, tab));
    return tab;
  }

  /** Shows the panel with this label, otherwise the first. */
  show(label) {
    const found = this.tabs.findIndex((tab) => tab.textContent === label);
    const shown = Math.max(0, found);
    for (const [at, tab] of this.tabs.entries()) {
      tab.ariaSelected = String(at === shown);
      tab.tabIndex = at === shown ? 0 : -1;
      this.panels[at].hidden = at !== shown;
    }
  }

  move(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const at = this.tabs.indexOf(document.activeElement) + step;
    const tab = this.tabs.at(at % this.tabs.length);
    tab.focus();
    tab.click();
  }
}

const all = () => [...document.querySelectorAll("code-tabs")];

/** Keeps the clicked tab where it is on the screen, since the blocks above it change their height. */
function choose(label, tab) {
  const before = tab.getBoundingClientRect().top;
  for (const tabs of all()) tabs.show(label);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  localStorage.setItem(KEPT, label);
}

customElements.define("code-tabs", CodeTabs);
