import type { FastifyBaseLogger, FastifyError, FastifySchemaValidationError } from 'fastify'
import { isStatementTimeout } from '../postgres/database.ts'
import { isUnavailable } from '../process/unavailable.ts'
import { AppError, badRequest, invalidFields, payloadTooLarge, unavailable, unsupportedMediaType } from './errors.ts'

type Sentences = string | Record<string, string> | undefined
type Schema = Record<string, unknown> & { properties?: Record<string, Schema> }
/** Ajv runs with `verbose`, so each problem brings the schema that it offends. */
type Problem = FastifySchemaValidationError & { parentSchema?: Schema }

function sentence(schema: Schema | undefined, keyword: string): string | undefined {
  const own = schema?.['x-message'] as Sentences
  return typeof own === 'object' ? own[keyword] : own
}

function nameOf(problem: Problem): string {
  const path = problem.instancePath.slice(1).split('/').filter(Boolean)
  if (problem.keyword === 'required') path.push(String(problem.params.missingProperty))
  if (problem.keyword === 'additionalProperties') path.push(String(problem.params.additionalProperty))
  return path.join('.')
}

function ownSentence(problem: Problem): string | undefined {
  if (problem.keyword !== 'required') return sentence(problem.parentSchema, problem.keyword)
  const missing = problem.parentSchema?.properties?.[String(problem.params.missingProperty)]
  return sentence(missing, 'required')
}

const SENTENCES: Record<string, string> = {
  required: 'This field is required.',
  additionalProperties: 'There is no such field.',
}

/** A refusal with one sentence for each field: the schema's `x-message` where it has one. */
function fromValidation(problems: Problem[]): AppError {
  const worded: Record<string, string> = {}
  const fields: Record<string, string> = {}
  for (const problem of problems) {
    const name = nameOf(problem)
    const own = ownSentence(problem)
    if (own) worded[name] ??= own
    fields[name] ??= SENTENCES[problem.keyword] ?? 'This value is not valid.'
  }
  const message = Object.values(worded)[0] ?? 'Some fields are missing or not valid.'
  return invalidFields({ ...fields, ...worded }, message)
}

/** What the framework or a plugin refuses. Its own message may carry internals, so it is worded anew. */
function fromStatus(status: number): AppError | undefined {
  if (status === 413) return payloadTooLarge('The request is too large.')
  if (status === 415) return unsupportedMediaType('This type of content is not accepted here.')
  if (status >= 400 && status < 500) return new AppError(status, 'bad_request', 'The request is not valid.')
  return undefined
}

const BROKEN_JSON = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY'])

function isBrokenJson(error: FastifyError): boolean {
  return BROKEN_JSON.has(error.code) || (error instanceof SyntaxError && error.statusCode === 400)
}

/** Whatever was thrown, as the answer to give. Only an AppError's own words reach the user. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const error = thrown as FastifyError
  if (error?.validation) return fromValidation(error.validation as Problem[])
  if (thrown instanceof Error && isBrokenJson(error)) return badRequest('The request body is not valid JSON.')
  if (isUnavailable(thrown) || isStatementTimeout(thrown)) return unavailable()
  const refused = typeof error?.statusCode === 'number' ? fromStatus(error.statusCode) : undefined
  return refused ?? new AppError(500, 'internal', 'Something went wrong. Please try again.')
}

/** The response to whatever was thrown; what the operator should know is logged. */
export function errorResponse(thrown: unknown, log: Pick<FastifyBaseLogger, 'error' | 'info'>) {
  const error = toAppError(thrown)
  if (error.status >= 500) log.error({ err: thrown }, 'request failed')
  else if (error.cause) log.info({ err: thrown }, 'request rejected')
  const { status, code, retryAfter } = error
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }
  return { status, code, headers, body: error.toBody() }
}
