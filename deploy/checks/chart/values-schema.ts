import type { Value } from './values.ts'

type Schema = Record<string, unknown>

/**
 * The JSON Schema of the chart's values: types are those of the defaults, a key that the chart does not know is refused,
 * and a comment's `# @schema {…}` wins. Throws for a value whose type nothing tells.
 */
export function valuesSchema(values: Value[]): Schema {
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
      // What Helm hands to a chart that is part of another.
      global: { type: 'object' },
    },
    additionalProperties: false,
    definitions: { component: componentDefaults },
  }
}

function propertiesOf(values: Value[]): Record<string, Schema> {
  return Object.fromEntries(values.map((value) => [value.key, schemaOf(value)]))
}

function schemaOf(value: Value): Schema {
  const description = value.description || value.note
  return { ...(description && { description }), ...typeOf(value), ...value.schema }
}

function typeOf({ path, default: example, children, schema }: Value): Schema {
  if (children.length > 0) return { type: 'object', properties: propertiesOf(children), additionalProperties: false }
  if (Array.isArray(example)) return arrayOf(example)
  if (example === null && !schema?.type)
    throw new Error(`${path} is null: say what else it may be by # @schema {type: …}`)
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
