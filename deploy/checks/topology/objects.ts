import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, minioProgram } from '@skyfolio/testkit/servers'
import { type Store, type StoreContext, StoreNode } from './store-node.ts'

const DRIVES = ['drive-1', 'drive-2', 'drive-3', 'drive-4']

/** MinIO with four drives, of which one may be away. */
export async function startObjectStore({ folder, network, add }: StoreContext) {
  const port = await freePort()
  const drives = DRIVES.map((name) => join(folder, name))
  const program = await minioProgram(drives, port)
  // Drives may share a disk with the system.
  const env = { ...program.env, MINIO_CI_CD: '1' }
  const node = new StoreNode('objects', folder, [{ ...program, name: 'minio', env }])
  await add(node)
  const store: Store = {
    nodes: [node],
    isWhole: () => program.ready().then(() => true),
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
