import { type App, errorResponses, notFound, requireUser } from '@skyfolio/kit'
import bowser from 'bowser'
import { Type } from 'typebox'
import { register, signIn } from '../accounts/accounts.ts'
import { LoginForm, RegistrationForm, readCredentials, readRegistration } from '../accounts/forms.ts'
import type { AuthDeps } from '../deps.ts'
import type { RunningSession } from '../sessions/sessions.ts'
import { endSession, startSession } from './session-cookies.ts'
import { UserBody, userBody } from './user.ts'

const REGISTER = {
  summary: 'Registers a user and logs in',
  body: RegistrationForm,
  response: { 201: UserBody, ...errorResponses },
}
const LOGIN = {
  summary: 'Logs in',
  headers: Type.Object({
    'x-remember-me': Type.Optional(
      Type.String({
        description: "'false': a cookie for the browser session; otherwise it lasts for 30 days of inactivity",
      }),
    ),
  }),
  body: LoginForm,
  response: { 200: UserBody, ...errorResponses },
}
const LOGOUT = { summary: 'Logs out', response: { 200: Type.Object({}), ...errorResponses } }

const SessionBody = Type.Object({
  id: Type.String(),
  device: Type.String({ description: "Such as 'Chrome on Windows', as the browser named itself when it logged in" }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.String({ format: 'date-time' }),
  current: Type.Boolean({ description: 'The session of this request' }),
})

const LIST_SESSIONS = {
  summary: "Returns the user's sessions, the one used last first",
  response: { 200: Type.Array(SessionBody), ...errorResponses },
}
const END_SESSION = {
  summary: "Ends one of the user's sessions",
  params: Type.Object({ id: Type.String() }),
  response: { 204: Type.Null(), ...errorResponses },
}
const END_OTHER_SESSIONS = {
  summary: "Ends the user's other sessions",
  response: { 204: Type.Null(), ...errorResponses },
}

const user = { access: 'user' } as const
const anyone = { access: 'public' } as const

/** Registration, login and logout. */
export function signInRoutes(app: App, deps: AuthDeps): void {
  app.post('/api/register', { config: anyone, schema: REGISTER }, async (request, reply) => {
    const account = await register(deps, readRegistration(request.body), request.identity.address)
    await startSession(deps, { user: account, isPersistent: true }, request, reply)
    reply.code(201)
    return userBody(account)
  })

  app.post('/api/login', { config: anyone, schema: LOGIN }, async (request, reply) => {
    const credentials = readCredentials(request.body)
    const device = deps.devices.find(request.headers.cookie, credentials.username)
    const account = await signIn(deps, credentials, { address: request.identity.address, device })
    const isPersistent = request.headers['x-remember-me'] !== 'false'
    await startSession(deps, { user: account, isPersistent }, request, reply)
    return userBody(account)
  })

  app.post('/api/logout', { config: anyone, schema: LOGOUT }, async (request, reply) => {
    await endSession(deps, request.identity, reply)
    return {}
  })
}

/** The sessions of the signed-in user. */
export function sessionRoutes(app: App, deps: AuthDeps): void {
  const { sessions } = deps

  app.get('/api/user/sessions', { config: user, schema: LIST_SESSIONS }, async (request) => {
    const { userId, sessionHash } = requireUser(request)
    return (await sessions.list(userId)).map((session) => sessionBody(session, sessionHash))
  })

  app.delete('/api/user/sessions/:id', { config: user, schema: END_SESSION }, async (request, reply) => {
    const identity = requireUser(request)
    const session = (await sessions.list(identity.userId)).find(({ id }) => id === request.params.id)
    if (!session) throw notFound('This session has already ended.')
    if (session.hash === identity.sessionHash) await endSession(deps, identity, reply)
    else await sessions.end(identity.userId, session.hash)
    return reply.code(204).send(null)
  })

  app.delete('/api/user/sessions', { config: user, schema: END_OTHER_SESSIONS }, async (request, reply) => {
    const { userId, sessionHash } = requireUser(request)
    await sessions.endAll(userId, sessionHash)
    return reply.code(204).send(null)
  })
}

function sessionBody(session: RunningSession, currentHash: string): Type.Static<typeof SessionBody> {
  return {
    id: session.id,
    device: deviceName(session.userAgent),
    createdAt: session.createdAt,
    lastUsedAt: session.lastUsedAt.toISOString(),
    current: session.hash === currentHash,
  }
}

const MAX_NAME_LENGTH = 60

/** A name for a user, such as 'Chrome on Windows'. It is what the browser said: nothing may be decided by it. */
function deviceName(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device'
  const { browser, os } = bowser.parse(userAgent)
  const parts = [browser.name, os.name].map((name) => name?.slice(0, MAX_NAME_LENGTH)).filter(Boolean)
  return parts.join(' on ') || 'Unknown device'
}
