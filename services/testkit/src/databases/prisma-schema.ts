// A reader of schema.prisma, as far as comparing it with a database needs. Prisma's own requires a native engine.

export interface Column {
  name: string
  /** As PostgreSQL's format_type writes it. */
  type: string
  nullable: boolean
  /** Whether the database fills it when an insert leaves it out. */
  hasDefault: boolean
}

export interface Table {
  name: string
  columns: Column[]
  primaryKey: string[]
  /** Column lists, each joined with commas. */
  uniques: string[]
  indexes: string[]
}

const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Float: 'double precision',
  Decimal: 'numeric(65,30)',
  DateTime: 'timestamp(3) without time zone',
  Json: 'jsonb',
  Bytes: 'bytea',
}

/** The tables that a Prisma schema describes. */
export function readPrismaSchema(text: string): Table[] {
  const blocks = [...text.matchAll(/^(model|enum)\s+(\w+)\s*\{\n([\s\S]*?)^\}/gm)].map(
    ([, kind = '', name = '', body = '']) => ({ kind, name, body }),
  )
  const enums = blocks.filter((block) => block.kind === 'enum').map((block) => block.name)
  return blocks.filter((block) => block.kind === 'model').map((block) => readModel(block.name, block.body, enums))
}

function readModel(name: string, body: string, enums: string[]): Table {
  const lines = body
    .split('\n')
    .map((line) => line.replace(/\/\/.*/, '').trim())
    .filter(Boolean)
  const table: Table = { name, columns: [], primaryKey: [], uniques: [], indexes: [] }
  const columnOf = new Map<string, string>()
  for (const line of lines.filter((candidate) => !candidate.startsWith('@@'))) {
    const [, field = '', type = '', mark = '', attributes = ''] = line.match(/^(\w+)\s+(\w+)(\[\]|\?)?\s*(.*)$/) ?? []
    // What is neither a scalar nor an enum is a relation, which has no column.
    if (!TYPES[type] && !enums.includes(type)) continue
    const column = attributes.match(/@map\("([^"]+)"\)/)?.[1] ?? field
    columnOf.set(field, column)
    table.columns.push({
      name: column,
      type: (nativeType(attributes) ?? TYPES[type] ?? type) + (mark === '[]' ? '[]' : ''),
      nullable: mark === '?',
      hasDefault: /@default\((?!uuid|cuid|ulid|nanoid)/.test(attributes),
    })
    if (/@id\b/.test(attributes)) table.primaryKey.push(column)
    if (/@unique\b/.test(attributes)) table.uniques.push(column)
  }
  for (const line of lines.filter((candidate) => candidate.startsWith('@@'))) readTableAttribute(table, line, columnOf)
  return table
}

function readTableAttribute(table: Table, line: string, columnOf: Map<string, string>): void {
  const mapped = line.match(/^@@map\("([^"]+)"\)/)?.[1]
  if (mapped) table.name = mapped
  const [, kind, list = ''] = line.match(/^@@(id|unique|index)\((?:fields:\s*)?\[(.*?)\](?=[,)])/) ?? []
  const columns = list.split(',').map((entry) => {
    const field = entry.trim().replace(/\(.*/, '')
    return columnOf.get(field) ?? field
  })
  if (kind === 'id') table.primaryKey = columns
  if (kind === 'unique') table.uniques.push(columns.join(','))
  if (kind === 'index') table.indexes.push(columns.join(','))
}

function nativeType(attributes: string): string | undefined {
  const [, name = '', raw = ''] = attributes.match(/@db\.(\w+)(?:\(([^)]*)\))?/) ?? []
  const size = raw.replaceAll(' ', '')
  const sized = size && `(${size})`
  switch (name) {
    case '':
      return undefined
    case 'Timestamptz':
    case 'Timestamp': {
      // Six digits are PostgreSQL's default, which format_type leaves out.
      const precision = size === '6' ? '' : sized || '(3)'
      return `timestamp${precision} with${name === 'Timestamptz' ? '' : 'out'} time zone`
    }
    case 'VarChar':
      return `character varying${sized}`
    case 'Decimal':
      return `numeric${sized}`
    case 'DoublePrecision':
      return 'double precision'
    case 'JsonB':
      return 'jsonb'
    default:
      return `${name.toLowerCase()}${sized}`
  }
}
