import { expect, test } from 'vitest'
import { allowedConnections } from '../checks/cluster/connections.ts'
import { componentNames } from '../components.ts'
import { operatorCommands } from '../local/operator-commands.ts'
import { COMPARISONS } from './component-files.ts'

test.each(Object.entries(COMPARISONS))('%s agrees with the list of components', (_, compare) => {
  expect(compare()).toEqual([])
})

// Written out, so that each new permission is a decision: a new component is added here by hand.
test('components may connect only as in this table', () => {
  expect(allowedConnections()).toEqual({
    gateway: ['auth', 'media', 'folders', 'print-orders', 'redis', 'nats'],
    auth: ['postgresql', 'redis', 'nats', 'mailbox'],
    'auth-worker': ['postgresql', 'redis', 'nats', 'minio', 'mailbox'],
    media: ['postgresql', 'redis', 'nats', 'minio'],
    'media-worker': ['postgresql', 'redis', 'nats', 'minio'],
    folders: ['postgresql', 'nats'],
    'print-orders': ['postgresql', 'redis', 'nats', 'partner-sandbox'],
    'print-orders-worker': ['postgresql', 'redis', 'nats', 'partner-sandbox'],
  })
})

test('every operator command runs in a component of the list, or in the checkout', () => {
  const steps = Object.values(operatorCommands()).flatMap((command) => command.steps)
  expect(steps.filter(({ component }) => component && !componentNames().includes(component))).toEqual([])
})
