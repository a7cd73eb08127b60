import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePrivate } from '../local/private-data.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('takes what is in the folder from others, but not what its links lead to', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'skyfolio-links-'))
  try {
    const [dataDir, elsewhere] = [join(parent, 'data'), join(parent, 'elsewhere')]
    for (const path of [dataDir, join(dataDir, 'redis'), elsewhere]) await mkdir(path)
    for (const path of [join(dataDir, 'secrets.json'), join(elsewhere, 'photo.jpg')]) await writeFile(path, '')
    await symlink(elsewhere, join(dataDir, 'objects'))
    await symlink(join(elsewhere, 'photo.jpg'), join(dataDir, 'photo.jpg'))
    await symlink(join(elsewhere, 'missing'), join(dataDir, 'nowhere'))
    for (const path of [join(dataDir, 'redis'), elsewhere]) await chmod(path, 0o755)
    for (const path of [join(dataDir, 'secrets.json'), join(elsewhere, 'photo.jpg')]) await chmod(path, 0o644)

    await makePrivate(dataDir)
    expect(await modeOf(join(dataDir, 'redis'))).toBe(0o700)
    expect(await modeOf(join(dataDir, 'secrets.json'))).toBe(0o600)
    expect(await modeOf(elsewhere)).toBe(0o755)
    expect(await modeOf(join(elsewhere, 'photo.jpg'))).toBe(0o644)
  } finally {
    await rm(parent, { recursive: true })
  }
})
