import type { Accent } from "./accent-color.ts";

/** The key on its tile, in the accent colour of the reader's theme. */
export function keyIcon({ light, dark }: Accent): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<style>.tile{fill:${light}}.key{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}@media (prefers-color-scheme:dark){.tile{fill:${dark}}.key{stroke:#212326}}</style>
<rect class="tile" width="32" height="32" rx="8"/>
<g class="key"><circle cx="11.5" cy="16" r="4.5"/><path d="M16 16h9.5v4M21 16v3"/></g>
</svg>
`;
}
