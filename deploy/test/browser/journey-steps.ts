import { afterEach, beforeEach } from 'vitest'

// Each file has its own copy of this module.
let hasFailed = false

beforeEach(({ skip }) => {
  if (hasFailed) skip('an earlier step of this journey failed')
})

afterEach(({ task }) => {
  hasFailed ||= task.result?.state === 'fail'
})
