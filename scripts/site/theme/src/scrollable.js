/** The keyboard can scroll tables, code and plots that are wider than the page. */
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) update(target);
});

for (const element of document.querySelectorAll(
  'main :is(table, pre, p:has(> img[src*=".svg"]))',
)) {
  update(element);
  observer.observe(element);
}

function update(element) {
  if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  else element.removeAttribute("tabindex");
}
