import { AjvCompiler, type ValidatorFactory } from '@fastify/ajv-compiler'

const OPTIONS = {
  // Forms show all problems at once; bodies are small, so the cost is bounded.
  allErrors: true,
  // Problems carry the schema that they violate, which has the sentence for the user (`x-message`).
  verbose: true,
  keywords: ['x-message'],
  // Where a schema lists all fields, an unknown one is an error of the client and is reported.
  removeAdditional: false,
}

/**
 * Validators by part of the request: values in URLs and headers are coerced to the types of the schema; JSON bodies
 * must have the right types already (otherwise null would become '').
 */
export function validatorFactory(): ValidatorFactory {
  const compiler = AjvCompiler()
  return ((schemas: Parameters<typeof compiler>[0]) => {
    const exact = compiler(schemas, { customOptions: { ...OPTIONS, coerceTypes: false } })
    const coerced = compiler(schemas, { customOptions: { ...OPTIONS, coerceTypes: 'array' } })
    return (route: { httpPart: string }) => (route.httpPart === 'body' ? exact : coerced)(route as never)
  }) as unknown as ValidatorFactory
}
