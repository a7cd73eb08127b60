import { cp, glob, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { componentOf } from './components.ts'
import { type Lock, productionLock, workspacesOf } from './lock.ts'

// Run by the Dockerfile, in the root of the checkout:
//   node deploy/images/assemble.ts manifests <folder> [<component>]   what `npm ci` installs from: for one component, or all for its build
//   node deploy/images/assemble.ts files <folder> <component>         the component's own files
const [task, target = '', component] = process.argv.slice(2)

/** What a workspace has that production needs. */
const PARTS = ['package.json', 'src', 'prisma', '*.ts']

async function writeManifests(lock: Lock): Promise<void> {
  // The one thing that npm compares and the lockfile does not remember.
  const { overrides } = JSON.parse(await readFile('package.json', 'utf8'))
  const write = async (path: string, content: object) => {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await writeFile(join(target, path), `${JSON.stringify(content, null, 2)}\n`)
  }
  await write('package-lock.json', lock)
  await write('package.json', { ...lock.packages[''], private: true, overrides })
  for (const place of workspacesOf(lock))
    await write(join(place, 'package.json'), { ...lock.packages[place], private: true })
}

async function copyFiles(lock: Lock, name: string): Promise<void> {
  const { main, also = [] } = componentOf(name)
  const parts = workspacesOf(lock).flatMap((workspace) => PARTS.map((part) => join(workspace, part)))
  for await (const path of glob([...parts, ...also])) await cp(path, join(target, path), { recursive: true })
  await writeFile(join(target, 'package.json'), JSON.stringify({ name: 'skyfolio', private: true, type: 'module' }))
  // The same command starts every image; `node` follows the link to the real file.
  await symlink(main, join(target, 'main.ts'))
}

const whole: Lock = JSON.parse(await readFile('package-lock.json', 'utf8'))
const lock = component ? productionLock(whole, componentOf(component).workspace) : whole
if (task === 'manifests') await writeManifests(lock)
else await copyFiles(lock, component ?? '')
