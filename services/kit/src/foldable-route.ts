import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { checkAccess } from './access.ts'
import { answerTo } from './error-answers.ts'
import { FOLD_HEADER, type FoldAnswer, type FoldItem, foldPath, readFold } from './fold-wire.ts'
import { observeOutcome } from './request-log.ts'
import type { App } from './server.ts'
import { continueTrace } from './trace-context.ts'

export interface FoldableRoute<Params extends TSchema, Body extends TSchema, Answer extends TSchema> {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  config: FastifyContextConfig
  schema: { summary: string; params: Params; body: Body; response: { 200: Answer } & Record<string, TSchema> }
  /** Answers with 200, or throws. */
  handler(request: FoldItem<Static<Params>, Static<Body>>): Promise<FoldedReply<Static<Answer>>>
}

interface FoldedReply<Answer> {
  body: Answer
  headers?: Record<string, string>
}

/** What Fastify calls a schema, or an object to serialise. */
type Schema = { [key: string]: unknown }

const MAX_FOLD_BYTES = 8 * 1024 * 1024

/**
 * A route that takes requests one by one, as any other, and many in one fold from the gateway: each of them passes the
 * same access rule and validation, reaches the same handler, is measured and logged by itself, and has its own answer.
 */
export function foldableRoute<P extends TSchema, B extends TSchema, A extends TSchema>(
  app: App,
  keys: string[],
  route: FoldableRoute<P, B, A>,
): void {
  const { method, url, config, schema, handler } = route
  app.route({
    method,
    url,
    config,
    schema,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { id, identity, headers } = request
      const item = { id, identity, params: request.params as Static<P>, body: request.body as Static<B> }
      const answer = await handler({ ...item, cookie: headers.cookie })
      reply.headers(answer.headers ?? {})
      return answer.body
    },
  })
  app.register(async (inner) => {
    inner.removeAllContentTypeParsers()
    inner.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, fold, done) => done(null, fold))
    inner.route({
      method,
      url: foldPath(url),
      config: { access: 'public', quiet: true },
      schema: { hide: true },
      bodyLimit: MAX_FOLD_BYTES,
      handler: (request, reply) => answerFold(request, reply, route, keys),
    })
  })
}

async function answerFold<P extends TSchema, B extends TSchema, A extends TSchema>(
  request: FastifyRequest,
  reply: FastifyReply,
  route: FoldableRoute<P, B, A>,
  keys: string[],
): Promise<string> {
  const { method, url, config, schema, handler } = route
  const items = readFold(foldPath(url), request.body as string, request.headers[FOLD_HEADER], keys)
  const validParams = request.compileValidationSchema(schema.params as unknown as Schema, 'params')
  const validBody = request.compileValidationSchema(schema.body as unknown as Schema, 'body')
  const serialize = reply.compileSerializationSchema(schema.response[200] as unknown as Schema)
  const started = performance.now()

  async function perform(item: FoldItem): Promise<FoldAnswer> {
    checkAccess(config.access, item)
    if (!validParams(item.params)) throw invalid(validParams.errors)
    if (!validBody(item.body)) throw invalid(validBody.errors)
    const { body, headers } = await handler(item as FoldItem<Static<P>, Static<B>>)
    const text = serialize(body as Schema)
    return headers ? [200, text, headers] : [200, text]
  }

  async function answer({ trace, ...item }: ReturnType<typeof readFold>[number]): Promise<FoldAnswer> {
    const log = () => request.log.child({ requestId: item.id })
    let code: string | undefined
    let result: FoldAnswer
    try {
      result = await (trace ? continueTrace(trace, `${method} ${url}`, () => perform(item)) : perform(item))
    } catch (error) {
      const refusal = answerTo(error, log())
      code = refusal.code
      result = [refusal.status, JSON.stringify(refusal.body), refusal.headers]
    }
    const ms = performance.now() - started
    observeOutcome({ method, route: url, status: result[0], ms, code }, config.quiet === true, log)
    return result
  }

  reply.type('application/json')
  return JSON.stringify(await Promise.all(items.map(answer)))
}

/** As the framework words what a schema refuses. */
function invalid(validation: unknown): Error {
  return Object.assign(new Error('invalid'), { validation, statusCode: 400 })
}
