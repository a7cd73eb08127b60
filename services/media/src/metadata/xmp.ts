import type { TagGroups } from './values.ts'

/** Comments and instructions, elements with their attributes, and text. Each part ends before the next `<`, so reading is linear. */
const TOKEN = /<[?!][^<>]*>|<(\/?)([^\s<>/"'=]+)((?:"[^"<]*"|'[^'<]*'|[^"'<>])*)>|[^<]+/g
const ATTRIBUTE = /([^\s"'=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const NAME = /^([A-Za-z][\w.-]{0,60}):([A-Za-z][\w.-]{0,60})$/
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** Namespaces that are read by name, under the prefix that is usual for them. */
const USUAL: Record<string, string> = {
  'http://ns.adobe.com/tiff/1.0/': 'tiff',
  'http://ns.adobe.com/exif/1.0/': 'exif',
  'http://cipa.jp/exif/1.0/': 'exifEX',
  'http://www.dji.com/drone-dji/1.0/': 'drone-dji',
}
/** Elements that give the values their structure and are no tags. */
const STRUCTURE = new Set(['rdf', 'x', 'xml', 'xmlns'])
const MAX_DEPTH = 24
const MAX_VALUES = 5000
const MAX_OF_A_TAG = 100

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

function decoded(value: string): string {
  return value.replaceAll(ENTITY, (_all, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? ''
    return character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

function attributesOf(text: string): [string, string][] {
  return Array.from(text.matchAll(ATTRIBUTE), ([, name = '', double, single]) => [name, double ?? single ?? ''])
}

/** Collects values under group and tag. Names are the file's own, so the groups have no prototype to be changed. */
function createTags() {
  const groups: TagGroups = Object.create(null)
  let left = MAX_VALUES
  return {
    groups,
    add(group: string, tag: string, value: string): void {
      const clean = decoded(value).trim()
      if (clean === '' || left === 0) return
      left -= 1
      groups[group] ??= Object.create(null) as Record<string, unknown>
      const known = groups[group][tag]
      if (known === undefined) groups[group][tag] = clean
      else if (!Array.isArray(known)) groups[group][tag] = [known, clean]
      else if (known.length < MAX_OF_A_TAG) known.push(clean)
    },
  }
}

/**
 * The tags of an XMP packet, in groups named `XMP-` and the prefix, as texts or lists of texts; tags within tags are
 * `Outer.inner`. Whatever the packet is, the work is linear in its length and what comes out is bounded.
 */
export function readXmp(packet: string): TagGroups {
  const tags = createTags()
  const prefixes = new Map<string, string>()
  const open: string[] = []

  function addAt(path: string[], value: string): void {
    const names = path.flatMap((name) => {
      const [, prefix = '', local = ''] = NAME.exec(name) ?? []
      return prefix === '' || STRUCTURE.has(prefix) ? [] : [{ prefix, local }]
    })
    const [first] = names
    if (!first) return
    const group = `XMP-${prefixes.get(first.prefix) ?? first.prefix}`
    tags.add(group, names.map(({ local }) => local).join('.'), value)
  }

  function openElement(name: string, attributes: [string, string][]): void {
    for (const [attribute, value] of attributes) {
      const usual = attribute.startsWith('xmlns:') ? USUAL[value] : undefined
      if (usual) prefixes.set(attribute.slice('xmlns:'.length), usual)
    }
    for (const [attribute, value] of attributes) {
      if (attribute === 'rdf:about') tags.add('XMP-rdf', 'about', value)
      else if (!attribute.startsWith('rdf:') && !attribute.startsWith('xml')) addAt([...open, name, attribute], value)
    }
  }

  for (const [token, slash, name, rest = ''] of packet.matchAll(TOKEN)) {
    if (name === undefined) {
      if (!token.startsWith('<') && token.trim() !== '') addAt(open, token)
      continue
    }
    if (slash) {
      if (open.at(-1) === name) open.pop()
      continue
    }
    openElement(name, attributesOf(rest))
    if (!rest.trimEnd().endsWith('/') && open.length < MAX_DEPTH) open.push(name)
  }
  return tags.groups
}
