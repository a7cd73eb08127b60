import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from './paths.ts'

const run = promisify(execFile)

/** Where the engine is asked, in milliseconds: one that hangs is as good as none. */
const engineAnswersWithin = 5_000

/** Why Docker cannot be used here, or null when an engine answers and knows `docker compose`. */
export async function dockerTrouble(): Promise<string | null> {
  try {
    await run('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: engineAnswersWithin })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no docker here' : 'no Docker engine answers'
  }
  return run('docker', ['compose', 'version'], { timeout: engineAnswersWithin }).then(
    () => null,
    () => 'the Docker here has no `docker compose`',
  )
}

/** Fetches the images that the engine lacks. Throws when one cannot be had in time. */
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

/** Runs `docker compose` in the checkout and gives what it printed. Throws with its complaint when it fails. */
export async function compose(...args: string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
  return run('docker', ['compose', ...args], options).then(
    ({ stdout }) => stdout,
    (error: { stderr?: string }) => {
      throw new Error(`docker compose ${args[0]} failed:\n${error.stderr || error}`)
    },
  )
}

/** Runs `docker compose` with this process's own input and output; resolves to its exit code. */
export function composeInForeground(args: string[]): Promise<number> {
  const child = spawn('docker', ['compose', ...args], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** The services of docker-compose.yml that run now; none where there is no Docker. */
export async function runningServices(): Promise<string[]> {
  const names = await compose('ps', '--status', 'running', '--services').catch(() => '')
  return names.split('\n').filter(Boolean)
}
