// What came back, made readable.

import { h, outside, copier } from './dom.js'
import { curl } from './call.js'

const tooLong = 400_000 // characters that are still worth colouring

// showAnswer is the answer to a call. locate tells where an address of the service leads, and follow goes there.
export function showAnswer(answer, { locate, follow, token, problemPage }) {
  const link = address => linked(address, locate, follow)
  const size = answer.content.size
  return [
    h('p.verdict', {},
      h('span.status.s' + String(answer.status)[0], {}, [answer.status, answer.reason].filter(Boolean).join(' ')),
      h('span', {}, Math.round(answer.took) + ' ms'), h('span', {}, size.toLocaleString('en') + (size === 1 ? ' byte' : ' bytes'))),
    problem(answer, problemPage),
    bodyOf(answer, link),
    h('details.headers', { open: true }, h('summary', {}, 'Headers'),
      h('dl', {}, answer.headers.map(([name, value]) => [h('dt', {}, name), h('dd', {}, addresses(name, value, link))]))),
    h('details', {}, h('summary', {}, 'The same with curl'), shell(answer.request, token)),
  ]
}

// shell shows the call as a command. The token is a variable in it, unless the reader wants it.
export function shell(request, token) {
  const text = h('code', {}, curl(request))
  const own = token() && !request.open && h('label.check', {}, h('input', { type: 'checkbox', onchange: event => {
    text.textContent = curl(request, event.target.checked ? token() : '')
  } }), ' with my token')
  return h('div.shell', {}, h('pre', { tabindex: '0', 'aria-label': 'curl command' }, text), h('p.tools', {}, copier(() => text.textContent), own))
}

// problemOf is what an answer says was wrong; to HEAD it cannot say it.
export function problemOf(answer) {
  return answer.header('Content-Type').startsWith('application/problem+json') ? parsed(answer.text) : null
}

function parsed(text) {
  try { return JSON.parse(text) } catch { return null }
}

// problem lists what was wrong, before the raw answer.
function problem(answer, problemPage) {
  const it = problemOf(answer)
  if (!it) return null
  const about = fault => [fault.parameter && ['parameter ', fault.parameter], fault.header && ['header ', fault.header], fault.pointer !== undefined && ['body ', fault.pointer || '/']].find(Boolean)
  return h('div.problem', {},
    h('p', {}, h('strong', {}, it.title + '. '), it.message, ' ', outside(problemPage(it.code), 'About ' + it.code)),
    it.errors?.length && h('ul.faults', {}, it.errors.map(fault => {
      const at = about(fault)
      return h('li', {}, at && [at[0], h('code', {}, at[1]), ': '], fault.message, ' ', h('code.quiet', {}, fault.code))
    })))
}

function bodyOf(answer, link) {
  const type = answer.header('Content-Type')
  if (answer.content.size === 0) return h('p.quiet', {}, 'No body.')
  if (answer.text === undefined) return file(answer, type)
  const json = /[/+]json\b/.test(type)
  const pretty = json && answer.text.length <= tooLong ? layOut(answer.text, link) : [answer.text]
  return h('div.body', {}, h('p.tools', {}, h('span.quiet', {}, type), copier(() => (json ? indent(answer.text) : answer.text))),
    h('pre', { tabindex: '0', 'aria-label': 'Body' }, h('code', {}, pretty)))
}

// file offers bytes that are not text, and shows pictures.
function file(answer, type) {
  const address = URL.createObjectURL(answer.content)
  const name = new URL(answer.request.url).pathname.split('/').pop() || 'answer'
  return h('div.body', {}, h('p.tools', {}, h('span.quiet', {}, type || 'bytes'), h('a', { href: address, download: name }, 'Save')),
    /^image\/(png|jpeg|gif)$/.test(type) && h('img.picture', { src: address, alt: 'The picture that was answered' }))
}

// piece is one piece of JSON text; numbers stay as they were written.
const piece = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

function* laidOut(text) {
  const tokens = text.match(piece) || []
  let depth = 0
  const line = () => '\n' + '  '.repeat(depth)
  for (let i = 0; i < tokens.length; i++) {
    const it = tokens[i]
    if (it === '{' || it === '[') {
      if (tokens[i + 1] === '}' || tokens[i + 1] === ']') yield ['', it + tokens[++i]]
      else { depth++; yield ['', it + line()] }
    } else if (it === '}' || it === ']') { depth--; yield ['', line() + it] }
    else if (it === ',') yield ['', ',' + line()]
    else if (it === ':') yield ['', ': ']
    else if (it[0] === '"') yield [tokens[i + 1] === ':' ? 'name' : 'text', it]
    else yield ['word', it]
  }
}

function indent(text) { return [...laidOut(text)].map(([, part]) => part).join('') }

// layOut colours JSON text, and makes addresses in it into links.
function layOut(text, link) {
  return [...laidOut(text)].map(([kind, part]) => {
    if (!kind) return part
    const address = kind === 'text' && /^"https?:/.test(part) && link(parsed(part) || '')
    return address ? ['"', address, '"'] : h('span.' + kind, {}, part)
  })
}

// linked is an address that can be followed: within the explorer where it is ours, else outside.
function linked(address, locate, follow) {
  if (!/^https?:\/\//.test(address)) return null
  const found = locate(address)
  if (!found) return outside(address, address)
  const title = found.operation.method === 'GET' ? 'GET it' : 'Go on with ' + found.operation.method
  return h('a', { href: '#' + found.operation.id, title, onclick: event => { event.preventDefault(); follow(found) } }, address)
}

// addresses makes links of what Location, Link and the like hold.
function addresses(name, value, link) {
  if (!['location', 'link', 'content-location'].includes(name.toLowerCase())) return value
  return value.split(/(https?:\/\/[^>\s;,"]+)/).map((part, i) => (i % 2 ? link(part) : part))
}
