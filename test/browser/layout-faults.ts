import type { Page } from "playwright-core";

/** The browser types that the function below uses in the page. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Element {
  readonly localName: string;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly naturalWidth?: number;
  readonly type?: string;
  contains(other: Element): boolean;
  getBoundingClientRect(): Box;
  checkVisibility(): boolean;
}

interface Text {
  readonly data: string;
  readonly parentElement: Element;
}

declare function getComputedStyle(element: Element): Readonly<Record<string, string>>;

declare const document: {
  readonly documentElement: Element;
  readonly body: Element;
  querySelectorAll(selector: string): Iterable<Element>;
  createTreeWalker(root: Element, show: number): { nextNode(): Text | null };
  createRange(): { selectNodeContents(node: Text): void; getClientRects(): Iterable<Box> };
};

/** Describes the visible faults of the page's layout. */
export const layoutFaults = (page: Page): Promise<readonly string[]> => page.evaluate(findFaults);

/** Runs in the page, so it cannot use anything outside this function. */
function findFaults(): string[] {
  const SHOW_TEXT = 4;
  const TOLERANCE = 2;
  const MIN_FIELD_WIDTH = 96;
  interface Piece {
    readonly name: string;
    readonly element: Element;
    readonly box: Box;
  }
  const root = document.documentElement;
  const faults: string[] = [];
  const pieces: Piece[] = [];

  /** A button may cover the padding of a field, but not its text. */
  function insideOf(element: Element): Box {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (element.localName !== "input") return { left, right, top, bottom };
    const { paddingLeft = "", paddingRight = "" } = getComputedStyle(element);
    const [before, after] = [Number.parseFloat(paddingLeft), Number.parseFloat(paddingRight)];
    return { left: left + before, right: right - after, top, bottom };
  }

  const walker = document.createTreeWalker(document.body, SHOW_TEXT);
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const element = text.parentElement;
    const name = text.data.trim().slice(0, 40);
    if (name === "" || !element.checkVisibility()) continue;
    const around = element.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      pieces.push({ name, element, box });
      if (box.left < around.left - TOLERANCE || box.right > around.right + TOLERANCE) {
        faults.push(`"${name}" overflows its ${element.localName}`);
      }
    }
  }
  for (const element of document.querySelectorAll("input, button, img")) {
    if (!element.checkVisibility()) continue;
    const box = insideOf(element);
    pieces.push({ name: element.localName, element, box });
    if (element.naturalWidth === 0) faults.push("an image has not loaded");
    if (
      element.localName === "input" &&
      element.type !== "checkbox" &&
      box.right - box.left < MIN_FIELD_WIDTH
    ) {
      faults.push(`a field has ${box.right - box.left} px for its text`);
    }
  }

  if (root.scrollWidth > root.clientWidth) {
    faults.push(`the page is ${root.scrollWidth} px wide, the window ${root.clientWidth} px`);
  }
  // The focus may have scrolled the page.
  const start = root.getBoundingClientRect();
  for (const { name, box } of pieces) {
    const [left, right] = [box.left - start.left, box.right - start.left];
    if (left < 0 || right > root.clientWidth) faults.push(`"${name}" leaves the page sideways`);
    if (box.top < start.top) faults.push(`"${name}" begins above the page`);
  }
  for (const [at, one] of pieces.entries()) {
    for (const other of pieces.slice(at + 1)) {
      const wide =
        Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high =
        Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const nested = one.element.contains(other.element) || other.element.contains(one.element);
      if (!nested && wide > TOLERANCE && high > TOLERANCE) {
        faults.push(`"${one.name}" and "${other.name}" overlap`);
      }
    }
  }
  return faults;
}
