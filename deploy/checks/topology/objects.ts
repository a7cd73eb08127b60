import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findMinio, freePort, MINIO_CREDENTIALS, makeDirectory, pingMinio } from '@skyfolio/testkit/servers'
import { type Store, type StoreContext, StoreNode } from './store-node.ts'

const DRIVES = ['drive-1', 'drive-2', 'drive-3', 'drive-4']

/** MinIO with four drives, of which one may be away. */
export async function startObjectStore({ folder, network, add }: StoreContext) {
  const command = await findMinio()
  if (!command) throw new Error('MinIO is missing: run services/testkit/scripts/fetch-tool.sh minio (it needs Go).')
  const port = await freePort()
  const drives = DRIVES.map((name) => join(folder, name))
  for (const drive of drives) await makeDirectory(drive)
  const node = new StoreNode('objects', folder, [
    {
      name: 'minio',
      command,
      args: ['server', ...drives, '--address', `127.0.0.1:${port}`, '--quiet'],
      env: {
        MINIO_ROOT_USER: MINIO_CREDENTIALS.accessKey,
        MINIO_ROOT_PASSWORD: MINIO_CREDENTIALS.secretKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
        MINIO_API_STALE_UPLOADS_EXPIRY: '192h',
        // Drives may share a disk with the system.
        MINIO_CI_CD: '1',
      },
      ready: () => pingMinio(`http://127.0.0.1:${port}`),
    },
  ])
  await add(node)
  const store: Store = {
    nodes: [node],
    leader: async () => node,
    isWhole: () => pingMinio(`http://127.0.0.1:${port}`).then(() => true),
  }
  const takeDrive = async (index: number) => {
    const drive = drives[index] as string
    await rename(drive, `${drive}.away`)
    // Or MinIO would make the folder anew.
    await writeFile(drive, '')
    return async () => {
      await rm(drive)
      await rename(`${drive}.away`, drive)
    }
  }
  return {
    store,
    takeDrive,
    url: `http://127.0.0.1:${await network.call('open', 'objects', port)}`,
  }
}
