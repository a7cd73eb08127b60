import type { Attack, Expect } from './attack.ts'
import { readShare } from './owner.ts'
import { sendRaw, statusesIn } from './raw-request.ts'
import type { Target } from './target.ts'

/** Paths of services that the gateway does not expose, and files of the machine. */
const INSIDE = ['picture-states', 'picture-bytes', 'share-cards', 'internal/batches', 'metrics', 'readyz']

function detours(inside: string): string[] {
  return [
    `/${inside}`,
    `//${inside}`,
    `/api/../${inside}`,
    `/api/uploads/x\\..\\..\\..\\${inside}`,
    `/api/uploads/x%5c..%5c..%5c..%5c${inside}`,
    `/api/uploads/..%2f..%2f${inside.replaceAll('/', '%2f')}`,
    `/api/uploads/%2e%2e%2f%2e%2e%2f${inside}`,
    `/api/uploads/%252e%252e%252f${inside}`,
    `/api/uploads/x/../../../${inside}`,
    `/api/uploads/..;/..;/${inside}`,
    `/api/user/export/x\\..\\..\\..\\..\\${inside}`,
    `/api/share/x\\..\\..\\..\\${inside}`,
    `/api/folders/share/x\\..\\..\\..\\..\\${inside}`,
    `/api/uploads/\u00ff\u00fe/../${inside}`,
    `/api/uploads/%00/../../${inside}`,
    `/assets/..%2f..%2f${inside}`,
  ]
}

async function leaveRoutes(target: Target, expect: Expect): Promise<void> {
  const { client, publicFolder, privatePhoto } = target.owner
  const stranger = target.openClient()
  const [photo] = await readShare(stranger, publicFolder.shareCode)
  const publicName = photo?.thumbnailUrl?.split('/').at(-1) ?? ''
  const storedName = privatePhoto.thumbnailUrl?.split('/').at(-1) ?? ''
  const targets = [
    `picture-states/${publicName}`,
    `picture-bytes/${storedName}`,
    `share-cards/${publicFolder.shareCode}`,
    ...INSIDE,
    'etc/passwd',
    'package.json',
    '.data/secrets.json',
  ]
  // A session reaches more routes. As it is: a client library would repair the path.
  for (const session of ['', `Cookie: ${client.cookieHeader()}\r\n`]) {
    const lines = `${stranger.lines()}${session}Connection: close\r\n`
    for (const path of targets.flatMap(detours)) {
      const received = await sendRaw(stranger, `GET ${path} HTTP/1.1\r\n${lines}\r\n`, 3_000)
      const [status = 0] = statusesIn(received)
      const isRejected = (status >= 400 && status < 500) || /<!doctype html/i.test(received)
      expect(isRejected, `${session ? 'with a session ' : ''}GET ${path} returned ${status}`)
      const isInside = /"object":|# HELP|root:x:|"identityKey"|image\/webp/.test(received)
      expect(!isInside, `GET ${path} shows what is inside`)
    }
  }
}

export const PATH_ATTACKS: Attack[] = [
  { name: "no path leads to a service's inner routes or to files", run: leaveRoutes },
]
