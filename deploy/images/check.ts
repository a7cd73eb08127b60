import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { imageSource, imageSources } from './image-sources.ts'
import { type Lock, productionLock } from './production-lockfile.ts'

// `npm run check -- images:check dev`: inspects the images of that tag with Docker. Prints the project's own files in each, and exits
// with 1 when one is unexpected, or when an image does not start as it should.
const [tag = 'dev', prefix = 'skyfolio'] = process.argv.slice(2)
const root = fileURLToPath(new URL('../../', import.meta.url))
const lock: Lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))

/** The project's own files, without node_modules. */
const EXPECTED_FILES = [
  /^(package[.]json|main[.]ts)$/,
  /^(gateway|proto|services\/[a-z-]+|deploy\/(mailbox|migrations|partner-sandbox))\/(package[.]json|src\/.+[.]ts|prisma\/.+[.](sql|prisma)|[a-z-]+[.]ts)$/,
  /^(services\/media\/data\/(places|map)[.]bin|deploy\/smoke\/[a-z-]+[.]ts|web\/dist\/.+)$/,
]

function docker(...args: string[]) {
  const done = spawnSync('docker', args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 })
  if (done.error) throw new Error(`docker could not be started: ${done.error.message}`)
  return { status: done.status, output: done.stdout + done.stderr }
}

const shell = (image: string, script: string) =>
  docker('run', '--rm', '--user', '0', image, 'sh', '-c', script).output.trim().split('\n').filter(Boolean)

function unexpectedFiles(image: string): string[] {
  const files = shell(
    image,
    "cd /app && find . \\( -name node_modules -o -name .compiled \\) -prune -o ! -type d -printf '%P\\n'",
  )
  console.log(`${image}: ${files.length} own files\n  ${files.sort().join('\n  ')}`)
  return files.filter((file) => !EXPECTED_FILES.some((pattern) => pattern.test(file))).map((file) => `contains ${file}`)
}

function unexpectedPackages(target: string, image: string): string[] {
  const { packages } = productionLock(lock, imageSource(target).workspace)
  const found = shell(image, "cd /app && find . -path '*/node_modules/*' -name package.json -printf '%P\\n'")
    .map((file) => file.replace(/[/]package[.]json$/, ''))
    .filter((place) => /(^|[/])node_modules[/](@[^/]+[/])?[^/]+$/.test(place))
  return found.filter((place) => !packages[place]).map((place) => `contains the package ${place}`)
}

/** Starts it as a hardened cluster does, without settings: it must load all of its code and then name what is missing. */
function startProblems(image: string): string[] {
  const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
  const { status, output } = docker('run', '--rm', ...hardened, image)
  return status === 1 && output.includes('is required') ? [] : [`does not start as expected: ${output}`]
}

function configProblems(image: string): string[] {
  const [inspected] = JSON.parse(docker('image', 'inspect', image).output)
  const { User, Labels, WorkingDir } = inspected.Config
  const label = (name: string) => Labels?.[`org.opencontainers.image.${name}`]
  const problems = []
  if (User !== '10001:10001') problems.push(`runs as ${User}`)
  if (WorkingDir !== '/app') problems.push(`starts in ${WorkingDir}`)
  for (const name of ['version', 'revision', 'created']) if (!label(name)) problems.push(`has no label ${name}`)
  return problems
}

let count = 0
for (const target of Object.keys(imageSources())) {
  const image = `${prefix}/${target}:${tag}`
  const tools = shell(image, 'ls /usr/local/bin/np[mx] /app/node_modules/.package-lock.json 2>/dev/null').map(
    (path) => `contains ${path}`,
  )
  const problems = [
    unexpectedFiles(image),
    unexpectedPackages(target, image),
    startProblems(image),
    configProblems(image),
    tools,
  ].flat()
  for (const problem of problems) console.error(`${image} ${problem}`)
  count += problems.length
}
console.log(count > 0 ? `${count} problems.` : 'The images contain what they should.')
process.exitCode = count > 0 ? 1 : 0
