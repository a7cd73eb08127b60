import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testDirectory } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { readLegalTexts } from '../src/routes/legal.ts'
import { startGateway } from './support.ts'

const UNUSED = 'http://127.0.0.1:1'

test('anybody reads the terms and the privacy policy', async () => {
  const gateway = await startGateway({ upstream: UNUSED })
  const terms = await (await gateway.call('/api/legal/terms')).json()
  const privacy = await (await gateway.call('/api/legal/privacy')).json()
  expect(terms).toMatchObject({ title: 'Terms of Use', text: expect.stringContaining('Your photos remain yours') })
  expect(privacy).toMatchObject({ title: 'Privacy Policy', text: expect.stringContaining('keyed hashes') })
  await gateway.close()
})

test('configured files replace the default texts', async () => {
  const termsFile = join(await testDirectory(), 'terms.txt')
  await writeFile(termsFile, '\nOur terms.\n\nSecond paragraph.\n')
  const texts = await readLegalTexts({ termsFile })
  expect(texts.terms.text).toBe('Our terms.\n\nSecond paragraph.')
  expect(texts.privacy.text).toContain('This page says which data this service keeps.')
})

test('a configured file that does not exist prevents the start', async () => {
  await expect(readLegalTexts({ privacyFile: '/does/not/exist' })).rejects.toThrow('/does/not/exist')
})

test('pages may ask for the location, for the search of stores', async () => {
  const gateway = await startGateway({ upstream: UNUSED })
  const policy = (await gateway.call('/')).headers.get('permissions-policy')
  expect(policy).toContain('geolocation=(self)')
  await gateway.close()
})
