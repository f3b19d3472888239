// Elements, made without markup: whatever comes from outside is text.

// h makes an element. "button.small" has a class; a property that starts with "on" listens; undefined, null and false are left out.
export function h(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split('.')
  const element = document.createElement(name)
  if (classes.length) element.className = classes.join(' ')
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (key === 'value') element.value = value
    else element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.flat(Infinity).filter(child => child || child === 0))
  return element
}

// prose shows text whose words may stand in backticks, and whose paragraphs have an empty line between them.
export function prose(text) {
  return (text || '').split(/\n{2,}/).filter(Boolean).map(paragraph =>
    h('p', {}, paragraph.split(/`([^`]*)`/).map((part, i) => (i % 2 ? h('code', {}, part) : part))))
}

// outside is a link that tells nothing about where it was followed from.
export function outside(url, ...children) {
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, ...children)
}

// copier is a button that copies what text gives when it is pressed.
export function copier(text) {
  const button = h('button.small', { type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text())
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Select it and copy' // the page is not served over https
    }
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  } }, 'Copy')
  return button
}
