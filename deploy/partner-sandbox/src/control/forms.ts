import type { FastifyInstance } from 'fastify'
import { FAULTS, type FaultName, type FaultRequest, ROUTES, type Route } from '../state/faults.ts'
import { PROFILE_RULES, type Profile } from '../state/profile.ts'
import type { SandboxState } from '../state/state.ts'
import { attempt, ControlError, resetAll, scriptStatus, turnClock } from './actions.ts'

type Form = Record<string, string>

/** What the forms of the page post; each leads back to the page. */
export function addForms(app: FastifyInstance, state: SandboxState): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  const form = (name: string, execute: (fields: Form) => Promise<unknown> | unknown) =>
    app.post(`/forms/${name}`, async ({ body }, reply) => {
      await execute((body ?? {}) as Form)
      return reply.redirect(`/#${name}`, 303)
    })

  form('clock', (fields) => turnClock(state, clockChange(fields)))
  form('faults', (fields) => attempt(() => changeFaults(state, fields)))
  form('orders', ({ id = '', status }) => scriptStatus(state, id, status?.slice(0, 100) || null))
  form('profile', (fields) => attempt(() => changeProfile(state, fields)))
  form('reset', () => resetAll(state))
}

function clockChange({ action, minutes }: Form) {
  if (action === 'next') return { toNextStep: true }
  if (action === 'reset') return { reset: true }
  return { advanceMinutes: Number(minutes) || 0 }
}

function changeFaults({ faults }: SandboxState, fields: Form): void {
  if (fields.remove) {
    faults.remove(Number(fields.remove))
    return
  }
  const { fault = '', route = '', times = '', when = '', seconds = '' } = fields
  if (!Object.hasOwn(FAULTS, fault)) throw new ControlError('There is no such fault.')
  const request: FaultRequest = { fault: fault as FaultName }
  if (route === '*' || ROUTES.includes(route as Route)) request.route = route as Route | '*'
  if (when === 'before' || when === 'after') request.when = when
  if (Number(times) >= 1) request.times = Math.floor(Number(times))
  if (Number(seconds) > 0) request.seconds = Math.min(86_400, Number(seconds))
  faults.add(request)
}

/** Fields of the form are texts; empty ones stay as they are. */
function changeProfile(state: SandboxState, { affId = '', ...fields }: Form): void {
  if (!state.profiles.get(affId)) throw new ControlError('There is no such affiliate.', 404)
  const changes = Object.entries(fields).filter(([name, value]) => Object.hasOwn(PROFILE_RULES, name) && value !== '')
  const read = ([name, value]: [string, string]) => [name, readField(name as keyof Profile, value)]
  state.profiles.change(affId, Object.fromEntries(changes.map(read)))
}

function readField(name: keyof Profile, value: string): unknown {
  const { kind } = PROFILE_RULES[name]
  if (kind === 'boolean') return value === 'true'
  return kind === 'number' ? Number(value) : value
}
