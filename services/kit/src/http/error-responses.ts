import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { errorChain, isStatementTimeout } from '../postgres/database.ts'
import type { LineLogger, RepeatedLines } from '../process/repeated-lines.ts'
import { isStorageFull } from '../process/storage-full.ts'
import { isUnavailable } from '../process/unavailable.ts'
import {
  AppError,
  badRequest,
  insufficientStorage,
  invalidFields,
  payloadTooLarge,
  unavailable,
  unsupportedMediaType,
} from './errors.ts'

type Sentences = string | Record<string, string> | undefined
type Schema = Record<string, unknown> & { properties?: Record<string, Schema> }
/** Ajv runs with `verbose`, so each problem carries the schema that it violates. */
type Problem = FastifySchemaValidationError & { parentSchema?: Schema }

function sentenceOf(schema: Schema | undefined, keyword: string): string | undefined {
  const own = schema?.['x-message'] as Sentences
  return typeof own === 'object' ? own[keyword] : own
}

function nameOf(problem: Problem): string {
  const path = problem.instancePath.slice(1).split('/').filter(Boolean)
  if (problem.keyword === 'required') path.push(String(problem.params.missingProperty))
  if (problem.keyword === 'additionalProperties') path.push(String(problem.params.additionalProperty))
  return path.join('.')
}

function schemaSentence(problem: Problem): string | undefined {
  if (problem.keyword !== 'required') return sentenceOf(problem.parentSchema, problem.keyword)
  const missing = problem.parentSchema?.properties?.[String(problem.params.missingProperty)]
  return sentenceOf(missing, 'required')
}

const SENTENCES: Record<string, string> = {
  required: 'This field is required.',
  additionalProperties: 'There is no such field.',
}

/** A 400 with one sentence for each field: the schema's `x-message` where it has one. */
function fromValidation(problems: Problem[]): AppError {
  const worded: Record<string, string> = {}
  const fields: Record<string, string> = {}
  for (const problem of problems) {
    const name = nameOf(problem)
    const own = schemaSentence(problem)
    if (own) worded[name] ??= own
    fields[name] ??= SENTENCES[problem.keyword] ?? 'This value is not valid.'
  }
  const message = Object.values(worded)[0] ?? 'Some fields are missing or not valid.'
  return invalidFields({ ...fields, ...worded }, message)
}

/** Errors of Fastify and its plugins. Their own messages may contain internals, so they are replaced. */
function fromStatus(status: number): AppError | undefined {
  if (status === 413) return payloadTooLarge()
  if (status === 415) return unsupportedMediaType('This type of content is not accepted here.')
  if (status >= 400 && status < 500) return new AppError(status, 'bad_request', 'The request is not valid.')
  return undefined
}

const BROKEN_JSON = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY'])

function isBrokenJson(error: FastifyError): boolean {
  return BROKEN_JSON.has(error.code) || (error instanceof SyntaxError && error.statusCode === 400)
}

/** Converts whatever was thrown. Only the message of an AppError reaches the user. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const error = thrown as FastifyError
  if (error?.validation) return fromValidation(error.validation as Problem[])
  if (thrown instanceof Error && isBrokenJson(error)) return badRequest('The request body is not valid JSON.')
  if (isStorageFull(thrown)) return insufficientStorage()
  if (isUnavailable(thrown) || isStatementTimeout(thrown)) return unavailable()
  const rejection = typeof error?.statusCode === 'number' ? fromStatus(error.statusCode) : undefined
  return rejection ?? new AppError(500, 'internal', 'Something went wrong. Please try again.')
}

/** Where the response to an error is sent. */
export interface FailedRequest {
  /** The pattern of the route. */
  route: string
  log: () => LineLogger
  repeatedLines: RepeatedLines
}

/** The response to whatever was thrown; logs what the operator should know. */
export function errorResponse(thrown: unknown, request: FailedRequest) {
  const error = toAppError(thrown)
  const { status, code, limit, retryAfter } = error
  if (status > 500 && !limit) logOutage(thrown, status, request)
  else if (status === 500) request.log().error({ err: thrown }, 'request failed')
  else if (error.cause) request.log().info({ err: thrown }, 'request rejected')
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }
  return { status, code, limit, headers, body: error.toBody() }
}

/** While a server is unavailable, every request that needs it fails in the same way. */
function logOutage(thrown: unknown, status: number, { route, log, repeatedLines }: FailedRequest): void {
  const { code, name } = errorChain(thrown).at(-1) ?? {}
  const kind = `failed ${status} ${route} ${code ?? name}`
  repeatedLines.log({ kind, level: 'error', fields: { err: thrown, route }, message: 'request failed' }, log)
}
