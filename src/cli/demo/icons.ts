/** Draws an icon: white lines on a rounded square. */
const draw = (from: string, to: string, lines: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><defs><linearGradient id="a" x2="0" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs><rect width="48" height="48" rx="11.5" fill="url(#a)"/><g fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round">${lines}</g></svg>`;

/** Contains the icons of the sample apps, as SVG. */
export const icons = {
  photos: draw(
    "#e8862e",
    "#c8611c",
    '<rect x="11" y="13" width="26" height="22" rx="4"/><circle cx="18.5" cy="20" r="2.5"/><path d="m11.5 31 7-6.5 5.5 5 5-6 7.5 7"/>',
  ),
  notes: draw("#2f9e6e", "#1d7a52", '<path d="M14 11h14l7 7v19H14zM28 11v7h7M19 24h11M19 30h8"/>'),
  plans: draw(
    "#7357d6",
    "#5639b3",
    '<rect x="11" y="13" width="26" height="23" rx="4"/><path d="M11 20.5h26M18 10v5.5M30 10v5.5m-13 13 4 3.5 8-7.5"/>',
  ),
} as const;
