import { AjvCompiler, type ValidatorFactory } from '@fastify/ajv-compiler'

const OPTIONS = {
  // Forms show all problems at once; bodies are small, so the cost is bounded.
  allErrors: true,
  // Problems bring the schema that they offend, where the sentence for the user stands (`x-message`).
  verbose: true,
  keywords: ['x-message'],
  // Where a schema names all fields, another one is a mistake that the sender should hear of.
  removeAdditional: false,
}

/**
 * Validators by part of the request: the texts of URLs and headers are turned into the types that a schema asks
 * for, but a JSON body has types of its own and must have the right ones (else null would become '').
 */
export function validatorFactory(): ValidatorFactory {
  const compiler = AjvCompiler()
  return ((schemas: Parameters<typeof compiler>[0]) => {
    const exact = compiler(schemas, { customOptions: { ...OPTIONS, coerceTypes: false } })
    const coerced = compiler(schemas, { customOptions: { ...OPTIONS, coerceTypes: 'array' } })
    return (route: { httpPart: string }) => (route.httpPart === 'body' ? exact : coerced)(route as never)
  }) as unknown as ValidatorFactory
}
