import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SERVER_IMAGES } from '@skyfolio/testkit/servers'
import { pullMissing, whyNoDocker } from './docker.ts'
import { dataDir } from './paths.ts'

/** How the servers, and for a start the services, run: in containers, or as private processes of this machine. */
export type Runtime = 'docker' | 'native'

export interface ChosenRuntime {
  runtime: Runtime
  /** Set by SKYFOLIO_RUNTIME: there is no fallback. */
  isExplicit: boolean
}

/** Enough for all images over a slow connection. */
const PULL_TIMEOUT_MS = 10 * 60_000

/**
 * SKYFOLIO_RUNTIME where it is set; otherwise Docker, if an engine has the images or can pull them. Prints one line with
 * the reason when it cannot. @throws Error when SKYFOLIO_RUNTIME is docker and Docker cannot be used
 */
export async function chooseRuntime(task: 'start' | 'dev' | 'test'): Promise<ChosenRuntime> {
  const wish = process.env.SKYFOLIO_RUNTIME
  if (wish === 'native') return { runtime: 'native', isExplicit: true }
  if (wish !== undefined && wish !== '' && wish !== 'docker')
    throw new Error(`SKYFOLIO_RUNTIME is "${wish}"; it must be docker or native.`)
  if (wish === 'docker') {
    const reason = task === 'dev' ? 'watch mode runs the services from the sources' : await whyDockerFails()
    if (reason) throw new Error(`SKYFOLIO_RUNTIME=docker cannot be done: ${reason}.`)
    return { runtime: 'docker', isExplicit: true }
  }
  const reason = whyNotTried(task) ?? (await whyDockerFails())
  if (reason === null) return { runtime: 'docker', isExplicit: false }
  if (!process.env.CI) console.log(`Without Docker: ${reason}.`)
  return { runtime: 'native', isExplicit: false }
}

function whyNotTried(task: 'start' | 'dev' | 'test'): string | null {
  if (process.env.CI) return 'this is CI'
  if (task === 'dev') return 'watch mode runs the services from the sources'
  if (task === 'test') return null
  if (process.env.SKYFOLIO_DATA) return 'SKYFOLIO_DATA names a folder for the data'
  if (existsSync(join(dataDir, 'postgres'))) return `there is data of an earlier start in ${dataDir}`
  return null
}

async function whyDockerFails(): Promise<string | null> {
  const trouble = await whyNoDocker()
  if (trouble) return trouble
  return pullMissing(Object.values(SERVER_IMAGES), PULL_TIMEOUT_MS).then(
    () => null,
    (error: { stderr?: string }) => `images cannot be fetched (${lastLine(error.stderr ?? String(error))})`,
  )
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
