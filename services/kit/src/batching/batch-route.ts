import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { checkAccess } from '../http/access.ts'
import { errorResponse } from '../http/error-responses.ts'
import { observeOutcome } from '../http/request-log.ts'
import type { App } from '../http/server.ts'
import { continueTrace } from '../telemetry/trace-context.ts'
import {
  BATCH_SIGNATURE_HEADER,
  type BatchedRequest,
  type BatchedResponse,
  batchPath,
  decodeBatch,
  encodeResponses,
  type ResponseHeaders,
  type TracedRequest,
} from './batch-wire.ts'

export interface BatchRoute<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  config: FastifyContextConfig
  schema: { summary: string; params: P; querystring?: Q; body?: B; response: { 200: A } & Record<string, TSchema> }
  /** Returns the response, or throws. */
  handler(request: BatchedRequest<Static<P>, Static<Q>, Static<B>>): Promise<BatchReply<Static<A>>>
}

/**
 * 200 with a body for the schema; or bytes in parts, with their type among the headers. A buffer that several responses
 * of a batch share is sent once.
 */
type BatchReply<Body> =
  | { body: Body; headers?: ResponseHeaders }
  | { status: number; bytes: Buffer[]; headers: ResponseHeaders }

/** Why a request was rejected. */
interface Reason {
  code?: string | undefined
  limit?: string | undefined
}

/** Fastify's type of a schema, or of an object to serialise. */
type Schema = { [key: string]: unknown }

const MAX_BATCH_BYTES = 8 * 1024 * 1024
/** Larger responses are sent on their own, so that the response to a batch stays below 500 times this. */
const MAX_RESPONSE_BYTES = 64 * 1024

/**
 * A route that takes single requests, and batches of them from the gateway: each request of a batch passes the same
 * access rule and validation, reaches the same handler, is measured and logged on its own, and has its own response.
 */
export function batchRoute<P extends TSchema, A extends TSchema, Q extends TSchema, B extends TSchema>(
  app: App,
  keys: string[],
  route: BatchRoute<P, Q, B, A>,
): void {
  const { method, url, config, schema, handler } = route
  app.route({
    method,
    url,
    config,
    schema,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { id, identity, params, query, body, headers } = request
      const response = await handler({ id, identity, params, query, body, headers } as Parameters<typeof handler>[0])
      reply.headers(response.headers ?? {})
      if ('body' in response) return response.body
      return reply.code(response.status).send(response.bytes.length > 0 ? Buffer.concat(response.bytes) : undefined)
    },
  })
  app.register(async (inner) => {
    inner.removeAllContentTypeParsers()
    inner.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, batch, done) => done(null, batch))
    inner.route({
      method: 'POST',
      url: batchPath(method, url),
      config: { access: 'public', quiet: true },
      schema: { hide: true },
      bodyLimit: MAX_BATCH_BYTES,
      handler: (request, reply) => handleBatch(request, reply, route, keys),
    })
  })
}

async function handleBatch<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  request: FastifyRequest,
  reply: FastifyReply,
  route: BatchRoute<P, Q, B, A>,
  keys: string[],
): Promise<Buffer> {
  const { method, url, config, schema, handler } = route
  const { repeatedLines } = request.server
  const items = decodeBatch(
    batchPath(method, url),
    request.body as string,
    request.headers[BATCH_SIGNATURE_HEADER],
    keys,
  )
  const parts = (['params', 'querystring', 'body'] as const).flatMap((part) => {
    const valid = schema[part] && request.compileValidationSchema(schema[part] as unknown as Schema, part)
    return valid ? [{ valid, of: part === 'querystring' ? ('query' as const) : part }] : []
  })
  const serialize = reply.compileSerializationSchema(schema.response[200] as unknown as Schema)
  const started = performance.now()

  // Neither is async: on the vote path each promise costs time.
  function perform(item: BatchedRequest): Promise<BatchedResponse<Buffer[]>> {
    checkAccess(config.access, item)
    for (const { valid, of } of parts) if (!valid(item[of])) throw invalid(valid.errors)
    return handler(item as Parameters<typeof handler>[0]).then(encode)
  }

  function encode(response: BatchReply<Static<A>>): BatchedResponse<Buffer[]> {
    if (!('body' in response)) return [response.status, response.bytes, response.headers]
    const text = serialize(response.body as Schema)
    return response.headers ? [200, text, response.headers] : [200, text]
  }

  function respond(item: TracedRequest): Promise<BatchedResponse<Buffer[]> | null> {
    try {
      const { trace } = item
      const performed = trace ? continueTrace(trace, `${method} ${url}`, async () => perform(item)) : perform(item)
      return performed.then(
        (result) => finish(item, result),
        (error) => fail(item, error),
      )
    } catch (error) {
      return Promise.resolve(fail(item, error))
    }
  }

  const logOf = (item: TracedRequest) => () => request.log.child({ requestId: item.id })

  function fail(item: TracedRequest, error: unknown): BatchedResponse<Buffer[]> | null {
    const { status, body, headers, ...reason } = errorResponse(error, { route: url, log: logOf(item), repeatedLines })
    return finish(item, [status, JSON.stringify(body), headers], reason)
  }

  function finish(item: TracedRequest, result: BatchedResponse<Buffer[]>, { code, limit }: Reason = {}) {
    if (method === 'GET' && sizeOf(result) > MAX_RESPONSE_BYTES) return null
    const ms = performance.now() - started
    const { address } = item.identity
    const outcome = { method, route: url, status: result[0], ms, code, limit, address }
    observeOutcome(outcome, config.quiet === true, logOf(item), repeatedLines)
    return result
  }

  reply.type('application/octet-stream')
  return encodeResponses(await Promise.all(items.map(respond)))
}

function sizeOf([, body]: BatchedResponse<Buffer[]>): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, part) => sum + part.length, 0)
}

/** The error that Fastify throws for input that does not match a schema. */
function invalid(validation: unknown): Error {
  return Object.assign(new Error('invalid'), { validation, statusCode: 400 })
}
