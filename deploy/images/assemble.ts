import { cp, glob, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { imageSource } from './image-sources.ts'
import { type Lock, productionLock, workspacesOf } from './production-lockfile.ts'

// Run by the Dockerfile, in the root of the checkout:
//   node deploy/images/assemble.ts manifests <folder> [<image>]   the manifests that `npm ci` needs: of one image, or of all workspaces
//   node deploy/images/assemble.ts files <folder> <image>         the project's own files in the image
const [task, target = '', image] = process.argv.slice(2)

/** The files of a workspace that production needs. */
const WORKSPACE_FILES = ['package.json', 'src', 'prisma', '*.ts']

async function writeManifests(lock: Lock): Promise<void> {
  // npm compares them, and the lockfile does not contain them.
  const { overrides } = JSON.parse(await readFile('package.json', 'utf8'))
  const write = async (path: string, content: object) => {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await writeFile(join(target, path), `${JSON.stringify(content, null, 2)}\n`)
  }
  await write('package-lock.json', lock)
  await write('package.json', { ...lock.packages[''], private: true, overrides })
  for (const path of workspacesOf(lock))
    await write(join(path, 'package.json'), { ...lock.packages[path], private: true })
}

async function copyFiles(lock: Lock, name: string): Promise<void> {
  const { entryPoint, extraFiles = [] } = imageSource(name)
  const files = workspacesOf(lock).flatMap((workspace) => WORKSPACE_FILES.map((file) => join(workspace, file)))
  for await (const path of glob([...files, ...extraFiles])) await cp(path, join(target, path), { recursive: true })
  // Processes read the release from it, for their metrics.
  const manifest = { name: 'skyfolio', version: lock.version, private: true, type: 'module' }
  await writeFile(join(target, 'package.json'), JSON.stringify(manifest))
  // All images start with the same command; `node` follows the link.
  await symlink(entryPoint, join(target, 'main.ts'))
}

const whole: Lock = JSON.parse(await readFile('package-lock.json', 'utf8'))
const lock = image ? productionLock(whole, imageSource(image).workspace) : whole
if (task === 'manifests') await writeManifests(lock)
else await copyFiles(lock, image ?? '')
