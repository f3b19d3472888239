// The description of the API (OpenAPI 3.1), made easy to ask.

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']
const leads = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] // what an address is for, the likeliest first

export class Description {
  constructor(doc) {
    this.doc = doc
    this.base = (doc.servers?.[0]?.url || '').replace(/\/$/, '')
    this.operations = []
    for (const [path, item] of Object.entries(doc.paths)) {
      for (const method of methods) {
        if (item[method]) this.operations.push(this.operation(path, item, method))
      }
    }
    this.byID = new Map(this.operations.map(operation => [operation.id, operation]))
  }

  operation(path, item, method) {
    const it = item[method]
    const parameters = new Map()
    const security = it.security || this.doc.security || []
    for (const each of [...(item.parameters || []), ...(it.parameters || [])]) {
      const parameter = this.resolve(each)
      parameters.set(parameter.in + ' ' + parameter.name, parameter)
    }
    return {
      id: it.operationId, method: method.toUpperCase(), path, tag: it.tags?.[0] || 'other', summary: it.summary || '', description: it.description || '',
      deprecated: it.deprecated, parameters: [...parameters.values()], body: this.resolve(it.requestBody),
      responses: Object.entries(it.responses || {}).map(([status, response]) => ({ status, ...this.resolve(response) })),
      open: security.length === 0, // to everybody; optional: to some without a token
      optional: security.some(each => Object.keys(each).length === 0),
    }
  }

