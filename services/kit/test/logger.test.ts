import { expect, test } from 'vitest'
import { createLogger } from '../src/index.ts'

function logged(write: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  const lines: string[] = []
  write(createLogger('test', 'info', { write: (line) => lines.push(line) }))
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] ?? '')
}

test('secrets and personal data are hidden at any depth, by field name', () => {
  const line = logged((logger) =>
    logger.info({
      user: { email: 'ada@example.org', profile: { newPassword: 'hunter2' } },
      headers: { cookie: 'sid=1', authorization: 'Bearer 1', 'x-skyfolio-identity': 'abc.def' },
      photos: [{ id: 7, latitude: '38.04', longitude: '-84.5', GPSLatitude: 38 }],
      shareToken: 'abc',
    }),
  )
  const hidden = '[hidden]'
  expect(line).toMatchObject({
    user: { email: hidden, profile: { newPassword: hidden } },
    headers: { cookie: hidden, authorization: hidden, 'x-skyfolio-identity': hidden },
    photos: [{ id: 7, latitude: hidden, longitude: hidden, GPSLatitude: hidden }],
    shareToken: hidden,
  })
})

test('fields of a child logger are hidden too', () => {
  expect(logged((logger) => logger.child({ password: 'hunter2' }).info('hello'))).toMatchObject({
    password: '[hidden]',
  })
})

test('an error is logged with its causes, without fields of drivers and without e-mail addresses', () => {
  const row = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(ada@example.org)' })
  const error = new Error('cannot add ada@example.org at postgres://app:hunter2@db/x', { cause: row })
  const line = logged((logger) => logger.error({ err: error }, 'failed'))
  expect(line.err).toMatchObject({
    type: 'Error',
    message: 'cannot add [hidden] at postgres://[hidden]@db/x',
    cause: { message: 'duplicate key', code: '23505' },
  })
  expect(JSON.stringify(line)).not.toMatch(/ada@|hunter2|detail/)
  expect(JSON.stringify(line)).toContain('logger.test.ts')
})

test('an error as the only argument, and an e-mail address in a message, are treated alike', () => {
  expect(JSON.stringify(logged((logger) => logger.error(new Error('no ada@example.org'))))).not.toContain('ada@')
  expect(logged((logger) => logger.info('hello ada@example.org')).msg).toBe('hello [hidden]')
})

test('a circular value does not break logging', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(JSON.stringify(logged((logger) => logger.info({ circle })))).toContain('[deep]')
})
