import { AjvCompiler, type ValidatorFactory } from '@fastify/ajv-compiler'
import type { FastifySchemaValidationError } from 'fastify'
import { type TSchema, Type } from 'typebox'

/** The schema of a value that may be null. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

const OPTIONS = {
  // Forms show all problems at once; bodies are small, so the cost is bounded.
  allErrors: true,
  // Problems carry the schema that they violate, which has the sentence for the user (`x-message`).
  verbose: true,
  keywords: ['x-message'],
  // Where a schema lists all fields, an unknown one is an error of the client and is reported.
  removeAdditional: false,
}

/** The only spelling of a whole number in a URL. Ajv alone would also read 1e1, 0x10, 01, +1, 1.0 and ' 1'. */
const WHOLE_NUMBER = /^(?:0|-?[1-9]\d*)$/

interface Schema {
  type?: unknown
  properties?: Record<string, Schema>
}

/** Ajv runs with `verbose`. */
type Problem = FastifySchemaValidationError & { parentSchema: Schema }

/** A compiled schema. */
interface Validate {
  (data: unknown): unknown
  errors?: unknown[] | null | undefined
}

/**
 * Validators by part of the request: values in URLs and headers are coerced to the types of the schema, whole numbers from
 * decimal digits only; JSON bodies must have the right types already (otherwise null would become '').
 */
export function validatorFactory(): ValidatorFactory {
  const compiler = AjvCompiler()
  return ((schemas: Parameters<typeof compiler>[0]) => {
    const exact = compiler(schemas, { customOptions: { ...OPTIONS, coerceTypes: false } })
    const coerced = compiler(schemas, { customOptions: { ...OPTIONS, coerceTypes: 'array' } })
    return (route: { httpPart: string; schema: Schema }) =>
      route.httpPart === 'body'
        ? exact(route as never)
        : withWholeNumbers(route.schema, coerced(route as never) as unknown as Validate)
  }) as unknown as ValidatorFactory
}

/** Adds the spelling of whole numbers to a validator. */
function withWholeNumbers({ properties = {} }: Schema, validate: Validate): Validate {
  const integers = Object.entries(properties).filter(([, { type }]) => type === 'integer')
  if (integers.length === 0) return validate

  const check: Validate = (data) => {
    let problems: Problem[] | undefined
    for (const [name, schema] of integers) {
      const text = (data as Record<string, unknown>)[name]
      if (typeof text !== 'string' || WHOLE_NUMBER.test(text)) continue
      problems = [...(problems ?? []), misspelt(name, schema)]
    }
    const isValid = validate(data)
    check.errors = problems ? [...problems, ...(validate.errors ?? [])] : validate.errors
    return isValid && !problems
  }
  return check
}

function misspelt(name: string, parentSchema: Schema): Problem {
  const path = { instancePath: `/${name}`, schemaPath: `#/properties/${name}/type` }
  return { keyword: 'type', ...path, params: { type: 'integer' }, message: 'must be decimal digits', parentSchema }
}

/** Control characters, those that change the direction of the text around them, and those of no width or of a new line. */
export const UNPRINTABLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu
/** A text without a visible character: spaces, joiners, fillers. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u

/** A text as one displayable line: line breaks become spaces; empty when nothing in it is visible. */
export function oneLine(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(UNPRINTABLE, '')
    .trim()
    .toWellFormed()
  return INVISIBLE.test(line) ? '' : line
}

/** A date as the camera's clock showed it. For visitors from whom places are hidden: a zone tells about them. */
export function withoutZone(date: string): string {
  return date.replace(/(?:Z|[+-]\d\d:?\d\d)$/, '')
}
