import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SERVER_IMAGES } from '@skyfolio/testkit/servers'
import { dockerTrouble, pullMissing } from './docker.ts'
import { dataDir } from './paths.ts'

/** What the servers (and for a start the services) run as: containers, or private processes of this machine. */
export type Runtime = 'docker' | 'native'

export interface ChosenRuntime {
  runtime: Runtime
  /** By SKYFOLIO_RUNTIME: then nothing else will do. */
  byHand: boolean
}

/** Fetching all images over a slow line. */
const pullWithin = 10 * 60_000

/**
 * SKYFOLIO_RUNTIME where it is set; otherwise Docker, where an engine is there that has or gets the images. Says in a
 * line why not. @throws Error when Docker is asked for by hand and cannot be had
 */
export async function chooseRuntime(task: 'start' | 'dev' | 'test'): Promise<ChosenRuntime> {
  const wish = process.env.SKYFOLIO_RUNTIME
  if (wish === 'native') return { runtime: 'native', byHand: true }
  if (wish !== undefined && wish !== '' && wish !== 'docker')
    throw new Error(`SKYFOLIO_RUNTIME is "${wish}"; it must be docker or native.`)
  if (wish === 'docker') {
    const reason = task === 'dev' ? 'watch mode runs the services from the sources' : await whyNotDocker()
    if (reason) throw new Error(`SKYFOLIO_RUNTIME=docker cannot be done: ${reason}.`)
    return { runtime: 'docker', byHand: true }
  }
  const reason = whyNotToAsk(task) ?? (await whyNotDocker())
  if (reason === null) return { runtime: 'docker', byHand: false }
  if (!process.env.CI) console.log(`Without Docker: ${reason}.`)
  return { runtime: 'native', byHand: false }
}

function whyNotToAsk(task: 'start' | 'dev' | 'test'): string | null {
  if (process.env.CI) return 'this is CI'
  if (task === 'dev') return 'watch mode runs the services from the sources'
  if (task === 'test') return null
  if (process.env.SKYFOLIO_DATA) return 'SKYFOLIO_DATA names a folder for the data'
  if (existsSync(join(dataDir, 'postgres'))) return `there is data of an earlier start in ${dataDir}`
  return null
}

async function whyNotDocker(): Promise<string | null> {
  const trouble = await dockerTrouble()
  if (trouble) return trouble
  return pullMissing(Object.values(SERVER_IMAGES), pullWithin).then(
    () => null,
    (error: { stderr?: string }) => `images cannot be fetched (${lastLine(error.stderr ?? String(error))})`,
  )
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
