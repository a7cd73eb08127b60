import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serveRequests } from '@skyfolio/kit'
import { type ExportSource, exportSources } from '@skyfolio/proto'
import { testDirectory } from '@skyfolio/testkit'
import type { TestMedia } from './support.ts'

const run = promisify(execFile)

/** Pages of files by their cursor. */
type Pages = Record<string, [path: string, content: unknown][]>

const ACCOUNT: Pages = { '': [['account/profile.json', { username: 'pilot' }]] }
const ORDERS: Pages = { '': [['orders/orders-0001.json', []]] }
const FOLDERS: Pages = {
  '': [['folders/folders-0001.json', [{ id: 1, name: '../Küste: Nord' }]]],
  more: [
    [
      'folders/folders-0002.json',
      [
        { id: 2, name: '_KÜSTE_ NORD' },
        { id: 3, name: 'no folder' },
      ],
    ],
  ],
  last: [['folders/rankings-0001.json', []]],
}

export type ExportSources = ReturnType<typeof serveExportSources>

/** Responds for auth, folders and print-orders, auth once `ready` has ended. */
export function serveExportSources(nats: TestMedia['nats'], ready: () => Promise<void> = async () => {}) {
  const serve = (source: ExportSource, pages: Pages) => {
    const cursors = Object.keys(pages)
    return serveRequests(nats, source, async ({ cursor }) => {
      if (source === exportSources.auth) await ready()
      return {
        files: (pages[cursor] ?? []).map(([path, content]) => ({
          path,
          content: Buffer.from(JSON.stringify(content)),
        })),
        next: cursors[cursors.indexOf(cursor) + 1] ?? '',
      }
    })
  }
  const others = [serve(exportSources.auth, ACCOUNT), serve(exportSources.orders, ORDERS)]
  return {
    folders: serve(exportSources.folders, FOLDERS),
    restartFolders() {
      this.folders = serve(exportSources.folders, FOLDERS)
    },
    async stop() {
      await Promise.all([this.folders, ...others].map((source) => source.stop()))
    },
  }
}

/** The files of an archive by path, as unzip unpacks them. */
export async function unpack(archive: Buffer): Promise<Map<string, Buffer>> {
  const folder = join(testDirectory(), `export-${randomUUID()}`)
  await writeFile(`${folder}.zip`, archive)
  await run('unzip', ['-q', `${folder}.zip`, '-d', folder], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const)),
  )
}

/** The modification times of an archive's files by path, as a system in this zone shows them: 20170304.050608. */
export async function modificationTimes(archive: Buffer, zone = 'UTC'): Promise<Record<string, string>> {
  const file = join(testDirectory(), `times-${randomUUID()}.zip`)
  await writeFile(file, archive)
  const { stdout } = await run('zipinfo', ['-T', file], { env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: zone } })
  const lines = stdout.matchAll(/ (\d{8}\.\d{6}) (.+)$/gm)
  return Object.fromEntries([...lines].map(([, time, path]) => [path, time]))
}

/** A moment as `modificationTimes` says it. */
export function zipTime(moment: Date): string {
  return moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '.')
}
