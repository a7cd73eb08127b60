import { type Attack, judge, type Outcome } from './attack.ts'
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

async function leaveRoutes(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
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
  let sent = 0
  for (const path of targets.flatMap(detours)) {
    sent += 1
    // As it is: a client library would repair it.
    const received = await sendRaw(
      stranger,
      `GET ${path} HTTP/1.1\r\n${stranger.lines()}Connection: close\r\n\r\n`,
      3_000,
    )
    const [status] = statusesIn(received)
    const isPage = received.includes('<!doctype html') || received.includes('<!DOCTYPE html')
    expect(status !== undefined && (status >= 400 || isPage), `GET ${path} returned ${status}`)
    expect(!status || status < 500, `GET ${path} returned ${status}`)
    expect(!/"object":|# HELP|root:x:|"identityKey"|image\/webp/.test(received), `GET ${path} shows what is inside`)
  }
  // With a session, which reaches more routes.
  const cookie = client.cookieHeader()
  for (const path of targets.flatMap(detours)) {
    sent += 1
    const lines = `${stranger.lines()}Cookie: ${cookie}\r\nConnection: close\r\n`
    const received = await sendRaw(stranger, `GET ${path} HTTP/1.1\r\n${lines}\r\n`, 3_000)
    expect(!/"object":|# HELP|root:x:|"identityKey"/.test(received), `with a session GET ${path} shows what is inside`)
  }
  return seen(`${sent} paths`)
}

export const PATH_ATTACKS: Attack[] = [
  {
    name: "no path leads to a service's inner routes or to files",
    short: true,
    run: leaveRoutes,
  },
]
