import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  CHART_DIRECTORY,
  listValuesFiles,
  readManifests,
  renderText,
  runTool,
  toolPath,
} from '../../checks/chart/render.ts'

const schemas = fileURLToPath(new URL('../../checks/chart/generated/schemas/', import.meta.url))

/** Returns kubeconform's summary. @throws Error with its output for invalid manifests */
async function conform(manifests: string): Promise<string> {
  const location = `${schemas}{{ .ResourceKind }}{{ .KindSuffix }}.json`
  return runTool(await toolPath('kubeconform'), ['-strict', '-summary', '-schema-location', location, '-'], manifests)
}

beforeAll(async () => {
  await toolPath('helm')
  await toolPath('kubeconform')
}, 900_000)

describe.each(await listValuesFiles())('with %s', (file) => {
  test('helm lint reports no problem', async () => {
    const output = await runTool(await toolPath('helm'), [
      'lint',
      '.',
      '--strict',
      '--kube-version',
      '1.36',
      '-f',
      file,
    ])
    expect(output).toContain('1 chart(s) linted, 0 chart(s) failed')
  })

  test('every object matches its schema, and is unique by kind and name', async () => {
    const text = await renderText({ files: [file] })
    expect(await conform(text)).toMatch(/Valid: \d+, Invalid: 0, Errors: 0, Skipped: 0/)
    const names = readManifests(text).map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(names).toEqual([...new Set(names)])
  })
})

test('every object of the Redis in the production example matches its schema', async () => {
  const manifests = await readFile(join(CHART_DIRECTORY, 'examples/production/redis.yaml'), 'utf8')
  expect(await conform(manifests)).toMatch(/Valid: 4, Invalid: 0, Errors: 0, Skipped: 0/)
})
