import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres, startRedis, waitFor } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { form, PASSWORD, startAuth } from './support.ts'

const UNAVAILABLE = 'The service is temporarily unavailable. Please try again in a moment.'

test('sign-in gets 503 during an outage of Redis and works after it', async () => {
  const redis = await startRedis()
  const auth = await startAuth({ redisUrl: redis.url })
  await auth.post('/api/register', form('patient'))
  const login = (password = PASSWORD) => auth.post('/api/login', { username: 'patient', password })
  const register = () => auth.post('/api/register', form('newcomer'))

  await redis.stop()
  // A wrong password, too, since nobody counts it; and no account is made that the visitor does not learn of.
  for (const rejected of [await login(), await login('wrong'), await register()])
    expect([rejected.statusCode, rejected.json().message]).toEqual([503, UNAVAILABLE])
  await redis.start()
  await waitFor(async () => (await login()).statusCode === 200, { what: 'sign-in after the outage of Redis' })
  expect((await register()).statusCode).toBe(201)

  await auth.close()
  await redis.stop()
})

test('sign-in gets 503 during an outage of PostgreSQL, and the attempts do not count as failures', async () => {
  const postgres = await startPostgres()
  const databaseUrl = `${postgres.url}/skyfolio_auth`
  await migrate(databaseUrl, new URL('../prisma/migrations', import.meta.url).pathname)
  const auth = await startAuth({ databaseUrl })
  await auth.post('/api/register', form('patient'))
  const login = () => auth.post('/api/login', { username: 'patient', password: PASSWORD })

  await postgres.stop()
  for (let attempt = 0; attempt < 12; attempt++) {
    const rejected = await login()
    expect([rejected.statusCode, rejected.json().message]).toEqual([503, UNAVAILABLE])
  }
  await postgres.start()
  await waitFor(async () => (await login()).statusCode === 200, { what: 'sign-in after the outage of PostgreSQL' })

  await auth.close()
  await postgres.stop()
})
