import { Type } from 'typebox'
import { parseText, type TagGroups } from './tag-values.ts'

/** All tags of a file in groups, for display: `{ group: { tag: value } }`. */
export const DisplayGroupsBody = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  { description: 'All tags: `{ group: { tag: value } }`; empty until the photo is processed' },
)
export type DisplayGroups = Type.Static<typeof DisplayGroupsBody>
type Value = string | number | boolean

/** Names of the parser's groups; those of XMP keep theirs. */
const GROUP_NAMES: Record<string, string> = {
  ifd0: 'IFD0',
  exif: 'EXIF',
  gps: 'GPS',
  ifd1: 'IFD1',
  interop: 'Interop',
  ihdr: 'PNG',
  jfif: 'JFIF',
  iptc: 'IPTC',
  icc: 'ICC profile',
}
const MAX_TEXT = 1000
const MAX_LISTED = 50
const MAX_SHOWN_BYTES = 16
/** Characters of all names and values together, as JSON. */
const MAX_SIZE = 200_000

/** Groups of bounded size with JSON values, whatever the file says; tags without a value are omitted. */
export function toDisplayGroups(tags: TagGroups): DisplayGroups {
  const groups: [string, [string, Value][]][] = []
  let remaining = MAX_SIZE
  for (const [key, group] of Object.entries(tags)) {
    const name = GROUP_NAMES[key] ?? (key.startsWith('XMP-') ? parseText(key) : undefined)
    const shown: [string, Value][] = []
    for (const [tag, raw] of Object.entries(group ?? {})) {
      const value = formatValue(tag, raw)
      remaining -= tag.length + JSON.stringify(value ?? '').length + 4
      if (value !== undefined && remaining > 0) shown.push([parseText(tag) ?? '?', value])
    }
    if (name !== undefined && shown.length > 0) groups.push([name, shown])
  }
  return Object.fromEntries(groups.map(([name, shown]) => [name, Object.fromEntries(shown)]))
}

/** Bytes as text where they are ASCII, as EXIF writes versions; few others as numbers, of many only their count. */
function formatBytes(bytes: Uint8Array): string | undefined {
  const ascii = Buffer.from(bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1)).toString('latin1')
  if (/^[\x20-\x7e]+$/.test(ascii)) return parseText(ascii, MAX_TEXT)
  if (bytes.length === 0) return undefined
  return bytes.length <= MAX_SHOWN_BYTES ? bytes.join(' ') : `(${bytes.length} bytes)`
}

/** The XP tags of Windows are UTF-16. */
function formatWindowsText(bytes: Uint8Array): string | undefined {
  return parseText(new TextDecoder('utf-16le').decode(bytes.subarray(0, 2 * MAX_TEXT + 2)), MAX_TEXT)
}

function formatList(list: ArrayLike<unknown>): string | undefined {
  const shown = Array.from({ length: Math.min(list.length, MAX_LISTED) }, (_, index) => formatValue('', list[index]))
  const known = shown.filter((value) => value !== undefined)
  const more = list.length > MAX_LISTED ? [`… (${list.length} values)`] : []
  return known.length > 0 ? parseText([...known, ...more].join(', '), MAX_TEXT) : undefined
}

function formatValue(tag: string, value: unknown): Value | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  if (value instanceof Uint8Array) return tag.startsWith('XP') ? formatWindowsText(value) : formatBytes(value)
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return formatList(value as unknown as ArrayLike<unknown>)
  return parseText(value, MAX_TEXT)
}
