import type { Attack, Expect } from './attack.ts'
import { jsonOf } from './client.ts'
import { collectIds } from './cross-user.ts'
import { OWN_ONLY, requestsTo } from './cross-user-requests.ts'
import { prepareOwner } from './owner.ts'
import { keyOf, type PublicRoute, publicRoutes } from './routes.ts'
import type { Target } from './target.ts'

/** PostgreSQL stores no NUL in a text and no half of a surrogate pair in JSON. */
const UNSTORABLE = ['\0', '\ud800']

interface Parameter {
  in: string
  name: string
}
type Document = { paths: Record<string, Record<string, { parameters?: Parameter[] }>> }

/** The value with one of its texts made longer, for each text in it. */
function* spoilTexts(value: unknown, suffix: string): Generator<unknown> {
  if (typeof value === 'string') yield value + suffix
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value))
    for (const spoilt of spoilTexts(part, suffix))
      yield Array.isArray(value) ? value.with(Number(name), spoilt) : { ...value, [name]: spoilt }
}

/** The path with a NUL in one of its parameters, and in one of its queries. */
function spoilPath({ method, path }: PublicRoute, { paths }: Document): string[] {
  const { parameters = [] } = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {}
  const valid = path.replaceAll(/:\w+/g, '1')
  const queries = parameters.filter((parameter) => parameter.in === 'query')
  return [
    ...[...path.matchAll(/:\w+/g)].map(([name]) => path.replace(name, 'a%00').replaceAll(/:\w+/g, '1')),
    ...queries.map(({ name }) => `${valid}?${name}=a%00`),
  ]
}

/** As the owner: what is not the sender's may be rejected before a text of it is read. */
async function sendUnstorable(target: Target, expect: Expect): Promise<void> {
  const user = await target.register()
  const { client } = user
  const ids = await collectIds({ owner: await prepareOwner(user.username, user), marker: user.username })
  const document = jsonOf<Document>(await client.send('GET', '/api/openapi.json'))
  async function send(method: string, path: string, json?: unknown): Promise<void> {
    const { status } = await client.send(method, path, { json })
    expect(status !== 0 && status < 500, `${method} ${path} ${JSON.stringify(json)} returned ${status}`)
  }
  for (const route of publicRoutes()) {
    for (const path of spoilPath(route, document)) await send(route.method, path)
    const [{ path, json } = { path: route.path, json: OWN_ONLY[keyOf(route)] }] = requestsTo(route, ids)
    for (const suffix of UNSTORABLE)
      for (const spoilt of spoilTexts(json, suffix)) await send(route.method, path, spoilt)
  }
}

export const UNSTORABLE_TEXT_ATTACKS: Attack[] = [
  { name: 'a text that the database cannot store is an error of the client, on every route', run: sendUnstorable },
]
