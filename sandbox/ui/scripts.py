"""The page's own JavaScript: tells clicks on, keeps the box and the address. Builds no text."""

CLICKS = """
element.addEventListener('click', (event) => {
  const target = event.target.closest('[data-on]');
  if (!target || !element.contains(target) || target.disabled) return;
  if (target.tagName !== 'BUTTON' && String(window.getSelection())) return;
  trigger(target.dataset.on, {id: target.dataset.id || ''});
});
"""
"""Tell the page about a click on anything that has `data-on`; not while text is being marked."""

CHAT = (
    """
element.addEventListener('click', (event) => {
  const opener = event.target.closest('[data-on="opener"]');
  const field = document.querySelector('#message textarea');
  if (!opener || !field) return;
  event.stopImmediatePropagation();
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
    .set.call(field, opener.dataset.text);
  field.dispatchEvent(new Event('input', {bubbles: true}));
  field.focus();
});
const talk = element.closest('#talk');
let sticks = true;
let session = '';
const follow = () => {
  const shown = element.querySelector('[data-session]')?.dataset.session || '';
  if (shown !== session) { session = shown; sticks = true; }
  if (sticks) talk.scrollTop = talk.scrollHeight;
};
talk.addEventListener('scroll', () => {
  sticks = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 60;
});
new MutationObserver(follow).observe(talk, {childList: true, subtree: true, characterData: true});
follow();
"""
    + CLICKS
)
"""Openers go into the box; the chat follows its end unless the person scrolled up."""

NEW_DRAFT = """(() => Date.now().toString(36) + '-' +
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join(''))()"""

FIRST_DRAFT = f"() => {NEW_DRAFT}"
"""Names the text that the box will hold."""

SENT = f"""(text, sent, draft) => {{
  return [text.trim() === sent.trim() ? '' : text, {NEW_DRAFT}];
}}"""
"""The text is on record: empty the box, unless it holds something else by now, and rename it."""

OFFER = """(text, offered, swapped) => swapped || text.trim() ? text : offered"""
"""Put the text of an interrupted turn into the box, unless something is being written there."""

SWAP = """(text, offered, swapped) => {
  if (swapped) return text.trim() === offered.trim() ? '' : text;
  return text.trim() ? text : offered;
}"""
"""What the user would say is not put into the character's mouth."""

TO_FORM = """() => setTimeout(() => {
  const form = document.querySelector('#bank-form, #delete-form');
  form?.scrollIntoView({block: 'center'});
  form?.querySelector('textarea')?.focus({preventScroll: true});
}, 50)"""
"""Bring the form that was opened into view."""

ADDRESS = """(session) => {
  const url = new URL(window.location.href);
  if (session) url.searchParams.set('session', session); else url.searchParams.delete('session');
  if (url.href !== window.location.href) window.history.replaceState(null, '', url);
  document.querySelector('#message textarea')?.focus();
}"""
"""Keep the address of the session that is shown, so that a reload finds it."""
