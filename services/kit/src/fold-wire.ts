import { type Identity, isFresh, isSigned, notThroughTheDoor, sign } from './identity.ts'

/** A request inside a fold: all that a foldable route may know of it. */
export interface FoldItem<Params = unknown, Body = unknown> {
  /** The request's id. */
  id: string
  identity: Identity
  params: Params
  body: Body
  cookie: string | undefined
}

/** The answer to one request of a fold; the body is JSON text. */
export type FoldAnswer = [status: number, body: string, headers?: Record<string, string>]

export const FOLD_HEADER = 'x-skyfolio-fold'

/** Where a service takes the folds of a route: never in the gateway's table, and worth nothing without its signature. */
export const foldPath = (route: string) => `/internal/folds${route}`

type Trace = Record<string, string>
type Wire = [
  id: string,
  userId: number | null,
  username: string | null,
  isAdmin: boolean,
  sessionHash: string | null,
  address: string,
  params: unknown,
  body: unknown,
  cookie: string | null,
  trace?: Trace,
]

/** An item as it travels: JSON, a fold is an array of them. */
export function writeItem({ id, identity, params, body, cookie }: FoldItem, trace?: Trace): string {
  const { userId, username, isAdmin, sessionHash, address } = identity
  const wire: Wire = [id, userId, username, isAdmin, sessionHash, address, params, body ?? null, cookie ?? null]
  if (trace) wire.push(trace)
  return JSON.stringify(wire)
}

function readItem(wire: Wire): FoldItem & { trace: Trace | undefined } {
  const [id, userId, username, isAdmin, sessionHash, address, params, body, cookie, trace] = wire
  const identity = { userId, username, isAdmin, sessionHash, address }
  return { id, identity, params, body, cookie: cookie ?? undefined, trace }
}

/** One signature for the path and everything in the fold, so for each item's identity too. It holds for 60 seconds. */
export function signFold(path: string, fold: string, keys: string[], now = Date.now()): string {
  return `${now}.${sign('fold', `${now}.${path}.${fold}`, keys)}`
}

/**
 * The items of a fold that one of the keys signed for this path.
 * @throws AppError 401 when the signature is absent, forged, or older than 60 seconds
 */
export function readFold(path: string, fold: string, signature: unknown, keys: string[], now = Date.now()) {
  const [signedAt, mark] = typeof signature === 'string' ? signature.split('.') : []
  const genuine = mark !== undefined && isSigned('fold', `${signedAt}.${path}.${fold}`, mark, keys)
  if (!genuine || !isFresh(Number(signedAt), now)) throw notThroughTheDoor()
  return (JSON.parse(fold) as Wire[]).map(readItem)
}
