import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from './paths.ts'

const run = promisify(execFile)

/** An engine that hangs counts as none. */
const ENGINE_TIMEOUT_MS = 5_000

/** Why Docker cannot be used here; null when an engine responds and `docker compose` is installed. */
export async function whyNoDocker(): Promise<string | null> {
  try {
    await run('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: ENGINE_TIMEOUT_MS })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no docker here' : 'no Docker engine answers'
  }
  return run('docker', ['compose', 'version'], { timeout: ENGINE_TIMEOUT_MS }).then(
    () => null,
    () => 'the Docker here has no `docker compose`',
  )
}

/** Pulls the images that the engine lacks. @throws Error when one cannot be pulled in time */
export async function pullMissing(images: readonly string[], withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs
  for (const image of images) {
    if (await hasImage(image)) continue
    console.log(`Fetching the image ${image} …`)
    await run('docker', ['pull', '--quiet', image], { timeout: Math.max(1, deadline - Date.now()) })
  }
}

function hasImage(image: string): Promise<boolean> {
  return run('docker', ['image', 'inspect', '--format', '{{.Id}}', image]).then(
    () => true,
    () => false,
  )
}

/** Runs `docker compose` in the checkout and returns its output. @throws Error with its message when it fails */
export async function compose(...args: string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
  return run('docker', ['compose', ...args], options).then(
    ({ stdout }) => stdout,
    (error: { stderr?: string }) => {
      throw new Error(`docker compose ${args[0]} failed:\n${error.stderr || error}`)
    },
  )
}

/** Runs `docker compose` with the input and output of this process; resolves to its exit code. */
export function composeInForeground(args: string[]): Promise<number> {
  const child = spawn('docker', ['compose', ...args], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** The running services of docker-compose.yml; none where there is no Docker. */
export async function runningServices(): Promise<string[]> {
  const names = await compose('ps', '--status', 'running', '--services').catch(() => '')
  return names.split('\n').filter(Boolean)
}
