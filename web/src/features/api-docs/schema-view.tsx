import type { OpenApiDocument, Schema } from '../../api/open-api.ts'
import { Line } from './prose.tsx'
import { limitsOf, propertiesOf, typeOf } from './schemas.ts'

/** Deeper objects are only named. */
const MAX_DEPTH = 4

interface SchemaViewProps {
  schema: Schema
  document: OpenApiDocument
  depth?: number
}

/** The properties of a body, each with its type, limits and meaning; those of objects inside are indented. */
export function SchemaView({ schema, document, depth = 0 }: SchemaViewProps) {
  const properties = propertiesOf(schema, document)
  if (properties.length === 0 || depth === MAX_DEPTH) return null
  return (
    <ul className="grid gap-2 border-l border-line pl-3">
      {properties.map(({ name, schema, required }) => (
        <li key={name} className="grid gap-1">
          <Fact name={name} required={required} schema={schema} document={document} />
          <SchemaView schema={schema} document={document} depth={depth + 1} />
        </li>
      ))}
    </ul>
  )
}

interface FactProps {
  name: string
  /** Where a parameter is: 'path', 'query', 'header'. */
  place?: string
  required: boolean
  schema: Schema
  document: OpenApiDocument
  description?: string
}

/** One parameter or property. */
export function Fact({ name, place, required, schema, document, description = schema.description }: FactProps) {
  const limits = limitsOf(schema, document)
  return (
    <p className="text-sm wrap-anywhere">
      <code className="font-mono font-semibold">{name}</code>{' '}
      <span className="text-muted">
        {place && `${place}, `}
        {typeOf(schema, document)}
        {limits && `, ${limits}`}
        {required && ', required'}
      </span>
      {description && (
        <span className="block text-pretty text-muted">
          <Line text={description} />
        </span>
      )}
    </p>
  )
}
