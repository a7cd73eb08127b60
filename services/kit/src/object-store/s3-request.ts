import { type ClientRequest, type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { XMLParser } from 'fast-xml-parser'
import { sendBody } from './part-body.ts'
import { type S3Credentials, type S3Request, type S3Target, signPath } from './s3-sign.ts'
import type { boundedTransport } from './s3-transport.ts'

/** Between the signature and its arrival: a request may wait for a connection. */
const SIGNATURE_SECONDS = 300

const parser = new XMLParser({
  ignoreDeclaration: true,
  parseTagValue: false,
  processEntities: false,
  isArray: (name) => name === 'Part',
})

/** The elements of a response, as far as they are read. */
export interface S3Document {
  InitiateMultipartUploadResult?: { UploadId?: string }
  ListPartsResult?: { IsTruncated?: string; Part?: S3Part[] }
  AssumeRoleResponse?: { AssumeRoleResult?: { Credentials?: Record<string, string> } }
  ErrorResponse?: { Error?: S3Problem }
  Error?: S3Problem
}

export interface S3Part {
  PartNumber?: string
  Size?: string
  ETag?: string
  ChecksumSHA256?: string
}

interface S3Problem {
  Code?: string
  Message?: string
}

export interface S3Response {
  headers: IncomingHttpHeaders
  content: string
  document: S3Document
}

/** Amazon sends them with 200 or 400 as well: with a completion that took long, or a request that it waited for in vain. */
const RETRYABLE_CODES = ['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted']

/** The server rejected a request, or failed. */
export class S3Error extends Error {
  override name = 'S3Error'
  readonly status: number
  readonly code: string

  constructor(status: number, { Code = '', Message = '' }: S3Problem = {}) {
    // The store says what is missing; a proxy in front of it does not.
    const isOfProxy = status === 404 && Code === ''
    // `isUnavailable` recognises these words, which are those of the S3 client.
    const isRetryable =
      isOfProxy ||
      [408, 429, 499].includes(status) ||
      (status >= 500 && status !== 501) ||
      RETRYABLE_CODES.includes(Code)
    super(`${isRetryable ? 'Retryable ' : ''}HTTP status ${status}: ${Code} ${Message}`.slice(0, 500))
    this.status = status
    this.code = Code
  }
}

/** The signal ends it while the body is sent. */
export type S3Send = (request: S3Request, body?: Buffer | IncomingMessage, signal?: AbortSignal) => Promise<S3Response>

export interface S3Requests {
  send: S3Send
  /** Resolves with the response as soon as it begins: the caller reads its body. @throws S3Error */
  open(request: S3Request): Promise<IncomingMessage>
}

/** Signed requests. What `minio` does for each is too expensive: it signs by hashing, and knows no parts of others. */
export function s3Requests(
  target: S3Target,
  credentials: S3Credentials,
  { transport, transportAgent }: ReturnType<typeof boundedTransport>,
): S3Requests {
  const { hostname, port, host, protocol } = target.endpoint
  const begin = (request: S3Request) =>
    transport.request({
      protocol,
      hostname,
      port,
      agent: transportAgent,
      method: request.method,
      path: signPath(target, credentials, request, SIGNATURE_SECONDS),
      headers: { ...request.headers, host },
    })
  return {
    send: async (request, body, signal) => exchange(begin(request), body, signal),
    async open(request) {
      const outgoing = begin(request)
      const responding = responseOf(outgoing)
      outgoing.end()
      const response = await responding
      if (isError(response)) await read(response)
      return response
    },
  }
}

function responseOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  outgoing.once('response', resolve).on('error', reject)
  return promise
}

export async function exchange(
  outgoing: ClientRequest,
  body?: Buffer | IncomingMessage,
  signal?: AbortSignal,
): Promise<S3Response> {
  const responding = responseOf(outgoing)
  const stop = body instanceof IncomingMessage ? sendBody(body, outgoing, signal) : undefined
  if (!stop) outgoing.end(body)
  try {
    const response = await responding
    // A response before the end of the body is a rejection: the rest is not sent.
    stop?.()
    return await read(response)
  } finally {
    stop?.()
    if (!outgoing.writableFinished) outgoing.destroy()
  }
}

/** An ETag without the quotes, which some stores send as entities. */
export const plainTag = (tag = '') => tag.replace(/&#34;|&quot;|"/g, '')

function isError({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300
}

async function read(response: IncomingMessage): Promise<S3Response> {
  const { statusCode = 0, headers } = response
  const content = await text(response)
  const document = parse(content)
  const problem = document.Error ?? document.ErrorResponse?.Error
  if (problem || isError(response)) throw new S3Error(statusCode, problem)
  return { headers, content, document }
}

function parse(content: string): S3Document {
  if (!content.trimStart().startsWith('<')) return {}
  try {
    return parser.parse(content)
  } catch {
    // A page of a proxy: its status says enough.
    return {}
  }
}
