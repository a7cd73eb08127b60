import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
  await auth.startWorker()
})
afterAll(() => auth.close())

const file = fileURLToPath(new URL('../src/commands/rebuild.ts', import.meta.url))

function rebuild(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [file, ...args], { env: { ...process.env, ...auth.environment() } })
}

test('the command of a rebuild puts all rows in doubt, and at its end removes those that nothing has confirmed', async () => {
  await auth.pool.query('INSERT INTO user_usage VALUES (1, 5, 1, 100, 1), (2, 6, 1, 100, 1)')
  expect((await rebuild('begin')).stdout).toBe('Rebuild started: the usage of 2 users to confirm.\n')
  await auth.pool.query('UPDATE user_usage SET doubted = false WHERE user_id = 2')
  expect((await rebuild('end')).stdout).toBe('Rebuild complete: the usage of 1 users without photos was removed.\n')
  expect((await auth.db.userUsage.findMany()).map(({ userId }) => userId)).toEqual([2])
})

test('the command without its step says how to use it and changes nothing', async () => {
  await expect(rebuild()).rejects.toMatchObject({ stderr: expect.stringContaining('usage: rebuild.ts begin|end') })
})
