import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres, startRedis, waitFor } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { form, password, startAuth } from './support.ts'

const sentence = 'The service is temporarily unavailable. Please try again in a moment.'

test('while Redis is away signing in is answered 503, and works again when it is back', async () => {
  const redis = await startRedis()
  const auth = await startAuth({ redisUrl: redis.url })
  await auth.post('/api/register', form('patient'))
  const login = () => auth.post('/api/login', { username: 'patient', password })

  await redis.stop()
  const refused = await login()
  expect([refused.statusCode, refused.json().message]).toEqual([503, sentence])
  await redis.start()
  await waitFor(async () => (await login()).statusCode === 200, { what: 'signing in after Redis came back' })

  await auth.close()
  await redis.stop()
})

test('while PostgreSQL is away signing in is answered 503, and the tries do not count as failures', async () => {
  const postgres = await startPostgres()
  const databaseUrl = `${postgres.url}/skyfolio_auth`
  await migrate(databaseUrl, new URL('../prisma/migrations', import.meta.url).pathname)
  const auth = await startAuth({ databaseUrl })
  await auth.post('/api/register', form('patient'))
  const login = () => auth.post('/api/login', { username: 'patient', password })

  await postgres.stop()
  for (let attempt = 0; attempt < 12; attempt++) {
    const refused = await login()
    expect([refused.statusCode, refused.json().message]).toEqual([503, sentence])
  }
  await postgres.start()
  await waitFor(async () => (await login()).statusCode === 200, { what: 'signing in after PostgreSQL came back' })

  await auth.close()
  await postgres.stop()
})

test('a flood of sign-ins waits in line, and what does not fit is answered 503', async () => {
  const { createPasswords } = await import('../src/accounts/passwords.ts')
  const passwords = await createPasswords({ concurrency: 1, waiting: 2 })
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.verify(null, 'x')))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(await passwords.verify(await passwords.hash('x'), 'x')).toBe(true)
})
