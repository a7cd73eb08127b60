import { jsonOf, type RequestOptions, send } from '../lib/http.ts'
import type { paths as AuthPaths } from './generated/auth.d.ts'
import type { paths as FoldersPaths } from './generated/folders.d.ts'
import type { paths as GatewayPaths } from './generated/gateway.d.ts'
import type { paths as MediaPaths } from './generated/media.d.ts'
import type { paths as PrintOrdersPaths } from './generated/print-orders.d.ts'

interface Paths extends AuthPaths, FoldersPaths, GatewayPaths, MediaPaths, PrintOrdersPaths {}
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
interface Operation {
  parameters: { path?: unknown; query?: unknown }
  responses: unknown
}
type PathWith<M extends Method> = { [P in keyof Paths]: Paths[P][M] extends Operation ? P : never }[keyof Paths]

type JsonOf<T> = T extends { content: { 'application/json': infer Json } } ? Json : undefined
/** The JSON body of an operation's successful responses; undefined where they have none. */
export type Answer<M extends Method, P extends PathWith<M>> = Paths[P][M] extends { responses: infer R }
  ? JsonOf<R[keyof R & (200 | 201 | 202 | 204)]>
  : never

type BodyOf<Op> = Op extends { requestBody: { content: infer Content } }
  ? { body: Content extends { 'application/json': infer Json } ? Json : FormData }
  : { body?: undefined }
interface Options extends Pick<RequestOptions, 'headers' | 'signal'> {
  path?: object
  query?: object
  body?: unknown
  /** The `next` of the page before, in place of path and query. */
  next?: string | null
}
/** The parameters and the body of an operation. */
type Input<Op> = Options & (Op extends Operation ? Pick<Op['parameters'], 'path' | 'query'> & BodyOf<Op> : never)

/** Calls an operation of the API. Throws ApiError for every failure except an abort. */
export async function api<M extends Method, P extends PathWith<M>>(
  method: M,
  path: P,
  input: Input<Paths[P][M]>,
): Promise<Answer<M, P>> {
  return (await apiResponse(method, path, input)).body
}

/** The same, with the headers of the response. */
export async function apiResponse<M extends Method, P extends PathWith<M>>(
  method: M,
  path: P,
  { path: values, query, next, ...options }: Input<Paths[P][M]>,
): Promise<{ body: Answer<M, P>; headers: Headers }> {
  const response = await send(next ?? addressOf(path, values, query), { ...options, method })
  return { body: await jsonOf(response), headers: response.headers }
}

/** One page of a list: `next` is the address of the next page, null for the last one. */
export interface Page<T> {
  items: T[]
  total: number
  next: string | null
}

/** The `next` of the first page. */
export const FIRST_PAGE = null as string | null

type ListPath = { [P in PathWith<'get'>]: Answer<'get', P> extends unknown[] ? P : never }[PathWith<'get'>]

/** Reads one page of a list. */
export async function apiPage<P extends ListPath>(
  path: P,
  input: Input<Paths[P]['get']>,
): Promise<Page<Answer<'get', P>[number]>> {
  const { body, headers } = await apiResponse('get', path, input)
  return pageOf(body, headers)
}

/** The page that a response is: the total is in X-Total-Count, the next page in Link. */
export function pageOf<T>(items: T[], headers: Headers): Page<T> {
  return {
    items,
    total: Number(headers.get('x-total-count') ?? items.length),
    next: /<([^>]+)>;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1] ?? null,
  }
}

function addressOf(path: string, values: object = {}, query: object = {}): string {
  const parts = new Map<string, unknown>(Object.entries(values))
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts.get(name))))
  const used = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  return used.length > 0 ? `${address}?${new URLSearchParams(used)}` : address
}
