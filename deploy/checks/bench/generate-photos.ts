import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../local/paths.ts'

/** Adds generated photos to the gallery of a user of the system in this folder. */
export async function generatePhotos(folder: string, username: string, count: number): Promise<void> {
  const args = ['deploy/local/generate-photos.ts', '--user', username, '--count', String(count)]
  const env = { ...process.env, SKYFOLIO_DATA: join(folder, 'data') }
  await promisify(execFile)(process.execPath, args, { cwd: root, env })
}
