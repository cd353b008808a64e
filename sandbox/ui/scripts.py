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
  try {{
    for (const key of Object.keys(window.localStorage)) {{
      const kept = key.startsWith('draft ') ? window.localStorage.getItem(key) : null;
      if (kept !== null && kept.trim() === sent.trim()) window.localStorage.removeItem(key);
    }}
  }} catch {{ /* nothing can be kept in this browser */ }}
  return [text.trim() === sent.trim() ? '' : text, {NEW_DRAFT}];
}}"""
"""The text is on record: empty the box, unless it holds something else by now, and rename it."""

DRAFT = """(session, text) => {
  if (window.boxOf === session) return text;
  window.boxOf = session;
  try {
    return (session && window.localStorage.getItem('draft ' + session)) || '';
  } catch {
    return '';
  }
}"""
"""Another session has another draft, or none; what is being written in this one stays."""

OFFER = """(text, offered, swapped) => swapped || text.trim() ? text : offered"""
"""Put the text of an interrupted turn into the box, unless something is being written there."""

SWAP = """(text, offered, swapped) => {
  if (swapped) return text.trim() === offered.trim() ? '' : text;
  return text.trim() ? text : offered;
}"""
"""What the user would say is not put into the character's mouth."""

TO_FORM = """() => setTimeout(() => {
  const form = document.querySelector('#bank-form, #delete-form, #correction');
  form?.scrollIntoView({block: 'center'});
  form?.querySelector('textarea')?.focus({preventScroll: true});
}, 50)"""
"""Bring the form that was opened into view."""

TO_MOMENT = """() => setTimeout(() => {
  const talk = document.querySelector('#talk');
  const line = talk?.querySelector('.later-line');
  if (!line) return;
  const offset = line.getBoundingClientRect().top - talk.getBoundingClientRect().top;
  talk.scrollTop += offset - talk.clientHeight / 2;
}, 60)"""
"""Bring the moment of the talk into view at which the bank is shown; the page itself stays."""

ADDRESS = """(session) => {
  const url = new URL(window.location.href);
  if (session) url.searchParams.set('session', session); else url.searchParams.delete('session');
  if (url.href !== window.location.href) window.history.replaceState(null, '', url);
  document.querySelector('#message textarea')?.focus();
}"""
"""Keep the address of the session that is shown, so that a reload finds it."""

KEEPER = """
document.addEventListener('input', (event) => {
  if (!event.target.matches?.('#message textarea') || !window.boxOf) return;
  if (document.querySelector('#swap input')?.checked) return;
  const key = 'draft ' + window.boxOf;
  try {
    if (event.target.value.trim()) window.localStorage.setItem(key, event.target.value);
    else window.localStorage.removeItem(key);
  } catch { /* nothing can be kept in this browser */ }
});
const folds = new Map();
document.addEventListener('click', (event) => {
  const fold = event.target.closest?.('summary')?.parentElement;
  if (fold?.dataset.fold) folds.set(fold.dataset.fold, !fold.open);
}, true);
const restore = (fold) => {
  const open = folds.get(fold.dataset.fold);
  if (open !== undefined && open !== fold.open) fold.open = open;
};
new MutationObserver((records) => {
  for (const {target, type, addedNodes} of records) {
    if (type === 'attributes') restore(target);
    for (const node of addedNodes) {
      if (node.matches?.('details[data-fold]')) restore(node);
      node.querySelectorAll?.('details[data-fold]').forEach(restore);
    }
  }
}).observe(document.body, {
  childList: true, subtree: true, attributes: true, attributeFilter: ['open', 'data-fold'],
});
"""
"""Keep the draft of every session, and folds as they were left when what holds them is renewed."""

