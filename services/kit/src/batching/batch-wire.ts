import { type Identity, isFresh, isSigned, notThroughGateway, sign } from '../http/identity.ts'

/** The headers that a request keeps in a fold; a foldable route knows no others. */
const BATCHED_HEADERS = ['cookie', 'accept-encoding', 'if-none-match'] as const

/** A request inside a fold: all that a foldable route may know of it. */
export interface BatchedRequest<Params = unknown, Query = unknown, Body = unknown> {
  /** The request's id. */
  id: string
  identity: Identity
  params: Params
  query: Query
  body: Body
  headers: { [name in (typeof BATCHED_HEADERS)[number]]?: string | undefined }
}

/** The answer to one request of a fold: JSON text, or bytes whose type is among the headers. */
export type BatchedResponse<Bytes = Buffer> = [status: number, body: string | Bytes, headers?: Record<string, string>]

export const BATCH_SIGNATURE_HEADER = 'x-skyfolio-fold'

/** Counts up with each change of what travels, so that gateway and service of different releases never misread it. */
const WIRE_VERSION = 1

/** Where a service takes the folds of a route: never in the gateway's table, and worth nothing without its signature. */
export const batchPath = (method: string, route: string) => `/internal/folds/v${WIRE_VERSION}/${method}${route}`

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
  headers: (string | null)[],
  trace?: Trace,
]

/** An item as it travels: JSON, a fold is an array of them. */
export function encodeRequest({ id, identity, params, query, body, headers }: BatchedRequest, trace?: Trace): string {
  const { userId, username, isAdmin, sessionHash, address } = identity
  const kept = BATCHED_HEADERS.map((name) => headers[name] ?? null)
  const wire: Wire = [id, userId, username, isAdmin, sessionHash, address, params, query, body ?? null, kept]
  if (trace) wire.push(trace)
  return JSON.stringify(wire)
}

function decodeRequest(wire: Wire): BatchedRequest & { trace: Trace | undefined } {
  const [id, userId, username, isAdmin, sessionHash, address, params, query, body, kept, trace] = wire
  const identity = { userId, username, isAdmin, sessionHash, address }
  const headers = Object.fromEntries(BATCHED_HEADERS.map((name, index) => [name, kept[index] ?? undefined]))
  return { id, identity, params, query, body, headers, trace }
}

/** Lengths of the parts behind the head, and the answers: text is in the head, bytes are numbers of parts. */
type Head = [lengths: number[], answers: (BatchedResponse<number[]> | null)[]]

const LENGTH_BYTES = 4

/**
 * The answers to a fold as they travel: the length of the head, the head as JSON, and the parts of bodies. A part that
 * several answers share, as the same buffer, travels once. Null: the request is to be sent on its own.
 */
export function encodeResponses(answers: (BatchedResponse<Buffer[]> | null)[]): Buffer {
  const numbers = new Map<Buffer, number>()
  const numberOf = (part: Buffer) => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  const written = answers.map((answer): Head[1][number] => {
    if (!answer || typeof answer[1] === 'string') return answer as BatchedResponse<never> | null
    const [status, parts, headers] = answer
    return [status, parts.map(numberOf), ...(headers ? [headers] : [])] as BatchedResponse<number[]>
  })
  const parts = [...numbers.keys()]
  const head = Buffer.from(JSON.stringify([parts.map((part) => part.length), written] satisfies Head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, ...parts])
}

/** What `writeAnswers` wrote. Bodies are copies, so that a slow client holds its own answer and not the whole fold. */
export function decodeResponses(bytes: Buffer): (BatchedResponse | null)[] {
  let at = LENGTH_BYTES + bytes.readUInt32BE(0)
  const [lengths, answers] = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, at)) as Head
  const parts = lengths.map((length) => {
    at += length
    return bytes.subarray(at - length, at)
  })
  return answers.map((answer) => {
    if (!answer || typeof answer[1] === 'string') return answer as BatchedResponse | null
    const [status, own, headers] = answer as BatchedResponse<number[]> & { 1: number[] }
    const body = Buffer.concat(own.map((number) => parts[number] as Buffer))
    return headers ? [status, body, headers] : [status, body]
  })
}

/** One signature for the path and everything in the fold, so for each item's identity too. It holds for 60 seconds. */
export function signBatch(path: string, fold: string, keys: string[], now = Date.now()): string {
  return `${now}.${sign('fold', `${now}.${path}.${fold}`, keys)}`
}

/**
 * The items of a fold that one of the keys signed for this path.
 * @throws AppError 401 when the signature is absent, forged, or older than 60 seconds
 */
export function decodeBatch(path: string, fold: string, signature: unknown, keys: string[], now = Date.now()) {
  const [signedAt, mark] = typeof signature === 'string' ? signature.split('.') : []
  const genuine = mark !== undefined && isSigned('fold', `${signedAt}.${path}.${fold}`, mark, keys)
  if (!genuine || !isFresh(Number(signedAt), now)) throw notThroughGateway()
  return (JSON.parse(fold) as Wire[]).map(decodeRequest)
}
