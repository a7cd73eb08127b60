import type { Attack, Expect } from './attack.ts'
import { publicRoutes } from './routes.ts'
import type { Target } from './target.ts'

function foreignOrigins(origin: string): string[] {
  const { hostname, port } = new URL(origin)
  return [
    'https://evil.example',
    'null',
    `${origin}.evil.example`,
    `http://evil.example:${port}`,
    `http://${hostname}:1`,
    `https://${hostname}:${port}`,
    `http://evil.example@${hostname}:${port}`,
    'file://',
    '',
  ]
}

/** Every write, with the owner's cookie, as a page of another site would make the browser send it. */
async function writeFromOtherSites(target: Target, expect: Expect): Promise<void> {
  const { client, publicFolder, publicPhotos } = target.owner
  const writes = publicRoutes().filter(({ method }) => method !== 'GET')
  for (const { method, path } of writes) {
    const id = path.includes('/photos/') ? publicPhotos[0] : publicFolder.id
    const full = path.replace(':id', `${id}`).replace(':voter', '1')
    for (const origin of foreignOrigins(target.endpoint.origin)) {
      const headers = { origin, 'content-type': 'text/plain' }
      const { status, text } = await client.send(method, full, { json: {}, headers })
      expect(status === 403 && text.includes('foreign_origin'), `${method} ${full} from "${origin}" returned ${status}`)
    }
  }
}

/** No other site reads responses. */
async function readFromOtherSites(target: Target, expect: Expect): Promise<void> {
  const { client, publicFolder } = target.owner
  const paths = ['/api/user', '/api/photos', `/api/share/${publicFolder.shareCode}`, '/api/config', '/']
  for (const path of paths) {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }
      const response = await client.send(method, path, { headers })
      const allowed = Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))
      expect(allowed.length === 0, `${method} ${path} has ${allowed}`)
    }
    const { headers } = await client.send('GET', path)
    expect(headers['cross-origin-resource-policy'] === 'same-origin', `GET ${path} may be embedded elsewhere`)
  }
}

export const ORIGIN_ATTACKS: Attack[] = [
  { name: 'a page of another site writes nothing, on any route', run: writeFromOtherSites },
  { name: 'a page of another site reads nothing', run: readFromOtherSites },
]
