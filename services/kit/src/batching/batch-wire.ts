import { type Identity, identityInvalid, isSigned, readClocks, requireFresh, sign } from '../http/identity.ts'

/** The headers that a request keeps in a batch; a batch route sees no others. */
interface BatchedHeaders {
  cookie?: string | undefined
  'accept-encoding'?: string | undefined
  'if-none-match'?: string | undefined
  'x-share-code'?: string | undefined
  'x-embed'?: string | undefined
}

/** A request of a batch: all that a batch route sees of it. */
export interface BatchedRequest<Params = unknown, Query = unknown, Body = unknown> {
  /** The request's id. */
  id: string
  identity: Identity
  params: Params
  query: Query
  body: Body
  headers: BatchedHeaders
}

/** The headers of a response; several values of one name are several headers, as Set-Cookie needs. */
export type ResponseHeaders = Record<string, string | string[]>

/** The response to one request of a batch: JSON text, or bytes with their type among the headers. */
export type BatchedResponse<Bytes = Buffer> = [status: number, body: string | Bytes, headers?: ResponseHeaders]

export const BATCH_SIGNATURE_HEADER = 'x-skyfolio-batch'

/** Increases with each change that another release would misread: one that knows fewer elements ignores the last ones. */
const WIRE_VERSION = 1

/** The path for the batches of a route: never in the gateway's table, and rejected without a signature. */
export const batchPath = (method: string, route: string) => `/internal/batches/v${WIRE_VERSION}/${method}${route}`

type Trace = Record<string, string>
type Wire = [
  id: string,
  userId: number | null,
  username: string | null,
  isAdmin: boolean,
  sessionHash: string | null,
  address: string,
  params: unknown,
  query: unknown,
  body: unknown,
  /** In the order of `BatchedHeaders`. */
  headers: (string | null)[],
  trace?: Trace | null,
  confirmedAt?: number | null,
]

/** A request as JSON; a batch is an array of them. */
export function encodeRequest({ id, identity, params, query, body, headers }: BatchedRequest, trace?: Trace): string {
  const { userId, username, isAdmin, sessionHash, address, confirmedAt } = identity
  const kept = [
    headers.cookie ?? null,
    headers['accept-encoding'] ?? null,
    headers['if-none-match'] ?? null,
    headers['x-share-code'] ?? null,
    headers['x-embed'] ?? null,
  ]
  const wire: Wire = [id, userId, username, isAdmin, sessionHash, address, params, query, body ?? null, kept]
  if (trace || confirmedAt !== null) wire.push(trace ?? null, confirmedAt)
  return JSON.stringify(wire)
}

/** A request with its trace, if that is sampled. */
export interface TracedRequest extends BatchedRequest {
  trace: Trace | undefined
}

function decodeRequest(wire: Wire): TracedRequest {
  const [id, userId, username, isAdmin, sessionHash, address, params, query, body, kept, trace, confirmedAt = null] =
    wire
  const identity = { userId, username, isAdmin, sessionHash, address, confirmedAt }
  const headers = {
    cookie: kept[0] ?? undefined,
    'accept-encoding': kept[1] ?? undefined,
    'if-none-match': kept[2] ?? undefined,
    'x-share-code': kept[3] ?? undefined,
    'x-embed': kept[4] ?? undefined,
  }
  return { id, identity, params, query, body, headers, trace: trace ?? undefined }
}

/** Lengths of the parts that follow, and the responses: text is in the head, bytes are the numbers of their parts. */
type Head = [lengths: number[], responses: (BatchedResponse<number[]> | null)[]]

const LENGTH_BYTES = 4

/**
 * The responses of a batch in binary form: the length of the head, the head as JSON, and the parts of bodies. A buffer
 * that several responses share is written once. Null: the request must be sent on its own.
 */
export function encodeResponses(responses: (BatchedResponse<Buffer[]> | null)[]): Buffer {
  const numbers = new Map<Buffer, number>()
  const numberOf = (part: Buffer) => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  const written = responses.map((response): Head[1][number] => {
    if (!response || typeof response[1] === 'string') return response as BatchedResponse<never> | null
    const [status, parts, headers] = response
    return [status, parts.map(numberOf), ...(headers ? [headers] : [])] as BatchedResponse<number[]>
  })
  const parts = [...numbers.keys()]
  const head = Buffer.from(JSON.stringify([parts.map((part) => part.length), written] satisfies Head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, ...parts])
}

/** Reverses `encodeResponses`. Bodies are copies, so that a slow client retains its own response, not the whole batch. */
export function decodeResponses(bytes: Buffer): (BatchedResponse | null)[] {
  let at = LENGTH_BYTES + bytes.readUInt32BE(0)
  const [lengths, responses] = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, at)) as Head
  const parts = lengths.map((length) => {
    at += length
    return bytes.subarray(at - length, at)
  })
  return responses.map((response) => {
    if (!response || typeof response[1] === 'string') return response as BatchedResponse | null
    const [status, own, headers] = response as BatchedResponse<number[]> & { 1: number[] }
    const body = Buffer.concat(own.map((number) => parts[number] as Buffer))
    return headers ? [status, body, headers] : [status, body]
  })
}

/** Signs the path and the whole batch, including each request's identity. Valid for 60 seconds. */
export function signBatch(path: string, batch: string, keys: string[], now = readClocks()): string {
  const signedAt = now.join()
  return `${signedAt}.${sign('batch', `${signedAt}.${path}.${batch}`, keys)}`
}

/**
 * The requests of a batch that one of the keys signed for this path.
 * @throws AppError 401 when the signature is absent or forged, 503 when it is older than 60 seconds
 */
export function decodeBatch(path: string, batch: string, signature: unknown, keys: string[], now = readClocks()) {
  const [signedAt, mac] = typeof signature === 'string' ? signature.split('.') : []
  const isGenuine = mac !== undefined && isSigned('batch', `${signedAt}.${path}.${batch}`, mac, keys)
  if (!isGenuine) throw identityInvalid()
  const [wall = 0, running = 0] = signedAt?.split(',').map(Number) ?? []
  requireFresh([wall, running], now)
  return (JSON.parse(batch) as Wire[]).map(decodeRequest)
}
