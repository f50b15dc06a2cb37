import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findRefresh,
  hasPasswordField,
  listEntrances,
  readText,
} from "../../../src/doctor/app/html.ts";

const PAGE = new URL("https://app.example.org/a/");

const entrancesOf = (html: string) =>
  listEntrances(html, PAGE).map(({ url, form }) => [url.href, form?.toString()]);

test("lists links, and forms that need no input, with the fields of each button", () => {
  assert.deepEqual(
    entrancesOf(`
      <a class=x href="login?a=1&amp;b=2#top">Log <b>in</b></a> <A HREF='/sso'>SSO</A>
      <a href="javascript:x()">no</a> <a href="mailto:a@b">no</a> <a name="x">no</a>
      <script>"<a href='/script'>no</a>"</script> <!-- <a -->
      <form method=post action="/oauth"><input type=hidden name=csrf value="&quot;1"><button name=p value=x>X</button><button name=p value=y>Y</button></form>
      <form action="/find"><input name="q"></form>
      <form action="/go"><input type="hidden" name="to" value="1"><input type="submit"></form>`),
    [
      ["https://app.example.org/a/login?a=1&b=2", undefined],
      ["https://app.example.org/sso", undefined],
      ["https://app.example.org/oauth", "csrf=%221&p=x"],
      ["https://app.example.org/oauth", "csrf=%221&p=y"],
      ["https://app.example.org/go?to=1", undefined],
    ],
  );
  assert.deepEqual(entrancesOf('<base href="/b/"><a href="c">c</a>'), [
    ["https://app.example.org/b/c", undefined],
  ]);
});

test("knows what a link is for by its text and its attributes", () => {
  const [link] = listEntrances('<a href="/x" title="Single" class="oidc">Log <i>in</i></a>', PAGE);
  assert.match(link?.words ?? "", /\/x.*oidc.*Single.*Log.*in/s);
});

test("reads the text of a page without scripts and styles", () => {
  const html = "<title>T</title><style>a{}</style><p>One &amp; two</p><script>x<y</script>\n<p>3";
  assert.equal(readText(html), "One & two 3");
  assert.equal(readText("plain text"), "plain text");
});

test("finds a password field, and where a page leads on by itself", () => {
  assert.ok(hasPasswordField("<INPUT name=a TYPE='PassWord'>"));
  assert.ok(!hasPasswordField("<input type=text><p>type=password</p>"));
  const leads = (content: string) =>
    findRefresh(`<meta http-equiv="refresh" content="${content}">`, PAGE)?.href;
  assert.equal(leads("0; url=/next"), "https://app.example.org/next");
  assert.equal(leads("600; url=/next"), undefined);
  assert.equal(leads("0; url=http://["), undefined);
});

for (const part of [
  "<a ",
  "<a href=/login>",
  "<form>",
  "<script>",
  "<",
  "<a b='",
  "&#x",
  "<meta http-equiv=refresh content='0;url=",
]) {
  test(`reads a megabyte of ${part} in bounded time`, () => {
    const html = part.repeat(Math.ceil(1_048_576 / part.length));
    const begun = performance.now();
    listEntrances(html, PAGE);
    readText(html);
    hasPasswordField(html);
    findRefresh(html, PAGE);
    assert.ok(performance.now() - begun < 5_000);
  });
}
