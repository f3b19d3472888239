// One operation: what it does, what it takes, and a form to try it.

import { h, prose, outside } from './dom.js'
import { address, send, key } from './call.js'
import { showAnswer, shell, problemOf } from './answer.js'

// Panel shows one operation and makes its calls. The explorer knows the description, the token, and what earlier answers told.
export class Panel {
  constructor(explorer, operation) {
    Object.assign(this, { explorer, operation, inputs: [], root: explorer.root })
    this.result = h('section.answer', { 'aria-label': 'Answer', 'aria-live': 'polite' })
    this.sendButton = h('button.primary', { type: 'submit' }, 'Send')
    this.cancelButton = h('button', { type: 'button', hidden: true, onclick: () => this.running?.abort() }, 'Cancel')
    this.preview = h('code.address', {})
    this.form = h('form', { novalidate: true, onsubmit: event => { event.preventDefault(); this.send() }, oninput: () => this.refresh(), onkeydown: event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.send() }
    } },
    this.parameters('path', 'Path'), this.parameters('query', 'Query'), this.headers(), this.body(),
    h('div.send', {}, this.sendButton, this.cancelButton, h('span.quiet', {}, 'or Ctrl + Enter'), this.preview))
    this.element = h('article', {}, this.heading(), this.form, this.result, this.answers())
    this.refresh()
  }

  heading() {
    const { operation, explorer } = this
    return h('div.heading', {},
      h('p.trail', {}, operation.tag),
      h('h1', { tabindex: '-1' }, operation.summary || operation.id),
      h('p.line', {}, h('span.method.m' + operation.method, {}, operation.method), h('code', {}, operation.path),
        h('span.badge', {}, operation.open ? 'no token needed' : operation.optional ? 'with a token or without' : 'token'), operation.deprecated && h('span.badge.warn', {}, 'deprecated')),
      prose(operation.description),
      prose(explorer.description.groups().find(group => group.name === operation.tag)?.description))
  }

  // parameters of one place. Those of which there are many of a kind, such as filters, are kept out of the way.
  parameters(place, title) {
    const all = this.operation.parameters.filter(parameter => parameter.in === place)
    if (!all.length) return null
    const alike = parameter => all.filter(other => other.description === parameter.description).length
    const rare = place === 'query' ? all.filter(parameter => alike(parameter) > 3) : []
    const names = [...new Set(rare.map(parameter => parameter.name.replace(/\[.*/, '')))]
    return h('fieldset', {}, h('legend', {}, title), all.filter(parameter => !rare.includes(parameter)).map(parameter => this.row(parameter)),
      rare.length > 0 && h('details', {}, h('summary', {}, 'Filters: ', h('span.quiet', {}, names.join(', '))), rare.map(parameter => this.row(parameter))))
  }

  headers() {
    const types = [...new Set(this.operation.responses.filter(response => response.status < '300').flatMap(response => Object.keys(response.content || {})))]
    const named = this.operation.parameters.filter(parameter => parameter.in === 'header')
    if (!named.length && types.length < 2) return null
    const accept = types.length > 1 && this.row({ name: 'Accept', in: 'header', description: 'The type of the answer.', schema: { type: 'string', enum: types } })
    return h('fieldset', {}, h('legend', {}, 'Headers'), named.map(parameter => this.row(parameter)), accept)
  }

  row(parameter) {
    const schema = this.explorer.description.flat(parameter.schema)
    const id = 'p-' + this.operation.id + '-' + parameter.in + '-' + parameter.name
    const note = id + '-note'
    const common = { id, name: parameter.name, 'aria-describedby': note, required: parameter.required }
    const choices = schema.enum || (schema.type === 'boolean' ? [true, false] : null)
    const input = choices
      ? h('select', common, h('option', { value: '' }, schema.default !== undefined ? '(' + schema.default + ')' : ''), choices.map(choice => h('option', { value: String(choice) }, String(choice))))
      : h('input', { ...common, type: 'text', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', inputmode: schema.type === 'integer' ? 'numeric' : undefined,
        placeholder: schema.examples?.[0] ?? (schema.default !== undefined ? String(schema.default) : undefined) })
    this.inputs.push({ parameter, input })
    const words = parameter.in === 'header' ? [] : this.explorer.description.words(schema).filter((word, i) => i || word !== 'string')
    return h('div.row', {}, h('label', { for: id }, parameter.name, parameter.required && h('span.star', { title: 'required' }, '*')),
      h('div.field', {}, input, this.helper(parameter, input)),
      h('p.note', { id: note }, parameter.deprecated && h('span.badge.warn', {}, 'deprecated'), parameter.description, ' ', words.length > 0 && h('span.words', {}, words.join(' · '))))
  }

  // helper is a button that fills in what the reader would have to copy.
  helper(parameter, input) {
    const fill = value => { input.value = value; this.refresh() }
    if (parameter.name === 'Idempotency-Key') return h('button.small', { type: 'button', onclick: () => fill(key()) }, 'New key')
    if (!['If-Match', 'If-None-Match', 'If-Range'].includes(parameter.name)) return null
    const button = h('button.small', { type: 'button', onclick: () => fill(this.tag()) }, 'Last ETag')
    this.tagButtons = [...(this.tagButtons || []), button]
    return button
  }

  // tag is the ETag last seen here, or else the last one at all.
  tag() {
    const { tags, lastTag } = this.explorer
    return tags.get(address(this.root, this.operation, { ...this.values(), query: {} })) || lastTag
  }

  body() {
    const content = this.operation.body?.content
    if (!content) return null
    const types = Object.keys(content).sort((a, b) => (a === 'application/json' ? -1 : b === 'application/json' ? 1 : 0))
    const id = 'b-' + this.operation.id
    this.type = h('select', { id: id + '-type', onchange: () => this.chooseType() }, types.map(type => h('option', { value: type }, type)))
    this.example = h('select', { id: id + '-example', onchange: () => { this.text.value = this.samples[this.example.value].text; this.refresh() } })
    this.text = h('textarea', { id: id + '-text', 'aria-label': 'Body', spellcheck: 'false', autocapitalize: 'off', rows: '10', 'aria-describedby': id + '-state' })
    this.file = h('input', { id: id + '-file', type: 'file', 'aria-label': 'File to send' })
    this.state = h('p.note', { id: id + '-state', role: 'status' })
    this.shape = h('div', {})
    const set = h('fieldset.body', {}, h('legend', {}, 'Body'),
      h('div.pickers', {}, h('label', { for: id + '-type' }, 'Type'), this.type, this.exampleLabel = h('label', { for: id + '-example' }, 'Example'), this.example),
      this.text, this.file, this.state, this.shape)
    this.chooseType()
    return set
  }

  chooseType() {
    const { description } = this.explorer
    const media = this.operation.body.content[this.type.value]
    this.isText = /[/+]json\b/.test(this.type.value)
    this.text.hidden = !this.isText
    this.file.hidden = this.isText
    this.file.accept = this.type.value.includes('*') || !this.type.value.startsWith('image/') ? '' : this.type.value
    this.samples = this.isText ? description.samples(media).map(sample => ({ name: sample.name, text: JSON.stringify(sample.value, null, 2) })) : []
    this.example.replaceChildren(...this.samples.map((sample, i) => h('option', { value: String(i) }, sample.name)))
    this.example.hidden = this.exampleLabel.hidden = this.samples.length < 2
    this.text.value = this.samples[0]?.text || ''
    this.text.rows = Math.min(24, Math.max(5, this.text.value.split('\n').length + 1))
    const rows = description.rows(media.schema)
    this.shape.replaceChildren(...[rows.length > 0 ? shapeOf('What it may hold', rows) : h('p.note', {}, description.flat(media.schema).description || '')])
    if (this.form) this.refresh()
  }

  // answers tells what may come back, and which problems.
  answers() {
    const { description } = this.explorer
    return h('section.answers', { 'aria-label': 'What may come back' }, h('h2', {}, 'What may come back'),
      this.operation.responses.map(response => {
        const codes = new Set(Object.values(response.content || {}).flatMap(media => description.resolve(media.schema)?.allOf?.[1]?.properties?.code?.enum || []))
        const [type, media] = Object.entries(response.content || {})[0] || []
        const rows = media && !codes.size ? description.rows(media.schema) : []
        const text = codes.size ? this.codes(response.description) : prose(response.description)
        return h('details.response', {}, h('summary', {}, h('span.status.s' + response.status[0], {}, response.status), ' ',
          codes.size ? h('span.codes', {}, [...codes].join(', ')) : (response.description || '').split('\n')[0]),
        text, type && h('p.note', {}, Object.keys(response.content).join(', ')),
        rows.length > 0 && shapeOf('Its members', rows),
        response.headers && h('dl', {}, Object.entries(response.headers).map(([name, header]) => [h('dt', {}, name), h('dd', {}, description.resolve(header).description || '')])))
      }))
  }

  // codes are the lines of a description that each begin with a problem code.
  codes(text) {
    return h('ul.plain', {}, text.split(/\n{2,}/).map(line => {
      const [, code, meaning] = line.match(/^`(\w+)`:\s*(.*)$/s) || []
      return h('li', {}, code ? [outside(this.explorer.problemPage(code), h('code', {}, code)), ' ', meaning] : line)
    }))
  }

  values() {
    const values = { path: {}, query: {}, header: {} }
    for (const { parameter, input } of this.inputs) values[parameter.in][parameter.name] = input.value.trim()
    return values
  }

  request() {
    const values = this.values()
    const headers = Object.entries(values.header).filter(([, value]) => value !== '')
    const body = !this.text ? undefined : this.isText ? this.text.value : this.file.files[0] || new File([], 'empty')
    if (this.text) headers.push(['Content-Type', this.type.value.includes('*') ? body.type || 'application/octet-stream' : this.type.value])
    return { method: this.operation.method, url: address(this.root, this.operation, values), headers, body, open: this.operation.open }
  }

  // fill puts values into the form: those of an address that is followed, or those that earlier answers made known.
  fill({ path = {}, query = {} }, root = this.explorer.root) {
    this.root = root
    for (const { parameter, input } of this.inputs) {
      const value = { path, query }[parameter.in]?.[parameter.name]
      if (parameter.in === 'query') input.value = value ?? ''
      else if (value !== undefined) input.value = value
    }
    this.refresh()
  }

  // recall fills in parts of the path that are still empty.
  recall() {
    for (const { parameter, input } of this.inputs) {
      if (parameter.in === 'path' && !input.value) input.value = this.explorer.known.get(parameter.name) || ''
    }
    this.refresh()
  }

  refresh() {
    if (!this.form) return
    const request = this.request()
    this.preview.textContent = request.method + ' ' + (request.url.startsWith(this.explorer.root) ? request.url.slice(this.explorer.root.length - 1) : request.url)
    for (const button of this.tagButtons || []) button.hidden = !this.tag()
    if (!this.text) return
    let trouble = ''
    if (this.isText) try { JSON.parse(this.text.value) } catch (fault) { trouble = 'Not JSON yet: ' + fault.message }
    this.state.textContent = trouble
  }

  missing() {
    const empty = this.inputs.find(({ parameter, input }) => parameter.in === 'path' && !input.value.trim())
    empty?.input.focus()
    for (const { parameter, input } of this.inputs) input.toggleAttribute('aria-invalid', parameter.in === 'path' && !input.value.trim())
    return empty
  }

  async send() {
    const empty = this.missing()
    if (empty) return this.result.replaceChildren(h('p.problem', {}, 'Fill in ' + empty.parameter.name + ' first.'))
    const request = this.request()
    this.running?.abort()
    const running = this.running = new AbortController()
    this.busy(true)
    try {
      const answer = await send(request, this.explorer.token(), running.signal)
      this.explorer.learn(answer, this.operation, this.values().path)
      this.result.replaceChildren(h('h2', {}, 'Answer'), ...showAnswer(answer, this.explorer).filter(Boolean))
      this.mark(answer)
    } catch (fault) {
      if (running !== this.running) return
      const text = running.signal.aborted ? 'Cancelled.' : 'No answer: ' + fault.message
      this.result.replaceChildren(h('h2', {}, 'Answer'), h('p.problem', {}, text), shell(request, this.explorer.token))
    } finally {
      if (running === this.running) this.busy(false)
    }
    this.refresh()
    const { top } = this.result.getBoundingClientRect()
    if (top < 0 || top > innerHeight * 0.6) this.result.scrollIntoView({ block: 'start' })
  }

  busy(yes) {
    this.sendButton.disabled = yes
    this.cancelButton.hidden = !yes
    this.result.setAttribute('aria-busy', String(yes))
  }

  // mark shows at which fields an answer found fault.
  mark(answer) {
    const faults = problemOf(answer)?.errors || []
    for (const { parameter, input } of this.inputs) {
      input.toggleAttribute('aria-invalid', faults.some(fault => [fault.parameter, fault.header].includes(parameter.name)))
    }
    this.text?.toggleAttribute('aria-invalid', faults.some(fault => fault.pointer !== undefined))
  }
}

function shapeOf(title, rows) {
  return h('details.shape', {}, h('summary', {}, title), h('table', {}, h('thead', {}, h('tr', {}, ['Member', 'What it may be', 'About it'].map(each => h('th', { scope: 'col' }, each)))),
    h('tbody', {}, rows.map(row => h('tr', {}, h('td.d' + row.depth, {}, row.note ? h('em', {}, row.name) : h('code', {}, row.name), row.required && h('span.star', { title: 'required' }, '*')),
      h('td', {}, row.words.join(' · ')), h('td', {}, row.schema.description || ''))))))
}
