import { isMap, isScalar, LineCounter, type Pair, parse, parseDocument } from 'yaml'

/** One value of the chart's values.yaml, with the comment above it. */
export interface ChartValue {
  /** Dotted path from the root. */
  path: string
  key: string
  /** Default value. */
  default: unknown
  /** The comment that starts with `# --`, in one line. */
  description: string
  /** Another comment, which introduces a section. */
  note: string
  /** The JSON Schema of the line `# @schema {…}` in the comment. */
  schema: Record<string, unknown> | undefined
  /** Nested values, if it is a map with keys of the chart's own. */
  children: ChartValue[]
}

/** Defined by Kubernetes: the chart passes these values on unchanged. */
const KUBERNETES_KEYS = new Set([
  'resources',
  'strategy',
  'securityContext',
  'podSecurityContext',
  'startup',
  'liveness',
  'readiness',
])

/** Parses a values.yaml. @throws when a comment's schema is not YAML */
export function readValues(text: string): ChartValue[] {
  const lines = text.split('\n')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { version: '1.1', lineCounter })
  if (!isMap(document.contents)) throw new Error('values.yaml is not a map')

  const read = (pair: Pair, parent: string): ChartValue => {
    const { key: node, value } = pair
    if (!isScalar(node) || !node.range) throw new Error(`A key below "${parent}" is not a string`)
    const key = String(node.value)
    const path = parent ? `${parent}.${key}` : key
    const own = isMap(value) && value.items.length > 0 && !KUBERNETES_KEYS.has(key)
    return {
      path,
      key,
      default: isScalar(value) ? value.value : (value as { toJSON(): unknown }).toJSON(),
      ...readComment(commentAbove(lines, lineCounter.linePos(node.range[0]).line)),
      children: own ? value.items.map((item) => read(item as Pair, path)) : [],
    }
  }
  return document.contents.items.map((pair) => read(pair as Pair, ''))
}

/** Returns the comment lines directly above a line (1-based). */
function commentAbove(lines: string[], line: number): string[] {
  const comment: string[] = []
  for (let index = line - 2; lines[index]?.trimStart().startsWith('#'); index--) {
    comment.unshift((lines[index] ?? '').trimStart().replace(/^# ?/, ''))
  }
  return comment
}

function readComment(lines: string[]): Pick<ChartValue, 'description' | 'note' | 'schema'> {
  const schema = lines.find((line) => line.startsWith('@schema '))
  const text = lines.filter((line) => !line.startsWith('@schema ')).join(' ')
  const described = text.startsWith('-- ')
  return {
    description: described ? text.slice(3) : '',
    note: described ? '' : text,
    schema: schema && parse(schema.slice('@schema '.length)),
  }
}
