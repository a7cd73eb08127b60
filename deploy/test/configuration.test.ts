import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { configurationFile, renderConfiguration } from '../scripts/configuration.ts'

test('docs/configuration.md lists the settings as they are in the code (npm run generate)', async () => {
  expect(await readFile(configurationFile, 'utf8')).toBe(await renderConfiguration())
})

test('the documentation has no key, password or local path', async () => {
  const text = await renderConfiguration()
  expect(text).toMatch(/\| `IDENTITY_KEYS` +\| required +\|/)
  expect(text).toContain('`services/media/data/places.bin`')
  expect(text).not.toContain(process.cwd())
})
