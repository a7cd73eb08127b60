import { mkdir, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'

/** What one visit loads: addresses without origin. */
export interface VisitFiles {
  page: string
  assets: string[]
  share: string
  pictures: string[]
}

interface SharedPhoto {
  thumbnailUrl: string | null
  mediumUrl?: string | null
  previewUrl: string | null
}

/** The addresses of a visit by a phone with two or three pixels per CSS pixel. */
export async function listVisitFiles(baseUrl: string, code: string): Promise<VisitFiles> {
  const [page, share] = [`/share/${code}`, `/api/share/${code}`]
  const html = await (await fetch(baseUrl + page)).text()
  const { photos } = (await (await fetch(baseUrl + share)).json()) as { photos: SharedPhoto[] }
  return {
    page,
    assets: [...new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string))],
    share,
    pictures: photos.flatMap(({ mediumUrl, previewUrl }) => mediumUrl ?? previewUrl ?? []),
  }
}

/** Writes the files as they come over the wire, compressed ones compressed, so that a static server sends as many bytes. */
export async function copyVisitFiles(baseUrl: string, files: VisitFiles, directory: string): Promise<void> {
  for (const path of [files.page, ...files.assets, files.share, ...files.pictures]) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, await readRaw(baseUrl + path))
  }
}

function readRaw(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'gzip, br' } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} returned ${response.statusCode}`))
      buffer(response).then(resolve, reject)
    })
    request.once('error', reject)
  })
}