  // resolve follows references within the document.
  resolve(part) {
    for (let hops = 0; part?.$ref && hops < 20; hops++) {
      part = part.$ref.replace(/^#\//, '').split('/').reduce((at, name) => at?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')], this.doc)
    }
    return part
  }

  // groups are the tags in the order of the description, with their operations; what is open to everybody comes last.
  groups() {
    const groups = new Map((this.doc.tags || []).map(tag => [tag.name, { name: tag.name, description: tag.description || '', operations: [] }]))
    for (const operation of this.operations) {
      if (!groups.has(operation.tag)) groups.set(operation.tag, { name: operation.tag, description: '', operations: [] })
      groups.get(operation.tag).operations.push(operation)
    }
    const open = group => (group.operations.filter(operation => operation.open).length * 2 > group.operations.length ? 1 : 0)
    return [...groups.values()].filter(group => group.operations.length).sort((a, b) => open(a) - open(b))
  }

  // find tells which operation an address of this service leads to, and with which values: GET where it takes the query, else another.
  find(url) {
    const path = url.pathname
    let best
    for (const operation of this.operations) {
      const names = []
      const pattern = operation.path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name) => (names.push(name), '([^/]+)'))
      const match = path.match(new RegExp('^' + pattern + '$'))?.slice(1).map(decoded)
      const takes = new Set(operation.parameters.filter(p => p.in === 'query').map(p => p.name))
      if (!match || !leads.includes(operation.method)) continue
      const strangers = [...url.searchParams.keys()].filter(name => !takes.has(name)).length
      const rank = [strangers, names.length, leads.indexOf(operation.method)]
      if (best && compare(best.rank, rank) <= 0) continue
      best = { operation, rank, values: { path: Object.fromEntries(names.map((name, i) => [name, match[i]])), query: Object.fromEntries(url.searchParams) } }
    }
    return best
  }

  // flat is a schema with its references and allOf put together.
  flat(schema) {
    schema = this.resolve(schema)
    if (!schema?.allOf) return schema || {}
    const { allOf, ...whole } = schema
    for (const part of allOf.map(each => this.flat(each))) {
      whole.type ??= part.type
      whole.description ??= part.description
      whole.properties = { ...part.properties, ...whole.properties }
      whole.required = [...(whole.required || []), ...(part.required || [])]
    }
    return whole
  }

  // variants are the shapes of which one holds, without null.
  variants(schema) {
    return (schema.oneOf || schema.anyOf || []).map(each => this.flat(each)).filter(each => each.type !== 'null')
  }

  // rows are the members of a schema, one below the other.
  rows(schema, depth = 0, required = false, name = '') {
    schema = this.flat(schema)
    const rows = name ? [{ name, depth, required, schema, words: this.words(schema) }] : []
    const below = name ? depth + 1 : depth
    if (below > 4) return rows
    const shapes = this.variants(schema)
    for (const shape of shapes.length ? shapes : [schema]) {
      if (shapes.length > 1) rows.push({ name: 'either', depth: below, note: true, schema: shape, words: this.words(shape) })
      const inner = shape.type === 'array' || shape.type?.includes?.('array') ? this.flat(shape.items) : shape
      const each = inner === shape ? below : Math.max(below, 0)
      if (inner !== shape && !name) rows.push({ name: 'each of them', depth: each, note: true, schema: inner, words: this.words(inner) })
      for (const [member, its] of Object.entries(inner.properties || {})) {
        rows.push(...this.rows(its, each + (shapes.length > 1 ? 1 : 0), (inner.required || []).includes(member), member))
      }
    }
    return rows
  }

  // words say what a value may be. Limits that nothing real reaches are left out.
  words(schema) {
    schema = this.flat(schema)
    const words = []
    const shapes = this.variants(schema)
    let type = [schema.type || (shapes.length ? shapes.map(shape => shape.type || 'any') : schema.enum || schema.const !== undefined ? [] : 'any')].flat(2)
    if (type.includes('array') && schema.items) type = type.map(each => (each === 'array' ? 'array of ' + (this.words(schema.items)[0] || 'any') : each))
    if (type.length) words.push([...new Set(type)].join(' or '))
    if (schema.format && !['int32', 'int64'].includes(schema.format)) words.push(schema.format)
    if (schema.enum && schema.enum.length < 40) words.push('one of ' + schema.enum.map(each => JSON.stringify(each)).join(', '))
    if (schema.const !== undefined) words.push('always ' + JSON.stringify(schema.const))
    if (schema.readOnly) words.push('read-only')
    else {
      words.push(span(schema.minLength, schema.maxLength, 'characters'), span(schema.minItems, schema.maxItems, 'items'), span(schema.minimum, schema.maximum, ''))
      if (schema.exclusiveMinimum !== undefined) words.push('more than ' + schema.exclusiveMinimum)
      if (schema.multipleOf !== undefined) words.push('a multiple of ' + schema.multipleOf)
      if (schema.uniqueItems) words.push('no two the same')
      if (schema.pattern?.length <= 60) words.push('like ' + schema.pattern)
    }
    if (schema.default !== undefined) words.push('default ' + JSON.stringify(schema.default))
    if (schema.deprecated) words.push('deprecated')
    return words.filter(Boolean)
  }

  // samples are bodies to start from: the examples of the description, or one that is made from the schema.
  samples(media) {
    const examples = Object.entries(media.examples || {}).map(([name, each]) => {
      const example = this.resolve(each)
      return { name: example.summary || name, value: example.value }
    })
    if (!examples.length && media.example !== undefined) examples.push({ name: 'Example', value: media.example })
    return [...examples, { name: examples.length ? 'Made from the schema' : 'Example', value: this.sample(media.schema) }]
  }

  sample(schema, depth = 0) {
    schema = this.flat(schema)
    for (const value of [schema.examples?.[0], schema.example, schema.const, schema.default, schema.enum?.[0]]) {
      if (value !== undefined) return value
    }
    const shapes = this.variants(schema)
    if (shapes.length && !schema.properties) return this.sample(shapes[0], depth)
    switch ([schema.type].flat()[0]) {
      case 'object': return depth > 5 ? {} : this.object(schema, depth)
      case 'array': return depth > 5 || !schema.items ? [] : [this.sample(schema.items, depth + 1)]
      case 'integer': case 'number': return Math.max(schema.minimum ?? 1, 1)
      case 'boolean': return false
      case 'string': return { date: '2026-01-31', uri: 'https://example.com/', email: 'someone@example.com' }[schema.format] ?? 'text'
    }
    return schema.properties ? this.object(schema, depth) : null
  }

  object(schema, depth) {
    const wanted = Object.entries(schema.properties || {}).filter(([name, its]) =>
      !this.flat(its).readOnly && ((schema.required || []).includes(name) || !schema.required?.length))
    return Object.fromEntries(wanted.map(([name, its]) => [name, this.sample(its, depth + 1)]))
  }
}

// decoded is a part of a path as it was before it was escaped. Anybody may have written the address, so it may be escaped badly.
function decoded(part) {
  try { return decodeURIComponent(part) } catch { return part }
}

function span(least, most, unit) {
  if (least !== undefined && Math.abs(least) >= 2 ** 53) least = undefined
  if (most !== undefined && Math.abs(most) >= (unit ? 1e6 : 2 ** 53)) most = undefined
  if (!least && most === undefined) return ''
  if (most === undefined) return 'at least ' + least + ' ' + unit
  return (least !== undefined ? least + ' to ' + most : 'at most ' + most) + ' ' + unit
}

function compare(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i]
  return 0
}
