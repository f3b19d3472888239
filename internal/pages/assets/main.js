// The explorer: a list of calls, one of them open, a token.

import { h, prose } from './dom.js'
import { Description } from './spec.js'
import { Panel } from './form.js'

const at = id => document.getElementById(id)
const narrow = matchMedia('(max-width: 55rem)') // as in style.css
const stored = 'verbless.token' // in this tab only, and gone with it

class Explorer {
  constructor(doc) {
    this.description = new Description(doc)
    this.root = new URL('.', document.baseURI).href
    this.elsewhere = (document.body.dataset.elsewhere || '').split(' ').filter(Boolean)
    this.panels = new Map()
    this.known = new Map() // parts of paths, by their names
    this.tags = new Map() // ETags, by their addresses
    this.token = () => at('token').value.trim()
    this.locate = this.locate.bind(this)
    this.follow = this.follow.bind(this)
    this.problemPage = code => this.root + 'problems/' + encodeURIComponent(code)
    at('title').textContent = doc.info.title
    at('version').textContent = doc.info.version || ''
    this.list()
    at('filter').addEventListener('input', () => this.filter())
    at('filter').addEventListener('keydown', event => { if (event.key === 'Enter') at('groups').querySelector('li:not([hidden]) a')?.click() })
    at('all').addEventListener('change', () => this.filter())
    addEventListener('hashchange', () => this.open())
    addEventListener('keydown', event => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest?.('input, textarea, select')) return
      event.preventDefault()
      at('menu').open = true
      at('filter').focus()
    })
    narrow.addEventListener('change', () => { at('menu').open = !narrow.matches })
    at('menu').open = !narrow.matches
    this.filter()
    this.open()
  }

  list() {
    this.groups = this.description.groups().map(group => {
      const items = group.operations.map(operation => ({ operation, words: [operation.method, operation.path, operation.id, operation.summary, group.name].join(' ').toLowerCase(),
        element: h('li', {}, h('a', { href: '#' + operation.id }, h('span.method.m' + operation.method, {}, operation.method), h('span.what', {}, h('code', {}, operation.path), h('span.quiet', {}, operation.summary)))) }))
      const count = h('span.quiet', {})
      return { group, items, count, element: h('details.group', {}, h('summary', { title: group.description }, group.name, ' ', count), h('ul', {}, items.map(item => item.element))) }
    })
    at('groups').replaceChildren(...this.groups.map(group => group.element))
  }

  // filter shows the calls that have every word.
  filter() {
    const words = at('filter').value.toLowerCase().split(/\s+/).filter(Boolean)
    let found = 0
    for (const { items, count, element } of this.groups) {
      let shown = 0
      for (const { operation, words: own, element: item } of items) {
        const hidden = !words.every(word => own.includes(word)) || (['HEAD', 'OPTIONS'].includes(operation.method) && !at('all').checked)
        item.hidden = hidden
        if (!hidden) shown++
      }
      found += shown
      count.textContent = shown
      element.hidden = shown === 0
      element.open = words.length > 0 ? shown > 0 : items.some(item => item.operation === this.current)
    }
    at('found').textContent = words.length ? found + (found === 1 ? ' call' : ' calls') : ''
  }

  // open shows the call that the address of the page names.
  open() {
    const operation = this.description.byID.get(location.hash.slice(1))
    const same = operation && operation === this.current
    this.current = operation
    for (const { items, element } of this.groups) {
      for (const item of items) {
        const link = item.element.firstChild
        if (item.operation === operation) {
          link.setAttribute('aria-current', 'page')
          element.open = true
        } else link.removeAttribute('aria-current')
      }
    }
    if (!operation) {
      document.title = this.description.doc.info.title + ' API'
      return at('call').replaceChildren(this.overview())
    }
    const panel = this.panel(operation)
    panel.recall()
    if (!same) at('call').replaceChildren(panel.element)
    document.title = operation.summary + ' · ' + this.description.doc.info.title
    if (narrow.matches) at('menu').open = false
    if (!same) { scrollTo(0, 0); panel.element.querySelector('h1').focus({ preventScroll: true }) }
    return panel
  }

  panel(operation) {
    if (!this.panels.has(operation.id)) this.panels.set(operation.id, new Panel(this, operation))
    return this.panels.get(operation.id)
  }

  overview() {
    const { info } = this.description.doc
    return h('article', {}, h('h1', { tabindex: '-1' }, info.title + ' API'), prose(info.description),
      h('p', {}, 'Paste a token at the top: it stays in this tab, and goes only into the Authorization header of your calls. ',
        'A token is printed by ', h('code', {}, 'verbless tokens issue USER'), '. Press ', h('kbd', {}, '/'), ' to search, ', h('kbd', {}, 'Ctrl'), ' + ', h('kbd', {}, 'Enter'), ' to send.'),
      h('ul.cards', {}, this.groups.map(({ group }) => h('li', {}, h('a', { href: '#' + group.operations[0].id }, h('strong', {}, group.name), ' ', group.description)))))
  }

  // locate tells which call an address in an answer leads to. The service may call itself otherwise than this page does.
  locate(address) {
    for (const [start, root] of [[this.description.base, this.root], [this.root.replace(/\/$/, ''), this.root], ...this.elsewhere.map(other => [other, other])]) {
      if (!start || !address.startsWith(start) || !/^(\/|\?|$)/.test(address.slice(start.length))) continue
      const found = this.description.find(new URL(address.slice(start.length) || '/', 'http://here'))
      if (found) return { ...found, root }
    }
    return null
  }

  // follow opens the call that an address leads to, and makes it when it only reads.
  follow(found) {
    history.pushState(null, '', '#' + found.operation.id)
    const panel = this.open()
    panel.fill(found.values, found.root)
    if (found.operation.method === 'GET') panel.send()
  }

  // learn keeps what later calls will want: ETags, and the names of what was made or seen.
  learn(answer, operation, path) {
    const tag = answer.header('ETag')
    const own = answer.request.url.split('?')[0]
    if (tag && answer.status < 400) {
      const made = this.locate(answer.header('Location'))
      this.tags.set(made ? answer.header('Location').replace(this.description.base + '/', this.root) : own, this.lastTag = tag)
    }
    if (answer.status >= 400) return
    for (const [name, value] of Object.entries({ ...path, ...this.locate(answer.header('Location'))?.values.path })) this.known.set(name, value)
  }
}

function keepToken() {
  const input = at('token')
  const note = () => { at('token-note').textContent = input.value ? 'kept in this tab only' : '' }
  input.value = sessionStorage.getItem(stored) || ''
  note()
  input.addEventListener('input', () => {
    if (input.value) sessionStorage.setItem(stored, input.value.trim())
    else sessionStorage.removeItem(stored)
    note()
  })
  at('token-show').addEventListener('click', event => {
    const shown = input.type === 'text'
    input.type = shown ? 'password' : 'text'
    event.target.textContent = shown ? 'Show' : 'Hide'
    event.target.setAttribute('aria-pressed', String(!shown))
  })
}

async function start() {
  keepToken()
  try {
    const response = await fetch(new URL('openapi.json', document.baseURI), { credentials: 'omit' })
    if (!response.ok) throw new Error('status ' + response.status)
    const explorer = new Explorer(await response.json())
    document.body.dataset.ready = explorer.description.operations.length
  } catch (fault) {
    at('call').replaceChildren(h('p.problem', {}, 'The description could not be loaded: ' + fault.message))
    throw fault
  }
}

start()
