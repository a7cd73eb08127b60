import { isMap, isScalar, LineCounter, type Pair, parse, parseDocument } from 'yaml'

/** One value of the chart's values.yaml, with what the comment above it says. */
export interface Value {
  /** Its key, in dots from the top. */
  path: string
  key: string
  /** What it is by default. */
  default: unknown
  /** The comment that begins with `# --`, in one line. */
  description: string
  /** Another comment, which introduces a section. */
  note: string
  /** The JSON Schema of the comment's line `# @schema {…}`. */
  schema: Record<string, unknown> | undefined
  /** The values in it, where it is a map whose keys are the chart's own. */
  children: Value[]
}

/** What Kubernetes defines: the chart passes it on, whatever is in it. */
const KUBERNETES = new Set([
  'resources',
  'strategy',
  'securityContext',
  'podSecurityContext',
  'startup',
  'liveness',
  'readiness',
])

/** Reads a values.yaml. Throws where a comment's schema is no YAML. */
export function readValues(text: string): Value[] {
  const lines = text.split('\n')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { version: '1.1', lineCounter })
  if (!isMap(document.contents)) throw new Error('values.yaml is no map')

  const read = (pair: Pair, parent: string): Value => {
    const { key: node, value } = pair
    if (!isScalar(node) || !node.range) throw new Error(`A key below "${parent}" is no text`)
    const key = String(node.value)
    const path = parent ? `${parent}.${key}` : key
    const own = isMap(value) && value.items.length > 0 && !KUBERNETES.has(key)
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

/** The lines of the comment that ends above a line, which is counted from 1. */
function commentAbove(lines: string[], line: number): string[] {
  const comment: string[] = []
  for (let index = line - 2; lines[index]?.trimStart().startsWith('#'); index--) {
    comment.unshift((lines[index] ?? '').trimStart().replace(/^# ?/, ''))
  }
  return comment
}

function readComment(lines: string[]): Pick<Value, 'description' | 'note' | 'schema'> {
  const schema = lines.find((line) => line.startsWith('@schema '))
  const text = lines.filter((line) => !line.startsWith('@schema ')).join(' ')
  const described = text.startsWith('-- ')
  return {
    description: described ? text.slice(3) : '',
    note: described ? '' : text,
    schema: schema && parse(schema.slice('@schema '.length)),
  }
}
