import type { ChartValue } from './values.ts'

type Schema = Record<string, unknown>

/**
 * Builds the JSON Schema of the chart's values: types come from the defaults, unknown keys are rejected, and a comment's
 * `# @schema {…}` takes precedence. @throws for a value without a known type
 */
export function valuesSchema(values: ChartValue[]): Schema {
  const properties = propertiesOf(values)
  const { componentDefaults } = properties
  if (!componentDefaults) throw new Error('values.yaml has no componentDefaults')
  const component = { $ref: '#/definitions/component' }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Skyfolio chart',
    type: 'object',
    properties: {
      ...properties,
      componentDefaults: component,
      components: { ...properties.components, properties: undefined, additionalProperties: component },
      // Helm passes this to subcharts.
      global: { type: 'object' },
    },
    additionalProperties: false,
    definitions: { component: componentDefaults },
  }
}

function propertiesOf(values: ChartValue[]): Record<string, Schema> {
  return Object.fromEntries(values.map((value) => [value.key, schemaOf(value)]))
}

function schemaOf(value: ChartValue): Schema {
  const description = value.description || value.note
  return { ...(description && { description }), ...typeOf(value), ...value.schema }
}

function typeOf({ path, default: example, children, schema }: ChartValue): Schema {
  if (children.length > 0) return { type: 'object', properties: propertiesOf(children), additionalProperties: false }
  if (Array.isArray(example)) return arrayOf(example)
  if (example === null && !schema?.type) throw new Error(`${path} is null: add its type with # @schema {type: …}`)
  if (example === null) return {}
  if (schema?.enum) return {}
  if (typeof example === 'number') return { type: Number.isInteger(example) ? 'integer' : 'number' }
  return { type: typeof example }
}

function arrayOf(examples: unknown[]): Schema {
  const [first] = examples
  if (typeof first !== 'string' && typeof first !== 'number') return { type: 'array' }
  return { type: 'array', items: { type: typeof first === 'number' ? 'integer' : 'string' } }
}
