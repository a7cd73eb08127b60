import type { TagGroups } from './tag-values.ts'

const NAME_OF_ELEMENT = /^\/?([^\s>/"'=]+)/
const NAME = /^([A-Za-z][\w.-]{0,60}):([A-Za-z][\w.-]{0,60})$/
/** Longer names are ignored: more than a prefix, a colon and a name can have. */
const MAX_NAME = 130
const NO_NAME = /[\s"'=/]/
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** The usual prefixes of namespaces whose tags are read, by their URI as `namespaceKey` returns it. */
const USUAL_PREFIXES: Record<string, string> = {
  'ns.adobe.com/tiff/1.0': 'tiff',
  'ns.adobe.com/exif/1.0': 'exif',
  'ns.adobe.com/exif/1.0/aux': 'aux',
  'ns.adobe.com/photoshop/1.0': 'photoshop',
  'ns.adobe.com/xap/1.0': 'xmp',
  'cipa.jp/exif/1.0': 'exifEX',
  'ns.google.com/photos/1.0/panorama': 'GPano',
  'www.dji.com/drone-dji/1.0': 'drone-dji',
  'www.parrot.com/drone-parrot/1.0': 'drone-parrot',
  'www.skydio.com/drone-skydio/1.0': 'drone-skydio',
  'pix4d.com/camera/1.0': 'Camera',
}
/** Prefixes of elements that structure values and are no tags. */
const STRUCTURE = new Set(['rdf', 'x', 'xml', 'xmlns'])
const MAX_DEPTH = 24
const MAX_VALUES = 5000
const MAX_VALUES_PER_TAG = 100

/**
 * The tags of an XMP packet as texts or lists of texts, in groups named `XMP-` and the prefix; nested tags are
 * `Outer.inner`. Whatever the packet is, the work is linear in its length and the result is bounded: each part between
 * one `<` and the next is read once, from start to end.
 */
export function parseXmp(packet: string): TagGroups {
  const tags = createCollector()
  const prefixes = new Map<string, string>()
  const open: { name: string; step: Step }[] = []

  function addAt(path: Step[], value: string): void {
    const steps = path.filter((step) => step !== null)
    const [first] = steps
    if (!first) return
    const group = `XMP-${prefixes.get(first.prefix) ?? first.prefix}`
    tags.add(group, steps.map(({ local }) => local).join('.'), value)
  }

  function openElement({ name, attributes, isEmpty }: Element): void {
    const steps = [...open.map(({ step }) => step), stepOf(name)]
    for (const [attribute, value] of attributes) {
      const usual = attribute.startsWith('xmlns:') ? USUAL_PREFIXES[namespaceKey(value)] : undefined
      if (usual) prefixes.set(attribute.slice('xmlns:'.length), usual)
    }
    for (const [attribute, value] of attributes) {
      if (attribute === 'rdf:about') tags.add('XMP-rdf', 'about', value)
      else if (!attribute.startsWith('rdf:') && !attribute.startsWith('xml'))
        addAt([...steps, stepOf(attribute)], value)
      if (tags.isFull()) return
    }
    if (!isEmpty && open.length < MAX_DEPTH) open.push({ name, step: stepOf(name) })
  }

  const [, ...parts] = packet.split('<')
  for (const part of parts) {
    if (tags.isFull()) break
    if (part.startsWith('?') || part.startsWith('!')) continue
    const found = readElement(part)
    if (!found) continue
    const { element, end } = found
    if (!element.isClosing) openElement(element)
    else if (open.at(-1)?.name === element.name) open.pop()
    const text = part.slice(end)
    const path = open.map(({ step }) => step)
    if (text.trim() !== '') addAt(path, text)
  }
  return tags.groups
}

/** Makers write the URI of a namespace with http or https, and with or without a slash at its end. */
function namespaceKey(uri: string): string {
  return uri
    .trim()
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
}

function toCharacter(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

function decodeEntities(value: string): string {
  return value.replaceAll(ENTITY, (_all, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? ''
    return toCharacter(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

interface Element {
  name: string
  isClosing: boolean
  isEmpty: boolean
  attributes: [string, string][]
}

/** The name before an equals sign at the end of a text; empty when there is none or it is too long. */
function nameBefore(text: string): string {
  const before = text.trimEnd()
  if (!before.endsWith('=')) return ''
  const name = before.slice(0, -1).trimEnd().slice(-MAX_NAME).split(NO_NAME).at(-1) ?? ''
  return name.length < MAX_NAME ? name : ''
}

/**
 * The element at the start of a text between one `<` and the next, and its end; null when there is none. It moves from
 * quote to quote and never back.
 */
function readElement(text: string): { element: Element; end: number } | null {
  const [start = '', name] = NAME_OF_ELEMENT.exec(text) ?? []
  if (name === undefined) return null
  const marks = /["'>]/g
  const attributes: [string, string][] = []
  let at = start.length
  for (;;) {
    marks.lastIndex = at
    const mark = marks.exec(text)
    if (!mark) return null
    if (mark[0] === '>') {
      const isEmpty = text.slice(at, mark.index).trimEnd().endsWith('/')
      return { element: { name, isClosing: text.startsWith('/'), isEmpty, attributes }, end: mark.index + 1 }
    }
    const close = text.indexOf(mark[0], mark.index + 1)
    if (close < 0) return null
    const attribute = nameBefore(text.slice(at, mark.index))
    if (attribute !== '') attributes.push([attribute, text.slice(mark.index + 1, close)])
    at = close + 1
  }
}

/** Prefix and name of a tag; null for an invalid name and for one that only structures values. */
type Step = { prefix: string; local: string } | null

function stepOf(name: string): Step {
  const [, prefix = '', local = ''] = NAME.exec(name) ?? []
  return prefix === '' || STRUCTURE.has(prefix) ? null : { prefix, local }
}

/** Collects values by group and tag. Names come from the file, so the groups have no prototype that it could change. */
function createCollector() {
  const groups: TagGroups = Object.create(null)
  let remaining = MAX_VALUES
  return {
    groups,
    isFull: () => remaining === 0,
    add(group: string, tag: string, value: string): void {
      if (remaining === 0) return
      remaining -= 1
      const clean = decodeEntities(value).trim()
      if (clean === '') return
      groups[group] ??= Object.create(null) as Record<string, unknown>
      const known = groups[group][tag]
      if (known === undefined) groups[group][tag] = clean
      else if (!Array.isArray(known)) groups[group][tag] = [known, clean]
      else if (known.length < MAX_VALUES_PER_TAG) known.push(clean)
    },
  }
}