ALIVE = """
let known = '';
let missed = 0;
let leaving = false;
const ask = async () => {
  try {
    const options = {cache: 'no-store', signal: AbortSignal.timeout(10000)};
    const {token} = await (await fetch('/alive', options)).json();
    known = known || token;
    missed = 0;
    return token === known ? '' : 'restarted';
  } catch {
    missed += 1;
    return missed > 1 ? 'gone' : element.dataset.server || '';
  }
};
const look = async () => {
  if (!document.hidden && !leaving) element.dataset.server = await ask();
  if (element.dataset.server !== 'restarted') setTimeout(look, missed ? 1000 : 4000);
};
window.addEventListener('pagehide', () => { leaving = true; });
window.addEventListener('pageshow', () => { leaving = false; });
element.addEventListener('click', (event) => {
  if (event.target.closest('[data-on="reload"]')) window.location.reload();
});
look();
"""
"""Ask every few seconds, while the tab is seen, whether the same program still answers."""

TIES = """
if (!window.entriesTied) {
  window.entriesTied = true;
  const tied = (node) => (node?.dataset.entries || '').split(' ').filter(Boolean);
  const tie = (wanted) => {
    for (const node of document.querySelectorAll('[data-entries]'))
      node.classList.toggle('tied', tied(node).some((id) => wanted.includes(id)));
  };
  const over = (event) => event.target.closest?.('[data-entries]');
  let pinned = [];
  document.addEventListener('mouseover', (event) => {
    const node = over(event);
    if (node) tie(tied(node)); else if (document.querySelector('.tied')) tie(pinned);
  });
  document.addEventListener('focusin', (event) => tie(over(event) ? tied(over(event)) : pinned));
  document.addEventListener('click', (event) => {
    const span = event.target.closest?.('mark[data-entries]');
    if (span) event.stopPropagation();
    if (span) meet(span); else if (!over(event)) { pinned = []; tie(pinned); }
  }, true);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      pinned = [];
      tie(pinned);
      if (document.activeElement?.querySelector?.('.tip')) document.activeElement.blur();
    }
    if (event.key === 'Enter' && event.target.matches?.('mark[data-entries]')) meet(event.target);
  });
  const meet = (span) => {
    pinned = tied(span);
    tie(pinned);
    const rows = [...document.querySelectorAll('#card tr[data-entries]')];
    const row = rows.find((one) => pinned.includes(one.dataset.entries));
    row?.scrollIntoView({block: 'nearest'});
  };
}
"""
"""What carries an entry and where it is listed light up together: hover, focus, click, Enter."""

FORM = """
const forms = (window.keptForms ||= new Map());
const values = (form) => {
  const found = {};
  for (const field of form.querySelectorAll('[data-field]')) {
    const name = field.dataset.field;
    if (field.type !== 'checkbox') found[name] = field.value;
    else if (field.dataset.id !== 'many') found[name] = field.checked;
    else found[name] = [...(found[name] || []), ...(field.checked ? [field.value] : [])];
  }
  return found;
};
const fill = (form) => {
  const found = forms.get(form.dataset.form);
  if (!found) return;
  for (const field of form.querySelectorAll('[data-field]')) {
    const value = found[field.dataset.field];
    if (value === undefined) continue;
    if (field.type !== 'checkbox') field.value = value;
    else field.checked = Array.isArray(value) ? value.includes(field.value) : value;
  }
};
element.addEventListener('input', (event) => {
  const form = event.target.closest('[data-form]');
  if (form) forms.set(form.dataset.form, values(form));
});
element.addEventListener('click', (event) => {
  const target = event.target.closest('button[data-on]');
  const form = target?.closest('[data-form]');
  if (!form || target.disabled) return;
  trigger(target.dataset.on, {id: target.dataset.id || '', values: values(form)});
});
new MutationObserver(() => element.querySelectorAll('[data-form]').forEach(fill))
  .observe(element, {childList: true, subtree: true});
"""
"""Tell what a form made by a view holds with the click of its buttons; keep it while it is open."""

DOWNLOAD = """(told) => {
  if (!told) return '';
  const {name, mime, data} = JSON.parse(told);
  const bytes = Uint8Array.from(atob(data), (mark) => mark.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], {type: mime}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return '';
}"""
"""Hand a file over that was made in memory: nothing is written here or served from a path."""
