import { readFile } from 'node:fs/promises'
import { describeSettings, loadConfig } from '@skyfolio/kit'
import { describe, expect, test } from 'vitest'
import { partnerSettings, settings, workerSettings } from '../src/config.ts'

const load = (environment: Record<string, string>) => () => loadConfig(partnerSettings, environment)

describe('the address of the partner', () => {
  test.each(['https://services.example', 'http://localhost:8095', 'http://127.0.0.1:8095/', 'http://[::1]:8095'])(
    'may be %s in production',
    (url) => expect(load({ PARTNER_PRODUCTION_URL: url })().partnerProductionUrl).toBe(url),
  )

  test.each([
    'http://services.example',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://10.0.0.1',
    'ftp://services.example',
  ])('may not be %s in production', (url) =>
    expect(load({ PARTNER_PRODUCTION_URL: url })).toThrow('PARTNER_PRODUCTION_URL must be a URL that starts with'),
  )

  test('may be http in the sandbox', () => {
    expect(load({ PARTNER_SANDBOX_URL: 'http://partner-sandbox:8080' })().partnerSandboxUrl).toBe(
      'http://partner-sandbox:8080',
    )
  })

  test.each([
    'https://user:secret@partner.example',
    'https://partner.example/?key=secret',
    'https://partner.example/#x',
  ])('has no secrets in it: %s', (url) => {
    for (const name of ['PARTNER_SANDBOX_URL', 'PARTNER_PRODUCTION_URL']) {
      expect(load({ [name]: url })).toThrow('without user, password, query and fragment')
      expect(load({ [name]: url })).not.toThrow('secret')
    }
  })
})

test('the README lists every setting', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const all = [...describeSettings(settings), ...describeSettings(workerSettings)]
  expect(all.filter(({ name }) => !readme.includes(`\`${name}\``))).toEqual([])
})
