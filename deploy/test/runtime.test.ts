import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { testDirectory } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'

const module = pathToFileURL(join(root, 'deploy/local/choose-runtime.ts')).href

/** Returns the choice and the messages on a machine whose `docker` is this shell script, or is missing. */
async function choose(docker: string | null, env: Record<string, string> = {}, task = 'start') {
  const bin = await mkdtemp(join(testDirectory(), 'bin-'))
  if (docker !== null) await writeFile(join(bin, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 })
  const code = `import { chooseRuntime } from '${module}'; console.log((await chooseRuntime('${task}')).runtime)`
  // Not the directory of this checkout, which may contain data.
  const clean = { PATH: bin, SKYFOLIO_DATA: '', ...env }
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env: clean })
  return run.then(
    ({ stdout }) => stdout.trim().split('\n'),
    (error: { stderr: string }) => error.stderr,
  )
}

const hasAll = 'exit 0'
const noEngine = 'exit 1'
const noRegistry = 'case $1 in image) exit 1 ;; pull) echo "lookup registry: no such host" >&2; exit 1 ;; esac'
const noCompose = '[ $1 != compose ]'
const fetches = 'case $1 in image) exit 1 ;; esac'

test.each(['start', 'test'])('uses Docker for a %s if it has or can pull the images', async (task) => {
  expect(await choose(hasAll, {}, task)).toEqual(['docker'])
  const said = await choose(fetches, {}, task)
  expect(said.at(0)).toMatch(/^Fetching the image /)
  expect(said.at(-1)).toBe('docker')
})

test.each([
  ['there is no docker here', null],
  ['no Docker engine answers', noEngine],
  ['the Docker here has no `docker compose`', noCompose],
  ['images cannot be fetched (lookup registry: no such host)', noRegistry],
])('Private processes are taken, and one line says so, when %s', async (reason, docker) => {
  const said = await choose(docker, {}, 'test')
  expect(said.slice(-2)).toEqual([`Without Docker: ${reason}.`, 'native'])
  expect(await choose(docker, { SKYFOLIO_RUNTIME: 'docker' })).toContain(`cannot be done: ${reason}.`)
})

test('a data directory or watch mode means private processes', async () => {
  const data = await mkdtemp(join(testDirectory(), 'data-'))
  expect(await choose(hasAll, { SKYFOLIO_DATA: data })).toEqual([expect.stringContaining('SKYFOLIO_DATA'), 'native'])
  expect(await choose(hasAll, {}, 'dev')).toEqual([expect.stringContaining('watch mode'), 'native'])
  expect(await choose(hasAll, { SKYFOLIO_RUNTIME: 'docker' }, 'dev')).toContain('watch mode')
})

test('SKYFOLIO_RUNTIME overrides the choice, and is docker or native', async () => {
  expect(await choose(hasAll, { SKYFOLIO_RUNTIME: 'native' })).toEqual(['native'])
  expect(await choose(hasAll, { SKYFOLIO_RUNTIME: 'podman' })).toContain('it must be docker or native')
})
